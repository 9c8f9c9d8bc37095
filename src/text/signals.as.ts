/**
 * Counts everything in a text that its signals need, in AssemblyScript. text-signals.ts makes the
 * signals of these counts; docs/text.md defines them. test/text/naive-signals.ts is the same in
 * plain TypeScript.
 *
 *   units ─► tokens, lines, sentences ─► equal tokens ─► repeated runs of tokens ─► equal lines
 *
 * Idea      A token is a hash of 64 bits, so that no string is made. Only a symbol can end a
 *           sentence, so one walk over the tokens sees all sentences, too. A run of n tokens
 *           repeats only if both runs of n - 1 in it repeat: the runs of n are pairs of classes of
 *           runs of n - 1, and only runs of classes with two members are looked at again. In prose
 *           few are left after n = 4.
 * Requires  `reserve(length)`, then the UTF-16 units at the place that it returns.
 * Ensures   exact, but for tokens and lines with equal hashes, with probability 2^-64.
 * Cost      about 5 ns a character. Memory of up to 66 bytes a unit, of which prose touches 20.
 *
 * `npm run kernels` compiles it into signals-wasm.ts.
 */

/** What is known of a unit, as bits: three for its class (words.ts), and these. */
const CLASS: u32 = 7;
const ENDS: u32 = 8;
const CLOSES: u32 = 16;
const ENDS_ALONE: u32 = 32;
/** White space in the sense of JavaScript; the class has control characters, too. */
const BLANK: u32 = 64;
/** The first half of a pair of surrogates. */
const HIGH: u32 = 128;

const SPACE: u32 = 0;
const LETTER: u32 = 2;
const DIGIT: u32 = 3;
const MARK: u32 = 4;
const WIDE: u32 = 5;

/** A byte of bits for each unit, filled in before the first call. */
export const FLAGS: usize = 4096;
/** What was counted, in words of 32 bits. */
export const RESULT: usize = 1024;
const FIRST: usize = 4096 + 65536;
/** Zero bytes after the input, so that eight bytes can be read at its end. */
const PADDING: usize = 16;

// Places in RESULT.
const TOKENS: usize = 0;
const WORDS: usize = 1;
const WORD_CHARACTERS: usize = 2;
const ALPHABETIC: usize = 3;
const STOP_WORDS: usize = 4;
const CHARACTERS: usize = 5;
const HASHES: usize = 6;
const ELLIPSES: usize = 7;
const LINE_ENDS: usize = 8;
const LINES: usize = 9;
const BULLETS: usize = 10;
const ELLIPSIS_LINES: usize = 11;
const TERMINAL: usize = 12;
const SHORT: usize = 13;
const SENTENCES: usize = 14;
const KEPT_LINES: usize = 15;
const KEPT_SENTENCES: usize = 16;
const LISTED: usize = 17;
const DUPLICATES: usize = 18;
const DUPLICATE_CHARACTERS: usize = 19;
/** Nine: for runs of 2 to 10 tokens. */
const GRAMS: usize = 20;
const RESULTS: usize = 29;

/** Whether the text may have one of the rare things that C4 looks for in its lines. */
let rare: bool = false;

const NEWLINE: u32 = 0x0a;
const QUOTATION: u32 = 0x22;
const HASH: u32 = 0x23;
const APOSTROPHE: u32 = 0x27;
const HYPHEN: u32 = 0x2d;
const FULL_STOP: u32 = 0x2e;
const EXCLAMATION: u32 = 0x21;
const QUESTION: u32 = 0x3f;
const BRACKET: u32 = 0x5b;
const BRACE: u32 = 0x7b;
const QUOTE: u32 = 0x2019;
const BULLET: u32 = 0x2022;
const ELLIPSIS: u32 = 0x2026;

/** FineWeb: a line of at most so many characters is short. */
const SHORT_LINE: i32 = 30;
/** C4: a line with a longer word is dropped. */
const LONGEST_WORD: i32 = 1000;
/** C4: a line with fewer words is dropped. */
const FEWEST_WORDS: i32 = 3;

