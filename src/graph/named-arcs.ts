/**
 * Turns arcs between names into arcs between numbers.
 *
 * Idea      While names are collected, an arc is written with the numbers that its two names have
 *           in the current run. After all runs are merged, the arcs of each run are read again
 *           together with its ranks.
 * Costs     eight bytes an arc, written and read once, in addition to the cost of NameRuns.
 */
import { join } from 'node:path';
import { AppendLog } from '../disk/append-log.ts';
import type { Disk } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';
import { ReadAhead } from '../disk/read-ahead.ts';
import type { IdArcs, NameArcs } from './arcs.ts';
import type { NameRuns } from './name-runs.ts';

const FORMAT: Format = { type: 'nar', version: 1 };
const PAIR_BYTES = 8;
const CHUNK_BYTES = 256 * 1024;

export class NamedArcs {
  readonly #runs: NameRuns;
  readonly #log: AppendLog;
  /** Where the arcs of each run end in the file. */
  readonly #ends: number[] = [];
  #staged = new Uint32Array(0);

  private constructor(runs: NameRuns, log: AppendLog) {
    this.#runs = runs;
    this.#log = log;
  }

  static async create(disk: Disk, scratch: string, runs: NameRuns): Promise<NamedArcs> {
    return new NamedArcs(runs, await AppendLog.create(disk, join(scratch, 'named.arcs'), FORMAT));
  }

  async add(batch: NameArcs): Promise<void> {
    if (this.#staged.length < 2 * batch.count) this.#staged = new Uint32Array(2 * batch.count);
    for (let done = 0; ; await this.endRun(false)) {
      const { next, arcs } = this.#intern(batch, done);
      await this.#log.append(new Uint8Array(this.#staged.buffer, 0, arcs * PAIR_BYTES));
      if (next === batch.count) return;
      done = next;
    }
  }

  async endRun(isLast: boolean): Promise<void> {
    await this.#runs.endRun(isLast);
    this.#ends.push(this.#log.length);
  }

  get arcs(): number {
    return (this.#log.length - HEADER_BYTES) / PAIR_BYTES;
  }

  /** All arcs, by the ranks of their names; after the merge. */
  async *ranked(): AsyncGenerator<IdArcs> {
    await this.#log.flush();
    let start = HEADER_BYTES;
    for (const [run, end] of this.#ends.entries()) {
      const ranks = await this.#runs.ranks(run);
      const reader = new ReadAhead(this.#log.file, start, end, CHUNK_BYTES);
      try {
        for (;;) {
          const bytes = await reader.peek(CHUNK_BYTES);
          if (bytes.length === 0) break;
          yield rankedPairs(
            new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4),
            ranks,
          );
          reader.skip(bytes.length);
        }
      } finally {
        await reader.end();
      }
      start = end;
    }
  }

  abandon(): Promise<void> {
    return this.#log.abandon();
  }

  /** Stages the arcs of a batch from `start` on; stops where the run is full. */
  #intern({ bytes, spans, count }: NameArcs, start: number): { next: number; arcs: number } {
    const staged = this.#staged;
    const runs = this.#runs;
    let at = 0;
    let i = start;
    let from = -1;
    for (; i < count; i++) {
      const span = 4 * i;
      // Arcs from the same node usually come together.
      if (from < 0 || !isSame(bytes, spans, span - 4, span))
        from = runs.intern(bytes, spans[span], spans[span + 1]);
      if (from < 0) break;
      if (spans[span + 2] === spans[span + 3]) continue; // a node without this arc
      const to = runs.intern(bytes, spans[span + 2], spans[span + 3]);
      if (to < 0) break; // the first name stays in this run, and comes again in the next
      staged[at++] = from;
      staged[at++] = to;
    }
    return { next: i, arcs: at / 2 };
  }
}

/** Whether two spans hold the same bytes. */
function isSame(bytes: Uint8Array, spans: Uint32Array, a: number, b: number): boolean {
  const [start, other] = [spans[a], spans[b]];
  const length = spans[a + 1] - start;
  if (spans[b + 1] - other !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== bytes[other + i]) return false;
  return true;
}

function rankedPairs(pairs: Uint32Array, ranks: Uint32Array): IdArcs {
  const from = new Uint32Array(pairs.length / 2);
  const to = new Uint32Array(pairs.length / 2);
  for (let i = 0; i < from.length; i++) {
    from[i] = ranks[pairs[2 * i]];
    to[i] = ranks[pairs[2 * i + 1]];
  }
  return { from, to };
}
