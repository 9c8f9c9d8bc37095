/**
 * The URL in `<meta http-equiv="refresh" content="5; url='/next'">`, by the "shared declarative
 * refresh steps" of the HTML standard. Undefined if there is none or the content is not a refresh.
 */
const REFRESH =
  /^[\t\n\f\r ]*(?:\d|(?=\.))[\d.]*(?:[\t\n\f\r ]*[;,][\t\n\f\r ]*|[\t\n\f\r ]+)(.*)$/s;
const URL_PREFIX = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i;

export function refreshTarget(content: string): string | undefined {
  const rest = REFRESH.exec(content)?.[1];
  if (rest === undefined || rest === '') return undefined;
  const target = rest.replace(URL_PREFIX, '');
  const quote = target.charAt(0);
  if (quote !== '"' && quote !== "'") return target;
  const end = target.indexOf(quote, 1);
  return end < 0 ? target.slice(1) : target.slice(1, end);
}