const LONGEST_TOP: i32 = 4;
const LONGEST: i32 = 10;
/** No class: this run does not repeat. */
const NONE: i32 = -1;

const FACTOR: u64 = 0x9e3779b185ebca87;
const START: u64 = 0xc2b2ae3d27d4eb4f;

// Gopher's stop words as units, the first in the lowest bits.
const THE: u64 = 0x006500680074;
const BE: u64 = 0x00650062;
const TO: u64 = 0x006f0074;
const OF: u64 = 0x0066006f;
const AND: u64 = 0x0064006e0061;
const THAT: u64 = 0x0074006100680074;
const HAVE: u64 = 0x0065007600610068;
const WITH: u64 = 0x0068007400690077;

// The beginnings of words in lower case, four units each.
const IPSU: u64 = 0x0075007300700069;
const POLI: u64 = 0x0069006c006f0070;
const COOK: u64 = 0x006b006f006f0063;
const AVAS: u64 = 0x0073006100760061;
const OF_SPACE: u64 = 0x00200066006f0020;
const LOWER: u64 = 0x0020002000200020;

/** The bits of a pair of surrogates. */
// @ts-ignore: decorator
@external('host', 'pairFlags')
declare function pairFlags(high: u32, low: u32): u32;

// Where everything lies; see `reserve`.
let input: usize = 0;
let hashes: usize = 0;
let before: usize = 0;
let lineList: usize = 0;
let ids: usize = 0;
let nextIds: usize = 0;
let members: usize = 0;
let candidates: usize = 0;
let used: usize = 0;
let table: usize = 0;

/** Records of lines: hash (u64), start, end, sentences, and whether C4 has to look at it. */
const LINE_BYTES: usize = 24;
export const LINE_WORDS: usize = LINE_BYTES / 4;

/** Makes room for a text of so many units, and returns where it has to be. */
export function reserve(length: i32): usize {
  const units = (<usize>length + 7) & ~7;
  input = FIRST;
  hashes = input + 2 * units + PADDING;
  before = hashes + 8 * units;
  lineList = before + 4 * units + 8;
  ids = lineList + LINE_BYTES * (units / 2 + 1);
  nextIds = ids + 4 * units;
  members = nextIds + 4 * units;
  candidates = members + 4 * units;
  used = candidates + 4 * units;
  table = used + units;
  const end = table + 4 * <usize>slotsFor(length);
  const missing = <i32>((end + 65535) >>> 16) - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) return 0;
  return input;
}

/** Where the list of lines is. */
export function lines(): usize {
  return lineList;
}

/** Twice as many slots as entries, or more: a power of two. */
function slotsFor(entries: i32): i32 {
  let slots = 64;
  while (slots < 2 * entries) slots <<= 1;
  return slots;
}

// @ts-ignore: decorator
@inline
function unitAt(at: i32): u32 {
  return <u32>load<u16>(input + ((<usize>at) << 1));
}

// @ts-ignore: decorator
@inline
function flagsOf(unit: u32): u32 {
  return <u32>load<u8>(FLAGS + <usize>unit);
}

// @ts-ignore: decorator
@inline
function word(base: usize, at: i32): i32 {
  return load<i32>(base + ((<usize>at) << 2));
}

// @ts-ignore: decorator
@inline
function setWord(base: usize, at: i32, value: i32): void {
  store<i32>(base + ((<usize>at) << 2), value);
}

// @ts-ignore: decorator
@inline
function put(place: usize, value: i32): void {
  store<i32>(RESULT + (place << 2), value);
}

// @ts-ignore: decorator
@inline
function add(place: usize, value: i32): void {
  put(place, load<i32>(RESULT + (place << 2)) + value);
}

// @ts-ignore: decorator
@inline
function isLow(unit: u32): bool {
  return (unit & 0xfc00) == 0xdc00;
}

/** The bits of the character at a place: of the pair, if there is one. */
// @ts-ignore: decorator
@inline
function flagsAt(unit: u32, at: i32, length: i32): u32 {
  const flags = flagsOf(unit);
  if ((flags & HIGH) == 0 || at + 1 >= length) return flags;
  const low = unitAt(at + 1);
  return isLow(low) ? pairFlags(unit, low) | HIGH : flags & ~HIGH;
}

