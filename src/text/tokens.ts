/**
 * The tokens of a text, for signals: words (words.ts) and symbols.
 *
 * Idea      a token is two hashes of 32 bits and its length, so that no string is made. Equal ones
 *           get equal numbers.
 * Ensures   the same number for tokens that are spelt alike; for others with probability 2^-64. A run
 *           of one symbol (`...`, `---`) is one token. An apostrophe between letters is no token.
 * Cost      about 15 ns a token; the arrays are used again for the next text.
 */
import { isPairAt } from './units.ts';
import { CLASS, classes, classOfPair } from './words.ts';

const APOSTROPHE = 0x27;
const QUOTE = 0x2019;
/** Gopher's stop words, each as a number: seven bits a letter. */
const STOP_WORDS = ['the', 'be', 'to', 'of', 'and', 'that', 'have', 'with'].map((word) =>
  [...word].reduce((key, letter) => (key << 7) | letter.charCodeAt(0), 0),
);
const SEED = 0x2c1b3c6d;
const FACTOR = 0x01000193;
const CHECK_FACTOR = 0x85ebca6b;
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
let lengths = new Int32Array(1024);
let hashes = new Int32Array(1024);
let checks = new Int32Array(1024);
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
  lengths = larger(lengths, length);
  hashes = larger(hashes, length);
  checks = larger(checks, length);
  before = larger(before, length + 1);
}

/** Cuts a text into tokens: their `lengths`, `hashes`, `checks`, and characters `before`. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one hot loop holds all classes.
function cut(units: Uint16Array): Omit<Tokens, 'ids' | 'before'> {
  const classOf = classes();
  const { length } = units;
  let [sizes, first, second, sum] = [lengths, hashes, checks, before];
  let room = sizes.length;
  let count = 0;
  let words = 0;
  let wordCharacters = 0;
  let alphabetic = 0;
  let total = 0;
  let stops = 0;
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
    let hash = Math.imul(unit ^ SEED, FACTOR);
    let check = Math.imul(unit ^ FACTOR, CHECK_FACTOR);
    if (pair) {
      hash = Math.imul(hash ^ units[at - 1], FACTOR);
      check = Math.imul(check ^ units[at - 1], CHECK_FACTOR);
    }
    if (kind === CLASS.letter || kind === CLASS.digit) {
      let letters = kind === CLASS.letter ? 1 : 0;
      while (at < length) {
        const next = units[at];
        const wide = (next & 0xfc00) === 0xd800 && isPairAt(units, at);
        const inside = wide ? classOfPair(next, units[at + 1]) : classOf[next];
        if (inside === CLASS.letter) letters = 1;
        else if (inside !== CLASS.digit && inside !== CLASS.mark) break;
        characters++;
        hash = Math.imul(hash ^ next, FACTOR);
        check = Math.imul(check ^ next, CHECK_FACTOR);
        at++;
        if (!wide) continue;
        hash = Math.imul(hash ^ units[at], FACTOR);
        check = Math.imul(check ^ units[at], CHECK_FACTOR);
        at++;
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
      [sizes, first, second, sum] = [lengths, hashes, checks, before];
      room = sizes.length;
    }
    sizes[count] = at - start;
    first[count] = hash;
    second[count] = check;
    if (at - start <= LONGEST_STOP && unit >= 0x61) stops |= stopWord(units, start, at);
    total += characters;
    sum[++count] = total;
  }
  return { count, words, wordCharacters, alphabetic, stopWords: bitCount(stops) };
}

/** The tokens of a text, given as its units. */
export function tokensOf(units: Uint16Array): Tokens {
  const found = cut(units);
  number(found.count);
  return { ...found, ids, before };
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

/** Gives equal tokens the number of the first of them. */
function number(count: number): void {
  let slots = 64;
  while (slots < 2 * count) slots *= 2;
  if (slots > table.length) table = new Int32Array(slots);
  const [sizes, first, second, numbers, places] = [lengths, hashes, checks, ids, table];
  places.fill(0, 0, slots);
  for (let token = 0; token < count; token++) {
    const hash = first[token];
    const check = second[token];
    const size = sizes[token];
    let slot = (hash ^ (hash >>> 15)) & (slots - 1);
    let other = places[slot] - 1;
    while (
      other >= 0 &&
      (first[other] !== hash || second[other] !== check || sizes[other] !== size)
    ) {
      slot = (slot + 1) & (slots - 1);
      other = places[slot] - 1;
    }
    if (other < 0) {
      other = token;
      places[slot] = token + 1;
    }
    numbers[token] = other;
  }
}

/** The bit of the stop word from `start` to `end`; 0 if it is none. */
function stopWord(units: Uint16Array, start: number, end: number): number {
  let key = 0;
  for (let at = start; at < end; at++) {
    if (units[at] > 0x7a) return 0;
    key = (key << 7) | units[at];
  }
  const place = STOP_WORDS.indexOf(key);
  return place < 0 ? 0 : 1 << place;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
