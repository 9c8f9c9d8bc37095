/**
 * Signals of the lines of a text: Gopher's, C4's and FineWeb's.
 *
 * Idea      one walk over the lines counts for all three. What most texts lack (`lorem ipsum`, `{`,
 *           cookies) is first looked for in the whole text.
 * Cost      linear; one set of the lines.
 */
import { countSentences, endsWithTerminal } from './sentences.ts';
import { countCharacters } from './units.ts';
import { CLASS, classes } from './words.ts';

interface LineSignals {
  /** Lines that are not blank. */
  lines: number;
  bullets: number;
  ellipses: number;
  duplicates: number;
  /** Characters in duplicate lines. */
  duplicateCharacters: number;
  /** Lines that end with terminal punctuation. */
  terminal: number;
  short: number;
  sentences: number;
  keptLines: number;
  keptSentences: number;
  loremIpsum: number;
  braces: number;
  policies: number;
  javascript: number;
}

const BULLET = 0x2022;
const HYPHEN = 0x2d;
const ELLIPSIS = 0x2026;
/** FineWeb: a line of at most so many characters is short. */
const SHORT = 30;
/** C4: a line with a longer word is dropped. */
const LONGEST_WORD = 1000;
/** C4: a line with fewer words is dropped. */
const FEWEST_WORDS = 3;
const CITATION = /\[\d*\]|\[edit\]|\[citation needed\]/g;
/** C4: a line with one of these is about the site. */
const POLICIES = [
  'terms of use',
  'privacy policy',
  'cookie policy',
  'uses cookies',
  'use of cookies',
  'use cookies',
];
const RARE = /lorem ipsum|javascript|terms of use|privacy policy|cookie/;
const RARE_IN_ANY_CASE = new RegExp(RARE, 'i');

/** Whether a text has any of what C4 looks for in lines. Most texts have nothing of it. */
function hasRare(text: string, isLatin: boolean): boolean {
  if (text.includes('{')) return true;
  // Only Latin-1 is converted to lower case faster than it is searched in any case.
  return isLatin ? RARE.test(text.toLowerCase()) : RARE_IN_ANY_CASE.test(text);
}

/** The signals of the lines of a text, given also as its units; `isLatin`: all below U+0100. */
export function lineSignalsOf(text: string, units: Uint16Array, isLatin: boolean): LineSignals {
  const found: LineSignals = {
    lines: 0,
    bullets: 0,
    ellipses: 0,
    duplicates: 0,
    duplicateCharacters: 0,
    terminal: 0,
    short: 0,
    sentences: 0,
    keptLines: 0,
    keptSentences: 0,
    loremIpsum: 0,
    braces: 0,
    policies: 0,
    javascript: 0,
  };
  const seen = new Set<string>();
  const isRare = hasRare(text, isLatin);
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('\n', from);
    const lineEnd = next < 0 ? text.length : next;
    const [start, end] = trimmed(units, from, lineEnd);
    from = lineEnd + 1;
    if (start < end) countLine(text, units, start, end, { found, seen, isRare });
  }
  return found;
}

/** The line without white space around it. */
function trimmed(units: Uint16Array, from: number, to: number): [start: number, end: number] {
  const kinds = classes();
  let [start, end] = [from, to];
  while (start < end && kinds[units[start]] === CLASS.space) start++;
  while (start < end && kinds[units[end - 1]] === CLASS.space) end--;
  return [start, end];
}

interface Counting {
  readonly found: LineSignals;
  readonly seen: Set<string>;
  /** Whether the text has one of the rare things that C4 looks for. */
  readonly isRare: boolean;
}

function countLine(
  text: string,
  units: Uint16Array,
  start: number,
  end: number,
  { found, seen, isRare }: Counting,
): void {
  const line = text.slice(start, end);
  found.lines++;
  if (units[start] === BULLET || units[start] === HYPHEN) found.bullets++;
  if (units[end - 1] === ELLIPSIS || line.endsWith('...')) found.ellipses++;
  if (endsWithTerminal(units, start, end)) found.terminal++;
  if (end - start <= 2 * SHORT && countCharacters(units, start, end) <= SHORT) found.short++;
  if (seen.has(line)) {
    found.duplicates++;
    found.duplicateCharacters += countCharacters(units, start, end);
  } else seen.add(line);
  const sentences = countSentences(units, start, end);
  found.sentences += sentences;
  countForC4(line, sentences, isRare, found);
}

/** What C4 does with a line: drop it, or drop the page because of it, or keep it. */
function countForC4(line: string, sentences: number, isRare: boolean, found: LineSignals): void {
  if (line.length > LONGEST_WORD && hasLongWord(line)) return;
  const cited = line.includes('[') ? line.replace(CITATION, '') : line;
  if (!/[.?!"']$/.test(cited.slice(-1)) || cited.endsWith('...')) return;
  if (hasFewWords(line)) return;
  if (isRare) {
    const lower = cited.toLowerCase();
    if (lower.includes('lorem ipsum')) {
      found.loremIpsum++;
      return;
    }
    if (lower.includes('javascript')) {
      found.javascript++;
      return;
    }
    if (cited.includes('{')) {
      found.braces++;
      return;
    }
    if (POLICIES.some((policy) => lower.includes(policy))) {
      found.policies++;
      return;
    }
  }
  found.keptLines++;
  // References as in an encyclopedia end no sentence.
  found.keptSentences += cited === line ? sentences : sentencesOf(cited);
}

function hasLongWord(line: string): boolean {
  return line.split(/\s+/).some((word) => [...word].length > LONGEST_WORD);
}

function hasFewWords(line: string): boolean {
  let spaces = 0;
  for (const match of line.matchAll(/\s+/g)) {
    if (match.index > 0 && ++spaces >= FEWEST_WORDS - 1) return false;
  }
  return true;
}

/** Sentences of a line that is not in the text, as it stands without its references. */
function sentencesOf(line: string): number {
  const units = Uint16Array.from({ length: line.length }, (_, i) => line.charCodeAt(i));
  return countSentences(units, 0, units.length);
}