/** A hash of units: four at a time. */
// @ts-ignore: decorator
@inline
function hashOf(start: i32, end: i32): u64 {
  let from = input + ((<usize>start) << 1);
  const to = input + ((<usize>end) << 1);
  let hash: u64 = (START ^ (<u64>(end - start))) * FACTOR;
  while (from + 8 <= to) {
    hash = (hash ^ load<u64>(from)) * FACTOR;
    hash ^= hash >> 29;
    from += 8;
  }
  if (from < to) {
    const rest = load<u64>(from) & ((<u64>1 << ((<u64>(to - from)) << 3)) - 1);
    hash = (hash ^ rest) * FACTOR;
  }
  return hash ^ (hash >> 32);
}

/** The bit of a stop word of at most four units; 0 if it is none. */
function stopWord(start: i32, end: i32): i32 {
  const shift = (<u64>(4 - (end - start))) << 4;
  const key = (load<u64>(input + ((<usize>start) << 1)) << shift) >> shift;
  if (key == THE) return 1;
  if (key == BE) return 2;
  if (key == TO) return 4;
  if (key == OF) return 8;
  if (key == AND) return 16;
  if (key == THAT) return 32;
  if (key == HAVE) return 64;
  return key == WITH ? 128 : 0;
}

/**
 * Whether a word may belong to something rare: it begins with `ipsu`, `poli` or `cook`, it is a
 * `use` behind `of`, or it contains `javas`. Never false for the last word of a rare thing.
 */
// @ts-ignore: decorator
@inline
function isRare(start: i32, end: i32): bool {
  const beginning = load<u64>(input + ((<usize>start) << 1)) | LOWER;
  if (beginning == IPSU || beginning == POLI || beginning == COOK) return true;
  if (<u32>beginning == 0x00730075 && start >= 4) {
    return (load<u64>(input + ((<usize>start - 4) << 1)) | LOWER) == OF_SPACE;
  }
  return end - start >= 10 && hasScript(start, end);
}

function hasScript(start: i32, end: i32): bool {
  for (let at = start; at + 10 <= end; at++) {
    if ((unitAt(at) | 0x20) != 0x6a) continue;
    if ((load<u64>(input + ((<usize>at + 1) << 1)) | LOWER) == AVAS) return true;
  }
  return false;
}

/** Where the sentence that may end at a terminal mark ends, or its marks; see `ended`. */
let ended: bool = false;
function sentenceEnd(start: i32, length: i32): i32 {
  let at = start;
  let all: u32 = 0;
  while (at < length) {
    const unit = unitAt(at);
    const flags = flagsAt(unit, at, length);
    if ((flags & ENDS) == 0) break;
    all |= flags;
    at += (flags & HIGH) != 0 ? 2 : 1;
  }
  while (at < length && (flagsOf(unitAt(at)) & CLOSES) != 0) at++;
  ended = at == length || (all & ENDS_ALONE) != 0 || (flagsOf(unitAt(at)) & CLASS) == SPACE;
  return at;
}

/** The characters (code points) from a place to another. */
function charactersIn(start: i32, end: i32): i32 {
  let pairs = 0;
  for (let at = start; at + 1 < end; at++) {
    if ((flagsOf(unitAt(at)) & HIGH) != 0 && isLow(unitAt(at + 1))) {
      pairs++;
      at++;
    }
  }
  return end - start - pairs;
}

/** Whether an apostrophe stands between letters. */
function isBetweenLetters(at: i32, length: i32): bool {
  if (at == 0 || at + 1 >= length) return false;
  return (flagsOf(unitAt(at - 1)) & CLASS) == LETTER && (flagsOf(unitAt(at + 1)) & CLASS) == LETTER;
}

