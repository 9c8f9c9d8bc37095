/**
 * Finds and scores the versions of a part: the kernel in WebAssembly (scan-kernel.as.ts), with its
 * memory.
 *
 * Idea      Every list gives bits to the versions that it has. A clause holds for a version that
 *           has all bits of one of its alternatives: the bit that all words of the clause share, or
 *           one bit for each word of a phrase.
 *           Lists stay in the memory of the kernel, with what is known of their blocks: words that
 *           are asked for again cost no copy.
 * Requires  One query at a time: `start` to the last `scan` without waiting for another query.
 * Cost      13 bytes of memory a version, the lists of the query, and lists of earlier ones up to
 *           `MOST_HELD`.
 */
import type { Bytes } from '../../base/units.ts';
import { type KernelMemory, WebAssembly } from '../../base/web-assembly.ts';
import { FIELD, hasPositions, isAnchor } from '../store/formats.ts';
import { damagedIndex } from '../store/index-file.ts';
import type { ListBytes, Part } from '../store/part.ts';
import type { Weights } from './plan.ts';
import { SCAN_KERNEL_WASM } from './scan-kernel-wasm.ts';
import type { Selection } from './times.ts';

interface Exports {
  readonly memory: KernelMemory<ArrayBuffer>;
  readonly RESULT_VERSIONS: { readonly value: number };
  readonly RESULT_SCORES: { readonly value: number };
  readonly decodedBlocks: { readonly value: number };
  open(versions: number, block: number): number;
  validAt(): number;
  start(lists: number, maskWords: number, clauseNumbers: number): void;
  heldBytes(): number;
  release(): void;
  takeHeld(bytes: number): number;
  hold(at: number, bytes: number, count: number, field: number, hasPositions: number): number;
  addList(held: number): number;
  countValid(list: number): number;
  setMeans(k1: number, b: number, body: number, title: number, anchors: number): void;
  setScore(list: number, factor: number): void;
  setDriving(list: number): void;
  setBits(list: number, bits: number): void;
  addMasks(list: number, pairs: number): number;
  clausesAt(): number;
  setClauses(numbers: number): void;
  excludedAt(): number;
  scan(least: number): number;
}

/** Which bits a version must have, and must not have. */
export interface Conditions {
  /** How many bits there are. */
  readonly bits: number;
  /** The bits of each term. */
  readonly bitsOf: ReadonlyMap<string, readonly number[]>;
  /** All bits of one alternative of each clause. */
  readonly clauses: readonly (readonly (readonly number[])[])[];
  readonly excluded: readonly number[];
  /** The terms of the clause with the fewest postings: a version that matches has one of them. */
  readonly driving: ReadonlySet<string>;
}

/** Bytes behind a list that the kernel may read. */
const PADDING = 64;
/** Lists are held up to this size together; then all are forgotten. */
const MOST_HELD: Bytes = 32 * 2 ** 20;

const module = new WebAssembly.Module(SCAN_KERNEL_WASM);

export class Scanner {
  readonly #kernel = new WebAssembly.Instance(module, {}).exports as Exports;
  readonly #path: string;
  readonly #withPositions: boolean;
  readonly #firstVersion: number;
  readonly #firstScore: number;
  /** Where lists are held, by term. */
  readonly #held = new Map<string, number>();
  #valid: Uint8Array | undefined;
  #bytes: Uint8Array;
  #numbers: Uint32Array;
  #scores = new Float64Array(0);

  /** `anchorWords`: the words of the anchors of each version. */
  constructor(part: Part, anchorWords: Uint32Array) {
    const { words, titleWords, count } = part.versions;
    const { block, positions } = part.settings;
    this.#path = part.path;
    this.#withPositions = positions;
    this.#firstVersion = this.#kernel.RESULT_VERSIONS.value / 4;
    this.#firstScore = this.#kernel.RESULT_SCORES.value / 8;
    const place = this.#kernel.open(count, block);
    this.#bytes = new Uint8Array(0);
    this.#numbers = new Uint32Array(0);
    this.#refresh();
    this.#numbers.set(words, place / 4);
    this.#numbers.set(titleWords, place / 4 + count);
    this.#numbers.set(anchorWords, place / 4 + 2 * count);
  }

  /** Blocks decoded since `start`. */
  get decoded(): number {
    return this.#kernel.decodedBlocks.value;
  }

