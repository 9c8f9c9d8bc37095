/**
 * Text by the kilobyte, with a language and a topic, cheap enough to be made again for every
 * request.
 *
 * Idea      For each (language, topic, era) one long tape of sentences is written once; a paragraph
 *           is a stretch of it between two sentence ends, and a page a few stretches of some
 *           paragraphs each. Word frequencies fall with rank, so that term statistics look like
 *           those of text; two pages of a topic share about a tenth of their stretches.
 * Ensures   all strings are byte strings: character codes 0-255 are the bytes of the page (UTF-8,
 *           or the language's legacy encoding), so that length is size and writing needs no
 *           encoder.
 * Cost      a paragraph costs about 0.1 µs once its tape is there; a tape is 160 KB and takes 3 ms.
 *           At most `POOLS` are kept. On a web that deceives a pool has a tape of 64 KB more for
 *           each style in use (styles.ts).
 */
import { onceAsked } from '../../base/once-asked.ts';
import { searchedWords, tradeWords } from './queries.ts';
import { hash, Random, TAG } from './random.ts';
import { STYLES, type Stock, type Style, sentencesOf } from './styles.ts';
import { inventWord, LANGUAGES, type Language, slugOf, TOPICS, topicWords } from './vocabulary.ts';

const TAPE = 160 * 1024;
/** Tapes in other styles than plain. */
const STYLE_TAPE = 64 * 1024;
const PARAGRAPHS_IN_A_ROW = 5;
const PHRASES = 256;
const WINDOW = 32;
/**
 * More than a web of some steps uses; with fewer than are in use, nearly every page would record
 * its tape again.
 */
const POOLS = 2000;
/**
 * Terms drift: after this many steps, and whenever the web's age has doubled since, a topic's
 * favourite words change places.
 */
const FIRST_ERA = 6;

interface Tape {
  readonly text: string;
  /** Where its sentences begin, and where the last one ends. */
  readonly stops: Int32Array;
}

export interface Pool {
  /** Recorded at the first call: paths and links do not need it. */
  readonly tape: (style?: Style) => Tape;
  /** What people search for in this language, the most searched first. */
  readonly searched: readonly string[];
  /** Two words each, for titles and anchors. */
  readonly phrases: readonly string[];
  readonly anchorEnds: readonly string[];
  /** The bytes of a word in the pool's encoding. */
  readonly encode: (word: string) => string;
  /** ASCII words for paths: of the topic, and common ones. */
  readonly slugs: readonly string[];
  /** The beginnings of paths, by style (paths.ts); and the same after `<a href="`. */
  readonly pathLines: readonly (readonly string[])[];
  readonly openers: readonly (readonly string[])[];
}

export class Texts {
  /** The texts asked for last, plain and styled. */
  static readonly #last: Texts[] = [];
  readonly #seed: number;
  readonly #styled: boolean;
  readonly #pools = new Map<number, Pool>();

  private constructor(seed: number, styled: boolean) {
    this.#seed = seed;
    this.#styled = styled;
  }

