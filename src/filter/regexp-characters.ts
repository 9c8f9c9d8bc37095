/**
 * Sets of characters of regular expressions: which UTF-16 code units an atom matches.
 *
 * Ensures   The same sets as ECMAScript without the flags `u` and `v`, with and without `i`.
 */

/** Sorted ranges that neither overlap nor touch, both ends included. */
export type CharacterSet = readonly (readonly [from: number, to: number])[];

const LAST = 0xffff;
const LAST_ASCII = 127;

/** The set of all characters in the ranges, in any order. */
export function unionOf(ranges: Iterable<readonly [from: number, to: number]>): CharacterSet {
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  const joined: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

export function complementOf(set: CharacterSet): CharacterSet {
  const others: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) others.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) others.push([next, LAST]);
  return others;
}

export function contains(set: CharacterSet, code: number): boolean {
  return set.some(([from, to]) => code >= from && code <= to);
}

const codes = (text: string): CharacterSet =>
  unionOf([...text].map((character) => [character.charCodeAt(0), character.charCodeAt(0)]));

export const DIGITS: CharacterSet = [[0x30, 0x39]];
export const WORD: CharacterSet = unionOf([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
export const BLANKS: CharacterSet = unionOf([
  ...codes('\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'),
  [0x2000, 0x200a],
]);
export const NOT_LINE_ENDS: CharacterSet = complementOf(codes('\n\r\u2028\u2029'));

/** All characters that equal one of the set when letter case is ignored. */
export function ignoringCase(set: CharacterSet): CharacterSet {
  const isAscii = set.every(([, to]) => to <= LAST_ASCII);
  const last = isAscii ? LAST_ASCII : LAST;
  const wanted = new Set<number>();
  for (const [from, to] of set) {
    for (let code = from; code <= to; code++) wanted.add(upperCase(code));
  }
  const found: [number, number][] = [];
  for (let code = 0; code <= last; code++) {
    if (wanted.has(upperCase(code))) found.push([code, code]);
  }
  return unionOf(found);
}

/** Canonicalize of ECMAScript, section 22.2.2.7.3, without the flag `u`. */
function upperCase(code: number): number {
  const upper = String.fromCharCode(code).toUpperCase();
  if (upper.length !== 1) return code;
  const mapped = upper.charCodeAt(0);
  return code > LAST_ASCII && mapped <= LAST_ASCII ? code : mapped;
}
