/**
 * Tuples for a DRUM with values, packed: an operation, a key, a value if it updates, and auxiliary
 * bytes that come back with the answer if it checks.
 *
 * A tuple is stored as one byte (1 checks, 2 updates, 3 both), the value's length as a varint, the
 * value, and the auxiliary bytes up to its end.
 */

import { varintSize, writeVarint } from '../base/varint.ts';
import { BatchBuilder } from './keyed-batch.ts';

export const CHECK = 1;
export const UPDATE = 2;
const NONE = new Uint8Array(0);

export class DrumBatch {
  readonly tuples = new BatchBuilder();
  /** Bytes of the longest value, which a DRUM compares with what it can hold. */
  longestValue = 0;
  shortestValue = Number.POSITIVE_INFINITY;
  /** Bytes of the longest tuple, which a DRUM compares with what it can hold. */
  longestTuple = 0;
  #scratch = new Uint8Array(256);

  get length(): number {
    return this.tuples.length;
  }

  /** Asks whether the key is known, and with which value. */
  check(key: bigint, aux: Uint8Array = NONE): void {
    this.#add(CHECK, key, NONE, aux);
  }

  /** Sets the value of the key, or combines it with the one it has. There is no answer. */
  update(key: bigint, value: Uint8Array): void {
    this.#measure(value);
    this.#add(UPDATE, key, value, NONE);
  }

  /** Both at once: the answer is the value before the update. */
  checkUpdate(key: bigint, value: Uint8Array, aux: Uint8Array = NONE): void {
    this.#measure(value);
    this.#add(CHECK | UPDATE, key, value, aux);
  }

  clear(): void {
    this.tuples.clear();
    this.longestValue = 0;
    this.shortestValue = Number.POSITIVE_INFINITY;
    this.longestTuple = 0;
  }

  #measure(value: Uint8Array): void {
    this.longestValue = Math.max(this.longestValue, value.length);
    this.shortestValue = Math.min(this.shortestValue, value.length);
  }

  #add(operation: number, key: bigint, value: Uint8Array, aux: Uint8Array): void {
    const bytes = 1 + varintSize(value.length) + value.length + aux.length;
    if (bytes > this.#scratch.length) this.#scratch = new Uint8Array(bytes * 2);
    this.#scratch[0] = operation;
    const at = writeVarint(this.#scratch, 1, value.length);
    this.#scratch.set(value, at);
    this.#scratch.set(aux, at + value.length);
    this.tuples.addRange(key, this.#scratch, 0, bytes);
    this.longestTuple = Math.max(this.longestTuple, bytes);
  }
}
