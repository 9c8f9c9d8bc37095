/**
 * Pairs of 64-bit hashes, numbered in the order in which they are first seen: a table with open
 * addressing.
 *
 * Idea      A map of strings would take four times the memory, and leave garbage at each look-up.
 * Requires  Hashes: their low bits are the place in the table.
 * Cost      24 bytes a pair, twice as many while a full table grows.
 */
import type { Bytes } from '../../base/units.ts';
import { orderOf } from './digit-sort.ts';

/** Pairs that there is room for at first; twice as many when they are full. */
const FIRST = 1024;
/** The two hashes, each low and high. */
const NUMBERS = 4;
/** Where these are, by their weight. */
const BY_WEIGHT = [1, 0, 3, 2];
/** Memory of a pair: numbers, and two slots; tables are half empty at times. */
const PER_PAIR: Bytes = 36;

export class KeyTable {
  /** How many there are. */
  count = 0;
  #numbers = new Uint32Array(NUMBERS * FIRST);
  /** Pairs by hash, from 1 on; 0 is free. */
  #slots = new Uint32Array(2 * FIRST);
  readonly #pair = new BigUint64Array(2);
  readonly #words = new Uint32Array(this.#pair.buffer);

  get bytes(): Bytes {
    return PER_PAIR * this.count;
  }

  /** The number of a pair; it is new if `count` was the same before. */
  numberOf(first: bigint, second: bigint): number {
    this.#pair[0] = first;
    this.#pair[1] = second;
    const words = this.#words;
    return this.numberOfWords(words[0], words[1], words[2], words[3]);
  }

  /** As `numberOf`: the words of both, low and high. */
  numberOfWords(a: number, b: number, c: number, d: number): number {
    if (2 * this.count === this.#slots.length) this.#grow();
    const numbers = this.#numbers;
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = (a ^ c) & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot];
      if (found === 0) {
        slots[slot] = this.count + 1;
        const at = NUMBERS * this.count;
        numbers[at] = a;
        numbers[at + 1] = b;
        numbers[at + 2] = c;
        numbers[at + 3] = d;
        return this.count++;
      }
      const at = NUMBERS * (found - 1);
      if (
        numbers[at] === a &&
        numbers[at + 1] === b &&
        numbers[at + 2] === c &&
        numbers[at + 3] === d
      )
        return found - 1;
    }
  }

  /** A word of a pair: 0 to 3. */
  wordOf(number: number, word: number): number {
    return this.#numbers[NUMBERS * number + word];
  }

  /** The numbers of all pairs in the order of the pairs. */
  inOrder(): Uint32Array {
    return orderOf(this.#numbers, NUMBERS, this.count, BY_WEIGHT);
  }

  clear(): void {
    this.count = 0;
    this.#numbers = new Uint32Array(NUMBERS * FIRST);
    this.#slots = new Uint32Array(2 * FIRST);
  }

  #grow(): void {
    const numbers = new Uint32Array(2 * this.#numbers.length);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let slot = (numbers[NUMBERS * number] ^ numbers[NUMBERS * number + 2]) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}
