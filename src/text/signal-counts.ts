/**
 * What is counted in a text for its signals: the kernel in WebAssembly (signals.as.ts), with its
 * memory and its tables.
 *
 * Requires  one text at a time: the counts are valid until the next call.
 * Cost      about 5 ns a character. The memory of a very long text is given back.
 */
import { type KernelMemory, WebAssembly } from '../base/web-assembly.ts';
import { SIGNALS_WASM } from './signals-wasm.ts';
import { CLASS, classes, classOfPair } from './words.ts';

/** Places of the counts in `counts`. */
export const COUNT = {
  tokens: 0,
  words: 1,
  wordCharacters: 2,
  alphabetic: 3,
  stopWords: 4,
  characters: 5,
  hashes: 6,
  ellipses: 7,
  lineEnds: 8,
  lines: 9,
  bullets: 10,
  ellipsisLines: 11,
  terminal: 12,
  short: 13,
  sentences: 14,
  keptLines: 15,
  keptSentences: 16,
  listed: 17,
  duplicateLines: 18,
  duplicateCharacters: 19,
  /** Characters in the most frequent run of 2, 3 and 4 tokens, and in repeated runs of 5 to 10. */
  grams: 20,
} as const;
const COUNTS = 29;

/** A line that C4's rules have to look at: from `start` to `end` of the text. */
export interface ListedLine {
  readonly start: number;
  readonly end: number;
  readonly sentences: number;
}

interface TextCounts {
  readonly counts: Int32Array;
  readonly listed: readonly ListedLine[];
}

interface Exports {
  readonly memory: KernelMemory<ArrayBuffer>;
  readonly FLAGS: { readonly value: number };
  readonly RESULT: { readonly value: number };
  readonly LINE_WORDS: { readonly value: number };
  reserve(units: number): number;
  lines(): number;
  count(units: number): void;
}

/** After a text of more units the kernel is made anew, so that its memory does not stay. */
const KEPT_UNITS = 2 ** 19;

const TERMINAL = /\p{Sentence_Terminal}/u;
const CLOSING = `"'”’»)]」』）`;
const EAST_ASIAN = '。！？｡';

/** The bits of a unit, as in signals.as.ts. */
const ENDS = 8;
const CLOSES = 16;
const ENDS_ALONE = 32;
const BLANK = 64;
const HIGH = 128;

const module = new WebAssembly.Module(SIGNALS_WASM);
let flags: Uint8Array | undefined;
const pairs = new Map<number, number>();

function flagsOfUnits(): Uint8Array {
  flags ??= classes().map((kind, unit) => {
    if (unit >= 0xd800 && unit < 0xe000) return kind | (unit < 0xdc00 ? HIGH : 0);
    const character = String.fromCharCode(unit);
    let bits = kind;
    if (kind === CLASS.space && /\s/.test(character)) bits |= BLANK;
    // Only symbols end sentences or close quotations.
    if (kind !== CLASS.symbol) return bits;
    if (EAST_ASIAN.includes(character)) bits |= ENDS | ENDS_ALONE;
    else if (TERMINAL.test(character)) bits |= ENDS;
    if (CLOSING.includes(character)) bits |= CLOSES;
    return bits;
  });
  return flags;
}

/** The bits of a pair of surrogates; those that were asked for are remembered. */
function pairFlags(high: number, low: number): number {
  const key = (high << 16) | low;
  const known = pairs.get(key);
  if (known !== undefined) return known;
  const ends = TERMINAL.test(String.fromCharCode(high, low));
  const bits = classOfPair(high, low) | (ends ? ENDS : 0);
  if (pairs.size >= MOST_PAIRS) pairs.clear();
  pairs.set(key, bits);
  return bits;
}

const MOST_PAIRS = 4096;

class Counter {
  readonly #exports: Exports;
  #bytes: Buffer;

  constructor() {
    const instance = new WebAssembly.Instance(module, { host: { pairFlags } });
    this.#exports = instance.exports as Exports;
    this.#bytes = Buffer.from(this.#exports.memory.buffer);
    this.#bytes.set(flagsOfUnits(), this.#exports.FLAGS.value);
  }

  count(text: string): TextCounts {
    const { memory, RESULT, LINE_WORDS, reserve, lines, count } = this.#exports;
    const place = reserve(text.length);
    if (place === 0) throw new RangeError('no memory for the signals of a text');
    if (this.#bytes.buffer !== memory.buffer) this.#bytes = Buffer.from(memory.buffer);
    this.#bytes.write(text, place, 'utf16le');
    count(text.length);
    const counts = new Int32Array(memory.buffer, RESULT.value, COUNTS);
    const listed: ListedLine[] = [];
    if (counts[COUNT.listed] > 0) {
      const width = LINE_WORDS.value;
      const records = new Int32Array(memory.buffer, lines(), width * counts[COUNT.lines]);
      for (let at = 0; at < records.length; at += width) {
        const [start, end, sentences, isListed] = records.subarray(at + 2, at + 6);
        if (isListed === 1) listed.push({ start, end, sentences });
      }
    }
    return { counts: counts.slice(), listed };
  }
}

let shared: Counter | undefined;

/** The counts of a text, and the lines that C4's rules have to look at. */
export function countsOf(text: string): TextCounts {
  shared ??= new Counter();
  const found = shared.count(text);
  if (text.length > KEPT_UNITS) shared = undefined;
  return found;
}