  /** Begins a query with its lists, which get numbers in their order. */
  start(lists: readonly ListBytes[], conditions: Conditions, valid: Uint8Array): void {
    const kernel = this.#kernel;
    const words = Math.max(1, Math.ceil(conditions.bits / 32));
    const numbers = clauseNumbers(conditions, words);
    if (kernel.heldBytes() > MOST_HELD) {
      kernel.release();
      this.#held.clear();
    }
    const places = lists.map((list) => this.#held.get(list.entry.term) ?? this.#hold(list));
    kernel.start(lists.length, words, numbers.length);
    for (let i = 0; i < lists.length; i++) {
      const { term } = lists[i].entry;
      const list = kernel.addList(places[i]);
      if (conditions.driving.has(term)) kernel.setDriving(list);
      this.#mark(list, conditions.bitsOf.get(term) ?? [], words);
    }
    this.#refresh();
    this.#numbers.set(numbers, kernel.clausesAt() / 4);
    kernel.setClauses(numbers.length);
    if (conditions.excluded.length > 0)
      this.#numbers.set(maskOf(conditions.excluded, words), kernel.excludedAt() / 4);
    if (this.#valid !== valid) this.#bytes.set(valid, kernel.validAt());
    this.#valid = valid;
  }

  /** Copies a list into the kernel; returns where it is. */
  #hold({ entry, bytes }: ListBytes): number {
    const { term, count } = entry;
    const kernel = this.#kernel;
    const place = kernel.takeHeld(bytes.length + PADDING);
    this.#refresh();
    this.#bytes.set(bytes, place);
    const withPositions = this.#withPositions && hasPositions(term[0]) ? 1 : 0;
    const held = kernel.hold(place, bytes.length, count, fieldOf(term), withPositions);
    if (held === 0)
      throw damagedIndex(this.#path, `is damaged: the postings of "${term}" are not whole`);
    this.#held.set(term, held);
    return held;
  }

  countValid(list: number): number {
    return this.#kernel.countValid(list);
  }

  /** The weights, and the mean words of texts, titles and anchors. */
  setMeans({ k1, b }: Weights, means: Selection): void {
    const { meanWords, meanTitleWords, meanAnchorWords } = means;
    this.#kernel.setMeans(k1, b, meanWords, meanTitleWords, meanAnchorWords);
  }

  setScore(list: number, factor: number): void {
    this.#kernel.setScore(list, factor);
  }

  /**
   * Finds some of the next versions that match, in any order, except those that have less than
   * `least`; returns how many, or -1 after the last. `version` and `score` give them until the next
   * call.
   */
  scan(least: number): number {
    const count = this.#kernel.scan(least);
    this.#refresh();
    return count;
  }

  version(result: number): number {
    return this.#numbers[this.#firstVersion + result];
  }

  score(result: number): number {
    return this.#scores[this.#firstScore + result];
  }

  /** `words`: numbers of a mask. */
  #mark(list: number, bits: readonly number[], words: number): void {
    let only = 0;
    for (const bit of bits) if (bit < 32) only |= 1 << bit;
    if (words === 1) {
      this.#kernel.setBits(list, only);
      return;
    }
    const masks = new Map<number, number>();
    for (const bit of bits) masks.set(bit >> 5, (masks.get(bit >> 5) ?? 0) | (1 << (bit & 31)));
    let at = this.#kernel.addMasks(list, masks.size) / 4;
    this.#refresh();
    for (const [word, mask] of masks) {
      this.#numbers[at++] = word;
      this.#numbers[at++] = mask;
    }
  }

  #refresh(): void {
    const { buffer } = this.#kernel.memory;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#numbers = new Uint32Array(buffer);
    this.#scores = new Float64Array(buffer);
  }
}

/** 0 for texts, 1 for titles, 2 for anchors, 3 without lengths. */
function fieldOf(term: string): number {
  const field = term[0];
  if (field === FIELD.body || field === FIELD.bodyVariant) return 0;
  if (field === FIELD.title || field === FIELD.titleVariant) return 1;
  return isAnchor(field) ? 2 : 3;
}

function maskOf(bits: readonly number[], words: number): Uint32Array {
  const mask = new Uint32Array(words);
  for (const bit of bits) mask[bit >> 5] |= 1 << (bit & 31);
  return mask;
}

/** For each clause how many alternatives it has, then their masks. */
function clauseNumbers({ clauses }: Conditions, words: number): number[] {
  const numbers: number[] = [];
  for (const alternatives of clauses) {
    numbers.push(alternatives.length);
    for (const bits of alternatives) numbers.push(...maskOf(bits, words));
  }
  return numbers;
}
