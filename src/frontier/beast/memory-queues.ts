/**
 * The part of BEAST's queues that is in memory: packed entries by key.
 *
 * Idea      A queue is a list of chunks that double in size, up to 64 KiB: nothing is copied to
 *           grow, and a thousand short queues cost about twice their entries. An entry is a varint
 *           length and its bytes, as in the files.
 *
 * A queue also counts how much of it, from its head, the journal holds already (`journal.ts`).
 *
 * Ensures   entries of a key come out in the order they went in. Memory handed out is never written
 *           again.
 */

import type { Bytes } from '../../base/units.ts';
import { varintSize, writeVarint } from '../../base/varint.ts';
import { copyBytes, type Entries } from '../queue/path-queue.ts';
import type { Segment } from './segments.ts';

const FIRST_CHUNK: Bytes = 512;
const MOST_CHUNK: Bytes = 64 * 1024;
/** Memory of a chunk and a queue beside the bytes. */
const CHUNK_BYTES: Bytes = 200;
const QUEUE_BYTES: Bytes = 300;

interface Chunk {
  readonly bytes: Buffer;
  used: Bytes;
  count: number;
}

interface Amount {
  bytes: Bytes;
  count: number;
}

interface Queue {
  readonly chunks: Chunk[];
  bytes: Bytes;
  count: number;
  /** Entries at the head that are in the journal and still here. */
  readonly journaled: Amount;
  /** Entries that are in the journal and were taken. */
  gone: number;
}

export class MemoryQueues {
  readonly #queues = new Map<number, Queue>();
  #held: Bytes = 0;
  #live: Bytes = 0;

  /** Memory that the queues take, approximately. */
  get bytes(): Bytes {
    return this.#held + this.#queues.size * QUEUE_BYTES;
  }

  /** The part of `bytes` that is entries. */
  get live(): Bytes {
    return this.#live;
  }

  has(key: number): boolean {
    return this.#queues.has(key);
  }

  put(key: number, entry: Uint8Array): void {
    const { length } = entry;
    const size = varintSize(length) + length;
    const queue = this.#queueOf(key);
    const chunk = this.#roomIn(queue, size);
    copyBytes(entry, 0, length, chunk.bytes, writeVarint(chunk.bytes, chunk.used, length));
    this.#added(queue, chunk, size, 1);
  }

  /** Adds entries that were read from the journal. */
  restore(key: number, { bytes, count }: Entries): void {
    if (count === 0) return;
    const queue = this.#queueOf(key);
    const chunk = this.#roomIn(queue, bytes.length);
    chunk.bytes.set(bytes, chunk.used);
    this.#added(queue, chunk, bytes.length, count);
    queue.journaled.bytes = queue.bytes;
    queue.journaled.count = queue.count;
  }

  /** Notes how many entries before the restored ones were taken and are still in the journal. */
  restoreGone(key: number, gone: number): void {
    this.#queueOf(key).gone = gone;
  }

  /** Takes the first entries of a queue, up to one chunk. */
  take(key: number): Entries | undefined {
    const queue = this.#queues.get(key);
    const chunk = queue?.chunks.shift();
    if (!queue || !chunk) return undefined;
    const { used, count } = chunk;
    const known = Math.min(count, queue.journaled.count);
    queue.journaled.count -= known;
    queue.journaled.bytes -= Math.min(used, queue.journaled.bytes);
    queue.gone += known;
    queue.count -= count;
    queue.bytes -= used;
    this.#live -= used;
    this.#held -= chunk.bytes.length + CHUNK_BYTES;
    if (queue.count === 0) this.#queues.delete(key);
    return { count, bytes: chunk.bytes.subarray(0, used) };
  }

  /** The keys of queues with entries, in increasing order. */
  keys(): number[] {
    return [...this.#queues.keys()].sort((a, b) => a - b);
  }

  /** Takes these queues out, one segment each. */
  *drain(keys: readonly number[]): Generator<Segment> {
    for (const key of keys) {
      const { chunks, count, bytes } = this.#queues.get(key) as Queue;
      this.#queues.delete(key);
      yield { key, count, bytes, pieces: chunks.map(({ bytes, used }) => bytes.subarray(0, used)) };
    }
  }

  /** The entries that the journal does not hold yet; they count as held from now on. */
  unjournaled(): Segment[] {
    const segments: Segment[] = [];
    for (const [key, queue] of this.#queues) {
      const { journaled } = queue;
      const count = queue.count - journaled.count;
      if (count === 0) continue;
      const pieces = piecesFrom(queue.chunks, journaled.bytes);
      segments.push({ key, count, bytes: queue.bytes - journaled.bytes, pieces });
      journaled.count = queue.count;
      journaled.bytes = queue.bytes;
    }
    return segments;
  }

  /**
   * How many of a key's entries in the journal were taken since; undefined when the key has no
   * entries.
   */
  gone(key: number): number | undefined {
    return this.#queues.get(key)?.gone;
  }

  /** The journal was deleted. */
  forgetJournal(): void {
    for (const queue of this.#queues.values()) {
      queue.journaled.bytes = 0;
      queue.journaled.count = 0;
      queue.gone = 0;
    }
  }

  #queueOf(key: number): Queue {
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = { chunks: [], bytes: 0, count: 0, journaled: { bytes: 0, count: 0 }, gone: 0 };
      this.#queues.set(key, queue);
    }
    return queue;
  }

  #roomIn({ chunks }: Queue, size: Bytes): Chunk {
    const last = chunks.at(-1);
    if (last && last.used + size <= last.bytes.length) return last;
    const grown = last ? Math.min(2 * last.bytes.length, MOST_CHUNK) : FIRST_CHUNK;
    // Not from Buffer.allocUnsafe, whose small buffers share a pool: one of them keeps the whole
    // pool alive.
    const chunk = { bytes: Buffer.allocUnsafeSlow(Math.max(grown, size)), used: 0, count: 0 };
    chunks.push(chunk);
    this.#held += chunk.bytes.length + CHUNK_BYTES;
    return chunk;
  }

  #added(queue: Queue, chunk: Chunk, bytes: Bytes, count: number): void {
    chunk.used += bytes;
    chunk.count += count;
    queue.bytes += bytes;
    queue.count += count;
    this.#live += bytes;
  }
}

/** The bytes of the chunks after the first `skip` bytes. */
function piecesFrom(chunks: readonly Chunk[], skip: Bytes): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let before = skip;
  for (const { bytes, used } of chunks) {
    if (before < used) pieces.push(bytes.subarray(before, used));
    before = Math.max(0, before - used);
  }
  return pieces;
}
