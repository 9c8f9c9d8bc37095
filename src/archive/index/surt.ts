/**
 * The key under which an index finds a URL: its host reversed, without what makes no difference.
 *
 *   http://www.Example.org:80/A/?b=2&a=1   becomes   org,example)/a?a=1&b=2
 *
 * Idea      Sorted by key, all captures of a domain are adjacent, and a look-up is one position in
 *           the file. The rules are those of the Internet Archive's canonicalizer, which pywb,
 *           OpenWayback and Common Crawl use, so that these tools can search our index: no scheme,
 *           no `www.`, no default port, lower case, escapes in one form, `//` and a final slash
 *           removed, parameters sorted, common session identifiers dropped.
 * Requires  Any text: a foreign archive may call anything a URL.
 * Ensures   A key of printable ASCII without blanks. A URL without authority (`urn:`, `dns:`,
 *           `mailto:`) is its own key.
 * Cost      About a microsecond for a URL without escapes whose host was seen recently; a cache of
 *           4,096 hosts.
 */

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Characters that need a closer look: escapes, and characters that need one. */
const TO_ESCAPE = /[^!-$&-~]|#/;
const NOT_PLAIN_PATH = /\/\/|\/\./;
const ASP_SESSIONS = [
  /^(.*\/)\((?:[a-z]\([0-9a-z]{24}\))+\)\/([^?]+\.aspx.*)$/,
  /^(.*\/)\([0-9a-z]{24}\)\/([^?]+\.aspx.*)$/,
];
const SESSION_HINT = /sid=|sessionid|cfid=/i;
const QUERY_SESSIONS = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/i,
  /^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$/i,
];
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

export function surt(url: string): string {
  const trimmed = url.trim();
  const start = authorityStart(trimmed);
  if (start < 0) return trimmed === '' ? '-' : escaped(trimmed, false);
  let pathStart = start;
  while (pathStart < trimmed.length && !endsAuthority(trimmed.charCodeAt(pathStart))) pathStart++;
  const fragment = trimmed.indexOf('#', pathStart);
  const end = fragment < 0 ? trimmed.length : fragment;
  const question = trimmed.indexOf('?', pathStart);
  const pathEnd = question < 0 || question > end ? end : question;
  const host = knownHostKey(trimmed.slice(0, pathStart), start);
  const query = pathEnd < end ? queryKey(trimmed.slice(pathEnd + 1, end)) : '';
  return `${host})${pathKey(trimmed.slice(pathStart, pathEnd))}${query === '' ? '' : `?${query}`}`;
}

/** Where the authority begins; -1 if there is none. */
function authorityStart(url: string): number {
  if (url.startsWith('http://')) return 'http://'.length;
  if (url.startsWith('https://')) return 'https://'.length;
  return AUTHORITY.exec(url)?.[0].length ?? -1;
}

/** `/`, `?` or `#`. */
function endsAuthority(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23;
}

/** Keys of recent hosts: a crawl uses those of a few thousand, over and over. */
const known = new Map<string, string>();
const MOST_KNOWN = 4096;
const LONGEST_KNOWN = 256;

/** `origin` is a scheme and an authority, which begins at `start`. */
function knownHostKey(origin: string, start: number): string {
  let key = known.get(origin);
  if (key === undefined) {
    key = hostKey(origin.slice(start), origin.slice(0, start - '://'.length).toLowerCase());
    if (origin.length > LONGEST_KNOWN) return key;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(origin, key);
  }
  return key;
}

function hostKey(authority: string, scheme: string): string {
  const withPort = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  const colon = withPort.lastIndexOf(':');
  const hasPort = colon >= 0 && !withPort.endsWith(']');
  const port = hasPort ? withPort.slice(colon + 1) : '';
  const host = escaped(hasPort ? withPort.slice(0, colon) : withPort, true)
    .replace(/\.\.+/g, '.')
    .replace(/^\.|\.$/g, '')
    .replace(/^www\d*\./, '');
  const reversed =
    host.includes('.') && !host.startsWith('[') ? host.split('.').reverse().join(',') : host;
  return port === '' || port === DEFAULT_PORTS[scheme]
    ? reversed
    : `${reversed}:${escaped(port, true)}`;
}

function pathKey(path: string): string {
  let key = escaped(path, true);
  if (NOT_PLAIN_PATH.test(key)) key = withoutDots(key);
  key = key.toLowerCase();
  if (key.includes('.aspx')) for (const session of ASP_SESSIONS) key = key.replace(session, '$1$2');
  if (key.length > 1 && key.endsWith('/')) key = key.slice(0, -1);
  return key === '' ? '/' : key;
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  for (const segment of segments) {
    if (segment === '.') continue;
    // There is nothing above the root: such a segment stays.
    if (segment === '..' && kept.length > 0) kept.pop();
    else kept.push(segment);
  }
  const last = kept.pop() ?? '';
  return `/${kept
    .filter((segment) => segment !== '')
    .map((segment) => `${segment}/`)
    .join('')}${last}`;
}

function queryKey(query: string): string {
  let key = escaped(query, true);
  if (SESSION_HINT.test(key)) {
    for (const session of QUERY_SESSIONS) key = key.replace(session, '$1$2');
  }
  key = key.toLowerCase();
  return key.includes('&') ? key.split('&').sort(byNameAndValue).join('&') : key;
}

/**
 * A name alone comes before the same name with a value, independent of how names compare with `=`.
 */
function byNameAndValue(a: string, b: string): number {
  const [nameA, nameB] = [nameOf(a), nameOf(b)];
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
}

/**
 * Decodes escapes repeatedly, then escapes only what needs it: blanks, `#`, `%`, control characters
 * and everything that is not ASCII. An opaque URL keeps its escapes: only characters that would
 * break a line of the index are escaped.
 */
function escaped(text: string, undo: boolean): string {
  if (!TO_ESCAPE.test(text)) return text;
  let bytes = Buffer.from(text).toString('latin1');
  if (undo) {
    for (let before = ''; before !== bytes; ) {
      before = bytes;
      bytes = bytes.replace(/%[0-9a-f]{2}/gi, (code) =>
        String.fromCharCode(Number.parseInt(code.slice(1), 16)),
      );
    }
  }
  return bytes.replace(undo ? /[^!-~]|[#%]/g : /[^!-~]/g, escapeOf);
}

function escapeOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