/** Counts a line; `look`: C4's rules for it are more than its last character and its words. */
function endLine(start: i32, end: i32, blanks: i32, look: bool, sentences: i32, pairs: bool): void {
  const last = unitAt(end - 1);
  const first = unitAt(start);
  const dots =
    end - start >= 3 &&
    last == FULL_STOP &&
    unitAt(end - 2) == FULL_STOP &&
    unitAt(end - 3) == FULL_STOP;
  const count = load<i32>(RESULT + (LINES << 2));
  put(LINES, count + 1);
  if (first == BULLET || first == HYPHEN) add(BULLETS, 1);
  if (last == ELLIPSIS || dots) add(ELLIPSIS_LINES, 1);
  if (
    isLow(last)
      ? end - start > 1 && (pairFlags(unitAt(end - 2), last) & ENDS) != 0
      : (flagsOf(last) & ENDS) != 0
  ) {
    add(TERMINAL, 1);
  }
  if (end - start <= SHORT_LINE) add(SHORT, 1);
  else if (pairs && end - start <= 2 * SHORT_LINE && charactersIn(start, end) <= SHORT_LINE)
    add(SHORT, 1);
  add(SENTENCES, sentences);
  const record = lineList + LINE_BYTES * <usize>count;
  store<u64>(record, hashOf(start, end));
  store<i32>(record, start, 8);
  store<i32>(record, end, 12);
  store<i32>(record, sentences, 16);
  store<i32>(record, look ? 1 : 0, 20);
  if (look) add(LISTED, 1);
  else if (!dots && blanks >= FEWEST_WORDS - 1 && endsForC4(last)) {
    add(KEPT_LINES, 1);
    add(KEPT_SENTENCES, sentences);
  }
}

function endsForC4(unit: u32): bool {
  return (
    unit == FULL_STOP ||
    unit == QUESTION ||
    unit == EXCLAMATION ||
    unit == QUOTATION ||
    unit == APOSTROPHE
  );
}

/**
 * Cuts the text into tokens and lines: their hashes, the characters before each token, and counts.
 * With `lookAtAll`, C4 has to look at every line.
 *
 * Long: one hot loop holds all classes.
 */
