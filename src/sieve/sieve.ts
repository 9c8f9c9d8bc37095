/**
 * The sieve lets each key through once in its whole life: the URLs that a crawl discovers go in,
 * with repeats, and come out once.
 *
 * Ensures   without a crash, every offered key comes out of `take` exactly once, with the auxiliary
 *           bytes of its first offer; nothing else comes out.
 * Requires  one caller at a time: no method is called before the promise of the last has settled.
 * Flow      `offer` only collects. Answers exist after a merge. The sieve merges when it is full,
 *           or when a consumer without work calls `flush`.
 *
 * There is no promise per key: batches go in and batches come out.
 */
import type { KeyedBatch } from '../drum/keyed-batch.ts';
export interface Sieve {
  /** Copies the batch; waits when room must be made first. The caller may then reuse the batch. */
  offer(batch: KeyedBatch): Promise<void>;
  /** Decides everything offered so far, so that `take` will hand it out. */
  flush(): Promise<void>;
  /**
   * The next novel keys, or undefined when all decided keys were taken. Valid until the next
   * `take`.
   */
  take(): Promise<KeyedBatch | undefined>;
  /** Keys offered and not yet decided. */
  readonly pending: number;
  /** Distinct keys let through in the life of the sieve (decided, taken or not). */
  readonly size: number;
  close(): Promise<void>;
}

/**
 * A sieve that outlives its process. `freeze` makes everything so far durable and returns a
 * description; a folder opened with the description holds exactly that. The crawl then stores the
 * description in its checkpoint and calls `discardOlder`: what only older descriptions name may be
 * deleted.
 */
export interface DurableSieve extends Sieve {
  freeze(): Promise<SieveState>;
  discardOlder(frozen: SieveState): Promise<void>;
}

/**
 * Plain data, to be stored as JSON: the lengths of the files in the sieve's folder, and the rest of
 * its state.
 */
export interface SieveState {
  readonly files: Readonly<Record<string, number>>;
  readonly state: unknown;
}
