/**
 * The tokens of a text, for signals: words (words.ts) and symbols.
 *
 * Idea      equal tokens get equal numbers by a hash table over places in the text, so that no
 *           string is made.
 * Ensures   exact: two tokens have the same number if and only if they are spelt alike. A run of one
 *           symbol (`...`, `---`) is one token. An apostrophe between letters is no token.
 * Cost      about 15 ns a token; the arrays are used again for the next text.
 */
import { isPairAt } from './units.ts';
import { CLASS, classes, classOfPair } from './words.ts';

const APOSTROPHE = 0x27;
const QUOTE = 0x2019;
const STOP_WORDS = new Set(['the', 'be', 'to', 'of', 'and', 'that', 'have', 'with']);
const LONGEST_STOP = 4;

export interface Tokens {
  readonly count: number;
  /** Equal for equal tokens; valid until the next text. */
  readonly ids: Int32Array;
  /** Characters (code points) before each token, in tokens alone; one more entry at the end. */
  readonly before: Int32Array;
  readonly words: number;
  /** Characters in words. */
  readonly wordCharacters: number;
  /** Tokens with a letter. */
  readonly alphabetic: number;
  /** How many of Gopher's stop words are among the tokens, as they are spelt. */
  readonly stopWords: number;
}

let ids = new Int32Array(1024);
let before = new Int32Array(1025);
let starts = new Int32Array(1024);
let ends = new Int32Array(1024);
let table = new Int32Array(2048);

/** Makes room for one more token. */
function grow(): void {
  const larger = (old: Int32Array, length: number) => {
    const array = new Int32Array(length);
    array.set(old);
    return array;
  };
  const length = 2 * ids.length;
  ids = larger(ids, length);
  starts = larger(starts, length);
  ends = larger(ends, length);
  before = larger(before, length + 1);
}

/** Places of the tokens of a text: `starts`, `ends` and characters `before`. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one hot loop holds all classes.
function cut(units: Uint16Array): Omit<Tokens, 'ids' | 'before' | 'stopWords'> {
  const classOf = classes();
  const { length } = units;
  let [from, to, sum] = [starts, ends, before];
  let room = from.length;
  let count = 0;
  let words = 0;
  let wordCharacters = 0;
  let alphabetic = 0;
  let total = 0;
  let at = 0;
  sum[0] = 0;
  while (at < length) {
    const start = at;
    const unit = units[at];
    const pair = (unit & 0xfc00) === 0xd800 && isPairAt(units, at);
    const kind = pair ? classOfPair(unit, units[at + 1]) : classOf[unit];
    at += pair ? 2 : 1;
    if (kind === CLASS.space) continue;
    let characters = 1;
    if (kind === CLASS.letter || kind === CLASS.digit) {
      let letters = kind === CLASS.letter ? 1 : 0;
      while (at < length) {
        const next = units[at];
        const wide = (next & 0xfc00) === 0xd800 && isPairAt(units, at);
        const inside = wide ? classOfPair(next, units[at + 1]) : classOf[next];
        if (inside === CLASS.letter) letters = 1;
        else if (inside !== CLASS.digit && inside !== CLASS.mark) break;
        characters++;
        at += wide ? 2 : 1;
      }
      words++;
      wordCharacters += characters;
      alphabetic += letters;
    } else if (kind === CLASS.wide) {
      words++;
      wordCharacters++;
      alphabetic++;
    } else if (!pair) {
      if ((unit === APOSTROPHE || unit === QUOTE) && isBetweenLetters(units, start)) continue;
      while (at < length && units[at] === unit) {
        characters++;
        at++;
      }
    }
    if (count === room) {
      grow();
      [from, to, sum] = [starts, ends, before];
      room = from.length;
    }
    from[count] = start;
    to[count] = at;
    total += characters;
    sum[++count] = total;
  }
  return { count, words, wordCharacters, alphabetic };
}

/** The tokens of a text, given as its units. */
export function tokensOf(units: Uint16Array): Tokens {
  const found = cut(units);
  const stopWords = number(units, found.count);
  return { ...found, ids, before, stopWords };
}

function isBetweenLetters(units: Uint16Array, at: number): boolean {
  const classOf = classes();
  return (
    at > 0 &&
    at + 1 < units.length &&
    classOf[units[at - 1]] === CLASS.letter &&
    classOf[units[at + 1]] === CLASS.letter
  );
}

/**
 * Gives equal tokens the number of the first of them. Returns how many of the stop words are among
 * them.
 */
function number(units: Uint16Array, count: number): number {
  let slots = 64;
  while (slots < 2 * count) slots *= 2;
  if (slots > table.length) table = new Int32Array(slots);
  const [from, to, numbers, places] = [starts, ends, ids, table];
  places.fill(0, 0, slots);
  let stopWords = 0;
  for (let token = 0; token < count; token++) {
    const start = from[token];
    const end = to[token];
    let hash = end - start;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ units[at], 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    let slot = (hash ^ (hash >>> 13)) & (slots - 1);
    let other = places[slot];
    while (other !== 0 && !isSame(units, from[other - 1], to[other - 1], start, end)) {
      slot = (slot + 1) & (slots - 1);
      other = places[slot];
    }
    if (other === 0) {
      other = token + 1;
      places[slot] = other;
      if (end - start <= LONGEST_STOP && isStopWord(units, start, end)) stopWords++;
    }
    numbers[token] = other - 1;
  }
  return stopWords;
}

function isSame(units: Uint16Array, from: number, to: number, start: number, end: number): boolean {
  if (to - from !== end - start) return false;
  for (let at = start, other = from; at < end; at++, other++)
    if (units[at] !== units[other]) return false;
  return true;
}

function isStopWord(units: Uint16Array, start: number, end: number): boolean {
  return STOP_WORDS.has(String.fromCharCode(...units.subarray(start, end)));
}