function cut(length: i32, lookAtAll: bool): void {
  let count = 0;
  let words = 0;
  let wordCharacters = 0;
  let alphabetic = 0;
  let total = 0;
  let stops = 0;
  let lineEnds = 0;
  let pairs = false;
  let at = 0;
  // The line: its first and after its last character, and the white space between.
  let first = -1;
  let end = 0;
  let blanks = 0;
  let pending = 0;
  let isBlank = false;
  let look = lookAtAll;
  let unbroken = 0;
  let sentences = 0;
  let nextSentence = 0;
  let hasWord = false;
  setWord(before, 0, 0);
  while (at < length) {
    const start = at;
    const unit = unitAt(at);
    const flags = flagsAt(unit, at, length);
    const kind = flags & CLASS;
    at++;
    if (kind == SPACE) {
      if (unit == NEWLINE) {
        lineEnds++;
        if (first >= 0) {
          look = look || end - max(unbroken, first) > LONGEST_WORD;
          endLine(first, end, blanks, look, sentences + (hasWord ? 1 : 0), pairs);
        }
        first = -1;
        blanks = 0;
        pending = 0;
        isBlank = false;
        look = lookAtAll;
        unbroken = at;
        sentences = 0;
        hasWord = false;
      } else if ((flags & BLANK) != 0) {
        if (!isBlank) {
          pending++;
          if (first >= 0 && start - max(unbroken, first) > LONGEST_WORD) look = true;
        }
        isBlank = true;
        unbroken = at;
      } else isBlank = false;
      continue;
    }
    if (first < 0) first = start;
    else blanks += pending;
    pending = 0;
    isBlank = false;
    let characters = 1;
    const pair = (flags & HIGH) != 0;
    if (pair) {
      at++;
      pairs = true;
    }
    if (kind == LETTER || kind == DIGIT) {
      let letters = kind == LETTER ? 1 : 0;
      while (at < length) {
        const next = unitAt(at);
        const inside = flagsAt(next, at, length);
        const its = inside & CLASS;
        if (its == LETTER) letters = 1;
        else if (its != DIGIT && its != MARK) break;
        characters++;
        at++;
        if ((inside & HIGH) == 0) continue;
        at++;
        pairs = true;
      }
      words++;
      wordCharacters += characters;
      alphabetic += letters;
      hasWord = true;
      if (at - start <= 4 && unit >= 0x61) stops |= stopWord(start, at);
      if (isRare(start, at)) rare = true;
    } else if (kind == WIDE) {
      words++;
      wordCharacters++;
      alphabetic++;
      hasWord = true;
    } else {
      if (!pair) {
        if ((unit == APOSTROPHE || unit == QUOTE) && isBetweenLetters(start, length)) {
          end = at;
          continue;
        }
        while (at < length && unitAt(at) == unit) {
          characters++;
          at++;
        }
        // Halves of pairs may stand alone: then the pairs have to be counted.
        if ((unit & 0xf800) == 0xd800) pairs = true;
        if (unit == FULL_STOP) add(ELLIPSES, characters / 3);
        else if (unit == HASH) add(HASHES, characters);
        else if (unit == ELLIPSIS) add(ELLIPSES, characters);
        else if (unit == BRACKET) look = true;
        else if (unit == BRACE) rare = true;
      }
      if ((flags & ENDS) != 0 && start >= nextSentence) {
        nextSentence = sentenceEnd(start, length);
        if (ended) {
          sentences++;
          hasWord = false;
        }
      }
    }
    end = at;
    store<u64>(hashes + ((<usize>count) << 3), hashOf(start, at));
    total += characters;
    count++;
    setWord(before, count, total);
  }
  if (first >= 0) {
    look = look || end - max(unbroken, first) > LONGEST_WORD;
    endLine(first, end, blanks, look, sentences + (hasWord ? 1 : 0), pairs);
  }
  put(TOKENS, count);
  put(WORDS, words);
  put(WORD_CHARACTERS, wordCharacters);
  put(ALPHABETIC, alphabetic);
  put(STOP_WORDS, popcnt(stops));
  put(LINE_ENDS, lineEnds);
  put(CHARACTERS, pairs ? charactersIn(0, length) : length);
}

/** Gives equal tokens the number of the first of them. */
function number(count: i32): void {
  const slots = slotsFor(count);
  const mask = slots - 1;
  memory.fill(table, 0, (<usize>slots) << 2);
  for (let token = 0; token < count; token++) {
    const hash = load<u64>(hashes + ((<usize>token) << 3));
    let slot = <i32>hash & mask;
    let other = word(table, slot) - 1;
    while (other >= 0 && load<u64>(hashes + ((<usize>other) << 3)) != hash) {
      slot = (slot + 1) & mask;
      other = word(table, slot) - 1;
    }
    if (other < 0) {
      other = token;
      setWord(table, slot, token + 1);
    }
    setWord(ids, token, other);
  }
}

/** The most frequent run of the last `refine`: how often it stands, and where first. */
let topCount: i32 = 1;
let topPlace: i32 = 0;

/**
 * Classes of the runs of n that begin at the candidates, from the classes of their two runs of n -
 * 1. The class of a run is the place of the first like it. Returns how many candidates are left.
 *
 * A run is first compared with the first run of its old class, without the table: most repeats
 * continue as that one does.
 */
