/**
 * The meaningful lines of a robots.txt: their keys, and the positions of their values.
 *
 * Requires  The decoded body of a response. Any bytes are accepted.
 * Ensures   Lines are counted from 1 and end with CR, LF or both. Comments, blanks, a byte order
 *           mark and lines with other keys are skipped. A line that the size limit truncates is
 *           dropped: half a rule may forbid everything.
 * Cost      One pass; a string per line for its key.
 */
import type { Bytes } from '../base/units.ts';

type RobotsKey = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

/** Receives a line's key and number. Its value is `bytes[from..to)`, without blanks around it. */
type LineVisitor = (key: RobotsKey, from: number, to: number, line: number) => void;

export const MAX_ROBOTS_BYTES: Bytes = 500 * 1024;

/** Keys, with the common misspellings that large crawlers accept. */
const KEYS: ReadonlyMap<string, RobotsKey> = new Map<string, RobotsKey>([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
]);
const LONGEST_KEY = 16;

const LF = 10;
const CR = 13;
const HASH = 35;
const COLON = 58;

export function forEachRobotsLine(bytes: Uint8Array, maxBytes: Bytes, visit: LineVisitor): void {
  const cut = bytes.length > maxBytes;
  const end = Math.min(bytes.length, maxBytes);
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let line = 1; at < end; line++) {
    const start = at;
    let colon = -1;
    let stop = -1; // where the comment begins
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === LF || byte === CR) break;
      if (byte === COLON && colon < 0 && stop < 0) colon = at;
      else if (byte === HASH && stop < 0) stop = at;
    }
    if (at === end && cut) return;
    const key = colon < 0 ? undefined : keyOf(bytes, start, colon);
    if (key !== undefined) visitTrimmed(bytes, key, colon + 1, stop < 0 ? at : stop, line, visit);
    at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
  }
}

function visitTrimmed(
  bytes: Uint8Array,
  key: RobotsKey,
  from: number,
  to: number,
  line: number,
  visit: LineVisitor,
): void {
  while (from < to && isBlank(bytes[from])) from++;
  while (to > from && isBlank(bytes[to - 1])) to--;
  visit(key, from, to, line);
}

function keyOf(bytes: Uint8Array, from: number, to: number): RobotsKey | undefined {
  while (from < to && isBlank(bytes[from])) from++;
  while (to > from && isBlank(bytes[to - 1])) to--;
  return to - from > LONGEST_KEY ? undefined : KEYS.get(utf8(bytes, from, to).toLowerCase());
}

/** NUL counts as blank: some editors pad with it. */
function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 0 || byte === 11 || byte === 12;
}

/**
 * The name that a User-agent line addresses, in lower case, or `*` for every crawler. `Drumlin/1.0`
 * addresses drumlin. The RFC allows no digits in names, but files address MJ12bot and 360Spider,
 * and do not mean a crawler called mj.
 */
export function agentName(value: string): string {
  return /^\*(?=\s|$)|^[a-z0-9_-]+/i.exec(value)?.[0].toLowerCase() ?? '';
}

export function utf8(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}