  /**
   * Webs of the same seed share their texts: a process that makes one web after the other records
   * each tape once. With `styled`, prose has turns of phrase and there are other styles
   * (styles.ts).
   */
  static of(seed: number, styled = false): Texts {
    const kind = styled ? 1 : 0;
    const last = Texts.#last[kind];
    if (last !== undefined && last.#seed === seed) return last;
    Texts.#last[kind] = new Texts(seed, styled);
    return Texts.#last[kind];
  }

  /**
   * The pool of a language and topic as they were written at `step`, in UTF-8 or in the legacy
   * encoding.
   */
  pool(language: number, topic: number, step: number, legacy = false): Pool {
    const era = eraOf(step);
    const key =
      ((era * LANGUAGES.length + language) * TOPICS.length + topic) * 2 + (legacy ? 1 : 0);
    const known = this.#pools.get(key);
    if (known) return known;
    if (this.#pools.size >= POOLS) this.#pools.delete(this.#pools.keys().next().value as number);
    const made = makePool(this.#seed, language, topic, era, legacy, this.#styled);
    this.#pools.set(key, made);
    return made;
  }
}

/**
 * 0 before `FIRST_ERA`, then one more with every doubling, so that an old web has few eras and
 * therefore few tapes.
 */
function eraOf(step: number): number {
  let era = 0;
  for (let begin = FIRST_ERA; begin <= step; begin *= 2) era++;
  return era;
}

/**
 * Reads paragraphs from a tape: a few in a row, then from elsewhere. Sequential reads are faster
 * than the same amount in pieces, and the tapes together are larger than the processor's cache.
 */
export class Reader {
  readonly #tape: Tape;
  readonly #random: Random;
  #at = 0;
  #left = 0;

  constructor(pool: Pool, random: Random, style: Style = 'plain') {
    this.#tape = pool.tape(style);
    this.#random = random;
  }

  /** About `bytes` of running text: whole sentences, at least one. */
  read(bytes: number): string {
    const { text, stops } = this.#tape;
    const wanted = Math.round((bytes * stops.length) / text.length);
    const span = Math.min(Math.max(1, wanted), stops.length >> 1);
    if (this.#left-- <= 0 || this.#at + span >= stops.length) {
      this.#at = this.#random.below(stops.length - span);
      this.#left = PARAGRAPHS_IN_A_ROW - 1;
    }
    const from = this.#at;
    this.#at += span;
    return text.slice(stops[from], stops[from + span]);
  }
}

/**
 * The beginning of a path, up to the page's number: one of the few lines of its topic that a domain
 * uses, which therefore stay in the processor's cache. With `opened`, the start of a link's markup
 * comes before it, in one piece.
 */
export function pathLineOf(
  pool: Pool,
  style: number,
  domain: number,
  draw: number,
  opened: boolean,
): string {
  const lines = opened ? pool.openers[style] : pool.pathLines[style];
  return lines[(domain * WINDOW + (draw & (WINDOW - 1))) & (PHRASES - 1)];
}

export function phraseOf(pool: Pool, random: Random): string {
  return pool.phrases[random.next() & (PHRASES - 1)];
}

/**
 * The end of a link's markup, `">words</a>` in one piece; a page uses only a few of them, as with
 * `pathLineOf`.
 */
export function anchorEnd(pool: Pool, page: number, random: Random): string {
  return pool.anchorEnds[(page * WINDOW + (random.next() & (WINDOW - 1))) & (PHRASES - 1)];
}

function makePool(
  seed: number,
  languageNumber: number,
  topic: number,
  era: number,
  legacy: boolean,
  styled: boolean,
): Pool {
  const language = LANGUAGES[languageNumber];
  const random = new Random(hash(seed, TAG.clauses, languageNumber, topic), era, legacy ? 1 : 0, 7);
  const bytes = encoder(language, legacy);
  const ofTopic = drifted(topicWords(language, topic), seed, topic, era);
  const [small, common, typical] = [language.small, language.common, ofTopic].map((list) =>
    list.map(bytes),
  );
  const nameTag = hash(seed, TAG.vocabulary, topic, era);
  const named = (): string => bytes(inventWord(language, random.below(3000), nameTag));
  const word = wordFrom({ small, common, typical, name: named }, random);
  const clause = (): string => inRow(5 + random.below(6), ' ', word);
  const terms = [...typical, ...common];
  const slugs = slugsOf(language, topic, ofTopic);
  const pathLines = PATH_STYLES.map((pathOf) => made(PHRASES, () => pathOf(slugs, random)));
  const phrases = made(
    PHRASES,
    () => `${zipf(typical, random)} ${terms[random.below(terms.length)]}`,
  );
  // Last, since no draw comes after it.
  const plain = onceAsked(() =>
    recordTape(TAPE, () => `${capital(clause(), language)}, ${clause()}. `),
  );
  const searched = styled ? searchedIn(language).map(bytes) : [];
  const styledTape = (style: Style, number: number): Tape => {
    const draws = new Random(hash(seed, TAG.clauses, languageNumber, topic), era, number, 11);
    const name = (): string => bytes(inventWord(language, draws.below(3000), nameTag));
    const stock: Stock = {
      common,
      typical,
      searched,
      trade: tradeWords(language).map(bytes),
      name,
      word: wordFrom({ small, common, typical, name }, draws),
      capital: (text) => capital(text, language),
      random: draws,
    };
    return recordTape(style === 'plain' ? TAPE : STYLE_TAPE, sentencesOf(style, stock));
  };
  return {
    tape: styled ? perStyle(styledTape) : plain,
    searched,
    phrases,
    anchorEnds: phrases.map((phrase) => flat(`">${phrase}</a>\n`)),
    encode: bytes,
    slugs,
    pathLines,
    openers: pathLines.map((lines) => lines.map((line) => flat(`<a href="${line}`))),
  };
}

interface Sources extends Pick<Stock, 'common' | 'typical' | 'name'> {
  readonly small: readonly string[];
}

/** Words as often as prose has them. */
function wordFrom({ small, common, typical, name }: Sources, random: Random): () => string {
  return () => {
    const kind = random.below(100);
    if (kind < 46) return zipf(small, random);
    if (kind < 68) return zipf(common, random);
    return kind < 94 ? zipf(typical, random) : name();
  };
}

const SEARCHED = new Map<Language, readonly string[]>();

function searchedIn(language: Language): readonly string[] {
  let words = SEARCHED.get(language);
  if (!words) {
    words = searchedWords(language).map(({ word }) => word);
    SEARCHED.set(language, words);
  }
  return words;
}

function perStyle(record: (style: Style, number: number) => Tape): (style?: Style) => Tape {
  const tapes = new Map<Style, Tape>();
  return (style = 'plain') => {
    let tape = tapes.get(style);
    if (!tape) {
      tape = record(style, 1 + STYLES.indexOf(style));
      tapes.set(style, tape);
    }
    return tape;
  };
}

function recordTape(size: number, sentence: () => string): Tape {
  const tape = Buffer.alloc(size);
  const stops = [0];
  let end = 0;
  for (let next = sentence(); end + next.length <= size; next = sentence()) {
    end += tape.write(next, end, 'latin1');
    stops.push(end);
  }
  return { text: tape.toString('latin1', 0, end), stops: Int32Array.from(stops) };
}

const wordsOf = (slugs: readonly string[], random: Random): string =>
  inRow(6, '-', () => slugs[random.below(slugs.length)]);
const wordOf = (slugs: readonly string[], random: Random): string =>
  slugs[random.below(slugs.length)];

/** How paths begin in each style; the number follows, see paths.ts. */
const PATH_STYLES: readonly ((slugs: readonly string[], random: Random) => string)[] = [
  (slugs, random) => `/${wordOf(slugs, random)}/${wordsOf(slugs, random)}-`,
  (slugs, random) =>
    `/${wordOf(slugs, random)}/${1996 + random.below(30)}/${wordsOf(slugs, random)}/`,
  (slugs, random) => `/${wordOf(slugs, random)}.php?title=${wordsOf(slugs, random)}`,
  (slugs, random) => `/${wordOf(slugs, random)}/${wordsOf(slugs, random)}_`,
];

/** Words for paths; a language that has none in a-z borrows the English ones. */
function slugsOf(language: Language, topic: number, ofTopic: readonly string[]): string[] {
  const own = [...ofTopic, ...language.common].map(slugOf).filter((word) => word !== undefined);
  return own.length > 20 ? own : [...TOPICS[topic].words, ...LANGUAGES[0].common];
}

function inRow(count: number, between: string, word: () => string): string {
  let row = word();
  for (let i = 1; i < count; i++) row += between + word();
  return row;
}

function made(count: number, make: () => string): string[] {
  return Array.from({ length: count }, () => flat(make()));
}

/**
 * Copies a string built from pieces into one piece, so that joining it to others later is one copy.
 */
export function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/**
 * The same words in another order of preference: neighbours change places, more of them with every
 * era.
 */
function drifted(list: readonly string[], seed: number, topic: number, era: number): string[] {
  const order = [...list];
  for (let e = 1; e <= era; e++) {
    for (let swap = 0; swap < 4; swap++) {
      const at = hash(seed, TAG.drift, topic, e, swap) % order.length;
      const to = hash(seed, TAG.drift, topic, e, swap + 100) % order.length;
      [order[at], order[to]] = [order[to], order[at]];
    }
  }
  return order;
}

/**
 * Draws the first words most often: a cubed uniform number falls on rank r with a density near
 * r^(-2/3).
 */
function zipf(list: readonly string[], random: Random): string {
  const u = random.unit();
  return list[Math.floor(u * u * u * list.length)];
}

function encoder(language: Language, legacy: boolean): (word: string) => string {
  if (!legacy) return (word) => Buffer.from(word, 'utf8').toString('latin1');
  if (language.legacy === 'windows-1252') return (word) => word;
  return (word) =>
    String.fromCharCode(...Array.from(word, (char) => cyrillicByte(char.charCodeAt(0))));
}

/** Windows-1251 has а-я in order; ё is elsewhere. */
function cyrillicByte(code: number): number {
  if (code === 0x451) return 0xb8;
  if (code >= 0x430 && code <= 0x44f) return code - 0x430 + 0xe0;
  return code;
}

/** Capitalises ASCII letters only: a byte string has no other letters. */
function capital(text: string, language: Language): string {
  return language.legacy === 'windows-1251' ? text : text[0].toUpperCase() + text.slice(1);
}