function refine(left: i32, n: i32, count: i32): i32 {
  const slots = slotsFor(left);
  const mask = slots - 1;
  memory.fill(table, 0, (<usize>slots) << 2);
  memory.fill(nextIds, 0xff, (<usize>count) << 2);
  let kept = 0;
  // If none repeats, each stands once, and the first is the most frequent.
  let most = 1;
  let best = 0;
  for (let i = 0; i < left; i++) {
    const at = word(candidates, i);
    if (at + n > count) continue;
    const second = word(ids, at + 1);
    if (second == NONE) continue;
    setWord(candidates, kept++, at);
    const first = word(ids, at);
    let other = first;
    if (first == at) {
      setWord(nextIds, at, at);
      setWord(members, at, 1);
      continue;
    }
    if (word(nextIds, first) != first || word(ids, first + 1) != second) {
      const key = ((<u64>first) << 32) | <u64>(<u32>second);
      let hash = key * FACTOR;
      hash ^= hash >> 32;
      let slot = <i32>hash & mask;
      other = word(table, slot) - 1;
      while (other >= 0 && (word(ids, other) != first || word(ids, other + 1) != second)) {
        slot = (slot + 1) & mask;
        other = word(table, slot) - 1;
      }
      if (other < 0) {
        setWord(table, slot, at + 1);
        setWord(nextIds, at, at);
        setWord(members, at, 1);
        continue;
      }
    }
    setWord(nextIds, at, other);
    const now = word(members, other) + 1;
    setWord(members, other, now);
    if (now >= most) {
      if (now > most || other < best) best = other;
      most = now;
    }
  }
  topCount = most;
  topPlace = best;
  return kept;
}

/** Keeps the candidates whose class has two members, and forgets the class of the others. */
function repeatedOnes(left: i32): i32 {
  let kept = 0;
  for (let i = 0; i < left; i++) {
    const at = word(candidates, i);
    if (word(members, word(ids, at)) >= 2) setWord(candidates, kept++, at);
    else setWord(ids, at, NONE);
  }
  return kept;
}

/** Characters of all places of the most frequent run, with one character between tokens. */
function topCharacters(n: i32, count: i32): i32 {
  if (count < n) return 0;
  return topCount * (word(before, topPlace + n) - word(before, topPlace) + n - 1);
}

/** Characters of runs that stand before already, found from left to right without overlap. */
function repeatedCharacters(left: i32, n: i32): i32 {
  let characters = 0;
  let from = 0;
  for (let i = 0; i < left; i++) {
    const at = word(candidates, i);
    if (at < from) continue;
    const first = <usize>word(nextIds, at);
    if (load<u8>(used + first) == n) {
      characters += word(before, at + n) - word(before, at);
      from = at + n;
    } else store<u8>(used + first, <u8>n);
  }
  return characters;
}

function grams(count: i32): void {
  memory.fill(used, 0, <usize>count);
  for (let i = 0; i < count; i++) setWord(candidates, i, i);
  let left = count;
  for (let n = 2; n <= LONGEST; n++) {
    left = refine(left, n, count);
    put(
      GRAMS + <usize>n - 2,
      n <= LONGEST_TOP ? topCharacters(n, count) : repeatedCharacters(left, n),
    );
    const old = ids;
    ids = nextIds;
    nextIds = old;
    left = repeatedOnes(left);
  }
}

/** Counts the lines that stand above already. */
function equalLines(count: i32): void {
  const mask = slotsFor(count) - 1;
  memory.fill(table, 0, (<usize>mask + 1) << 2);
  for (let line = 0; line < count; line++) {
    const record = lineList + LINE_BYTES * <usize>line;
    const hash = load<u64>(record);
    let slot = <i32>hash & mask;
    let other = word(table, slot) - 1;
    while (other >= 0 && load<u64>(lineList + LINE_BYTES * <usize>other) != hash) {
      slot = (slot + 1) & mask;
      other = word(table, slot) - 1;
    }
    if (other < 0) setWord(table, slot, line + 1);
    else {
      add(DUPLICATES, 1);
      add(DUPLICATE_CHARACTERS, charactersIn(load<i32>(record, 8), load<i32>(record, 12)));
    }
  }
}

/** Counts everything in the first `length` units of the input. */
export function count(length: i32): void {
  memory.fill(input + ((<usize>length) << 1), 0, PADDING);
  rare = false;
  memory.fill(RESULT, 0, RESULTS << 2);
  cut(length, false);
  if (rare) {
    memory.fill(RESULT, 0, RESULTS << 2);
    cut(length, true);
  }
  const tokens = load<i32>(RESULT + (TOKENS << 2));
  number(tokens);
  grams(tokens);
  equalLines(load<i32>(RESULT + (LINES << 2)));
}
