/**
 * Character references: `&amp;`, `&#x41;`, `&eacute` and the other 2,228.
 *
 * Ensures   The same result as the tokenizer of the HTML standard, for any text of an attribute or
 *           an element. The two differ in references without a semicolon (`?a=1&copy=2` stays
 *           unchanged in an attribute).
 * Cost      A text without `&` is returned unchanged. The table of names is built on first use, in
 *           a few milliseconds.
 */
import { NAMED, WITHOUT_SEMICOLON } from './entity-table.ts';

/** Where the text occurs. */
type Place = 'attribute' | 'text';

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([0-9A-Za-z]+)(;?)(=?))/g;

/** Windows-1252 as numbers: the meaning of `&#128;` to `&#159;` by the standard. */
const C1_AS_WINDOWS_1252 = [
  ...[
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039,
    0x152, 0x8d, 0x17d, 0x8f,
  ],
  ...[
    0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a,
    0x153, 0x9d, 0x17e, 0x178,
  ],
];

export function decodeReferences(text: string, place: Place): string {
  if (!text.includes('&')) return text;
  return decodeUsual(text, place) ?? decodeAll(text, place);
}

/**
 * Handles the usual cases: `&amp;`, and in an attribute the bare `&name=` between the parameters of
 * a query, which stays. Undefined if there is anything else.
 */
function decodeUsual(text: string, place: Place): string | undefined {
  let decoded = '';
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (text.startsWith('amp;', at + 1)) {
      decoded += text.slice(from, at + 1);
      from = at + 5;
    } else if (place !== 'attribute' || !isParameter(text, at + 1)) return undefined;
  }
  return decoded + text.slice(from);
}

/** Whether letters or digits and an equals sign follow. */
function isParameter(text: string, start: number): boolean {
  for (let at = start; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x3d) return true;
    if (!((c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39)))
      return false;
  }
  return false;
}

function decodeAll(text: string, place: Place): string {
  return text.replace(
    REFERENCE,
    (match, hex?: string, decimal?: string, name = '', semicolon = '', equals = '') => {
      if (hex !== undefined) return numbered(Number.parseInt(hex, 16));
      if (decimal !== undefined) return numbered(Number.parseInt(decimal, 10));
      const value = semicolon === ';' ? named(name) : undefined;
      if (value !== undefined) return value + equals;
      return place === 'text'
        ? longestOldName(match)
        : wholeOldName(match, name, semicolon, equals);
    },
  );
}

function numbered(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return String.fromCharCode(C1_AS_WINDOWS_1252[code - 0x80]);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}

/**
 * In an attribute an old name counts only if nothing follows that could belong to a query:
 * `&copy=`, `&copyleft`.
 */
function wholeOldName(match: string, name: string, semicolon: string, equals: string): string {
  if (equals !== '' && semicolon === '') return match;
  return oldNames().has(name) ? `${named(name)}${semicolon}${equals}` : match;
}

/** In text the longest old name at the beginning counts: `&notit;` is `¬it;`. */
function longestOldName(match: string): string {
  for (let end = Math.min(match.length, 7); end > 2; end--) {
    const name = match.slice(1, end);
    if (oldNames().has(name)) return named(name) + match.slice(end);
  }
  return match;
}

const COMMON: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
let names: Map<string, string> | undefined;
let oldOnes: Set<string> | undefined;

function named(name: string): string | undefined {
  if (Object.hasOwn(COMMON, name)) return COMMON[name];
  names ??= new Map(NAMED.trim().split(/\s/).map(readEntry));
  return names.get(name);
}

function readEntry(entry: string): [name: string, value: string] {
  const [name, codes] = entry.split(':');
  return [
    name,
    codes
      .split('-')
      .map((code) => String.fromCodePoint(Number.parseInt(code, 16)))
      .join(''),
  ];
}

function oldNames(): Set<string> {
  oldOnes ??= new Set(WITHOUT_SEMICOLON.trim().split(/\s/));
  return oldOnes;
}
