/**
 * The sieve lets each key through once in its whole life: the URLs a crawl has discovered go in, with repeats,
 * and come out once.
 *
 * Ensures   every offered key comes out of `take` exactly once while no crash intervenes, with the auxiliary bytes of
 *           its first offer; nothing else comes out.
 * Requires  one caller at a time: no method is called before the promise of the last has settled.
 * Flow      `offer` only collects. Answers exist after a merge, which the sieve does by itself when it is full and
 *           `flush` does on request: a starving consumer calls it, a busy one never does.
 *
 * There is no promise per key: batches go in and batches come out.
 */
import type { KeyedBatch } from '../drum/keyed-batch.ts';
export interface Sieve {
  /** Takes the batch; waits when room must be made first. The batch may be reused by the caller afterwards. */
  offer(batch: KeyedBatch): Promise<void>;
  /** Decides everything offered so far, so that `take` will hand it out. */
  flush(): Promise<void>;
  /** The next novel keys, or undefined when all that is decided was taken. Valid until the next call of `take`. */
  take(): Promise<KeyedBatch | undefined>;
  /** Offered and not yet decided. */
  readonly pending: number;
  /** Distinct keys let through in the life of the sieve (decided, taken or not). */
  readonly size: number;
  close(): Promise<void>;
}

/**
 * A sieve that outlives its process. `freeze` makes everything so far durable and describes it; whoever opens the folder
 * with the description finds exactly that. `settle` says that the description is safely stored: what only older
 * ones name may be deleted. In between the crawl writes its own checkpoint, the description in it.
 */
export interface DurableSieve extends Sieve {
  freeze(): Promise<SieveState>;
  settle(frozen: SieveState): Promise<void>;
}

/** Plain data, to be stored as JSON: the lengths of the files in the sieve's folder, and what else it must know. */
export interface SieveState {
  readonly files: Readonly<Record<string, number>>;
  readonly state: unknown;
}
