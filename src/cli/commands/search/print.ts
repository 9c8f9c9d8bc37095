/** Results of searches as text and as JSON. */
import { counted } from '../../../base/units.ts';
import type { SearchResult } from '../../../search/query/results.ts';
import { iso } from '../../../search/query/times.ts';

const day = (time: number): string => iso(time).slice(0, 10);

export const asJson = (result: SearchResult) => ({
  ...result,
  ...{ first: iso(result.first), last: iso(result.last), stored: iso(result.stored) },
  get: commandOf(result),
});

/** A result as lines; `more` come before the last. */
export function asText(result: SearchResult, rank: number, more: readonly string[] = []): string {
  const { url, title, first, last, captures, versions, score, snippet } = result;
  const [from, to] = [day(first), day(last)];
  const times = from === to ? from : `${from} to ${to}`;
  const counts = `${counted(captures, 'capture')}, ${counted(versions, 'version')} of the page`;
  const lines = [
    `${rank}. ${printable(title) || url}`,
    `   ${url}`,
    `   ${times}: ${counts}; score ${score.toFixed(3)}`,
    ...(snippet === '' ? [] : [`   ${printable(snippet)}`]),
    ...more.map((line) => `   ${line}`),
    `   ${commandOf(result)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Without control characters: titles and texts are written by strangers. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();

/** The command that prints the page. */
function commandOf({ place, url, stored }: SearchResult): string {
  const at = iso(stored).replace(/\D/g, '').slice(0, 14);
  return `drumlin archive get ${quoted(place)} ${quoted(url)} --at ${at}`;
}

export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
