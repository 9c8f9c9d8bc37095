/**
 * The 64-bit keys of edges between domains, many at once.
 *
 *             63        54 53                                                   0
 *             ┌───────────┬─────────────────────────────────────────────────────┐
 *             │ partition │ the 54 highest bits of xxh64(target, source)         │
 *             └───────────┴─────────────────────────────────────────────────────┘
 *               the 10 highest bits of the target: every stored key has them
 *
 * Ensures   two edges of one partition share a key with probability 2^-54. A billion edges in 1,024
 *           partitions all have different keys with probability 0.97; if two share one, the second
 *           is not counted.
 * Cost      about 30 ns a pair: hashed in the memory of the DRUM kernel, without a BigInt.
 */
import { Kernel, SLACK } from '../../drum/kernel.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import { PARTITION_BITS } from '../../url/fingerprint.ts';
import { PAIR_BYTES, PAIR_WORDS } from './fresh-pairs.ts';

const ROOM = 4096;
const REST = 32 - PARTITION_BITS;
const PARTITION_MASK = (2 ** PARTITION_BITS - 1) << REST;

export class PairKeys {
  readonly #kernel = new Kernel(ROOM * (PAIR_BYTES + 4 + 8) + SLACK + 64);
  readonly #bytes = this.#kernel.allocate(ROOM * PAIR_BYTES + SLACK);
  readonly #ends = this.#kernel.allocate(ROOM * 4);
  readonly #keys = this.#kernel.allocate(ROOM * 8);
  readonly #pairs = this.#kernel.u32(this.#bytes, ROOM * PAIR_WORDS);
  readonly #keyWords = this.#kernel.u32(this.#keys, ROOM * 2);

  constructor() {
    const ends = this.#kernel.u32(this.#ends, ROOM);
    for (let i = 0; i < ROOM; i++) ends[i] = (i + 1) * PAIR_BYTES;
  }

  /** The pairs (target, source: a u64 each) as batches for a DRUM; each is valid until the next. */
  *batches(pairs: Uint32Array): Generator<KeyedBatch> {
    for (let at = 0; at < pairs.length; at += ROOM * PAIR_WORDS) {
      const some = pairs.subarray(at, at + ROOM * PAIR_WORDS);
      const length = some.length / PAIR_WORDS;
      this.#pairs.set(some);
      this.#kernel.run.hashAll(this.#bytes, this.#ends, length, this.#keys, 0);
      this.#putPartitions(length);
      yield {
        length,
        keys: this.#kernel.u64(this.#keys, length),
        ends: this.#kernel.u32(this.#ends, length),
        bytes: this.#kernel.view(this.#bytes, length * PAIR_BYTES),
      };
    }
  }

  #putPartitions(length: number): void {
    const keys = this.#keyWords;
    const pairs = this.#pairs;
    for (let i = 0; i < length; i++) {
      const low = keys[2 * i];
      const high = keys[2 * i + 1];
      keys[2 * i] = (low >>> PARTITION_BITS) | (high << REST);
      keys[2 * i + 1] = (high >>> PARTITION_BITS) | (pairs[PAIR_WORDS * i + 1] & PARTITION_MASK);
    }
  }
}
