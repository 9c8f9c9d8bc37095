/**
 * The sieve as a set in memory. The other sieves are tested against it, and a small crawl may use
 * it; it is lost when the process ends.
 *
 * Ensures   the order of first offers.
 * Costs     memory that grows with the distinct keys, about 50 bytes each, and ends at 16 million
 *           (the limit of a Set).
 */

import type { KeyedBatch } from '../drum/keyed-batch.ts';
import { BatchBuilder } from '../drum/keyed-batch.ts';
import type { Sieve } from './sieve.ts';

/** Answers are handed out in batches of about this many bytes. */
const TAKE_BYTES = 256 * 1024;

export class MemorySieve implements Sieve {
  readonly #seen = new Set<bigint>();
  readonly #capacity: number;
  readonly #offered = new BatchBuilder();
  #decided: BatchBuilder[] = [];

  /** `capacity`: how many offers are collected before the sieve decides by itself. */
  constructor(capacity = 65_536) {
    this.#capacity = capacity;
  }

  get pending(): number {
    return this.#offered.length;
  }

  get size(): number {
    return this.#seen.size;
  }

  async offer(batch: KeyedBatch): Promise<void> {
    this.#offered.addAll(batch);
    if (this.#offered.length >= this.#capacity) this.#decide();
  }

  async flush(): Promise<void> {
    this.#decide();
  }

  async take(): Promise<KeyedBatch | undefined> {
    return this.#decided.shift();
  }

  async close(): Promise<void> {
    this.#seen.clear();
    this.#offered.clear();
    this.#decided = [];
  }

  #decide(): void {
    const { length, keys, ends, bytes } = this.#offered;
    let out = this.#decided.at(-1);
    for (let i = 0; i < length; i++) {
      const key = keys[i];
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      if (out === undefined || out.byteLength >= TAKE_BYTES) {
        out = new BatchBuilder();
        this.#decided.push(out);
      }
      out.addRange(key, bytes, i === 0 ? 0 : ends[i - 1], ends[i]);
    }
    this.#offered.clear();
  }
}
