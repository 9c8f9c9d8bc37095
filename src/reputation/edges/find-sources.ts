/**
 * The domains that link to some domains, from frozen edges that are not opened: their process may
 * be running.
 *
 * Idea      The rows of a run are sorted, but of all lengths: no row can be found without those
 *           before it. So one pass notes where a row begins, every few kilobytes. A run never
 *           changes, and the notes hold as long as it is there. Then a row is in the piece between
 *           two notes.
 * Requires  a disk on which nothing changes (`readOnly`).
 * Cost      The pass: about 2 ms a megabyte, once for each run. Then a read for each domain and
 *           run, and of all edges that are in no run yet. Memory: 16 bytes for each note.
 */
import { join } from 'node:path';
import { type Pacer, politePacer, restingPacer } from '../../base/pacer.ts';
import type { Bytes } from '../../base/units.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import type { Frozen } from '../../disk/checkpoint.ts';
import { damaged } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { FRESH_FORMAT, freshName } from './adjacency.ts';
import { RUN_FORMAT, runName } from './adjacency-run.ts';
import type { DomainEdgesState } from './domain-edges.ts';
import { ROW_WORDS } from './edge-lists.ts';

/** The folder of edges, and what its checkpoint says of it. */
interface EdgesPlace {
  readonly folder: string;
  readonly frozen: Frozen<DomainEdgesState>;
}

/**
 * Where some rows of a run begin, and their targets: the first row, and then every few kilobytes.
 */
interface Notes {
  readonly targets: readonly bigint[];
  readonly positions: readonly Bytes[];
}

const WINDOW: Bytes = 256 * 1024;
/** Smaller pieces cost memory, larger ones time. */
const PIECE: Bytes = 8 * 1024;

export class SourceFinder {
  readonly #disk: Disk;
  readonly #notes = new Map<string, Notes>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Passes over the runs that are new; `onRead` gets the bytes of each. */
  async prepare(edges: EdgesPlace, onRead: (bytes: Bytes) => void): Promise<void> {
    const pacer = restingPacer();
    const runs = runsOf(edges);
    const present = new Set(runs.map(keyOf));
    for (const key of this.#notes.keys())
      if (key.startsWith(join(edges.folder, '/')) && !present.has(key)) this.#notes.delete(key);
    for (const { path, bytes } of runs) {
      await this.#notesOf(path, bytes, pacer);
      onRead(bytes);
    }
  }

  async sourcesOf(
    edges: EdgesPlace,
    targets: readonly bigint[],
  ): Promise<Map<bigint, BigUint64Array>> {
    const found = new Map<bigint, BigUint64Array[]>(targets.map((target) => [target, []]));
    for (const { path, bytes } of runsOf(edges)) {
      const notes = await this.#notesOf(path, bytes, politePacer());
      const file = await openStateFile(this.#disk, path, RUN_FORMAT);
      try {
        for (const [target, sources] of found)
          sources.push(await sourcesIn(file, bytes, notes, target));
      } finally {
        await file.close();
      }
    }
    await this.#addFresh(edges, found);
    const { adjacency } = edges.frozen.state;
    // An edge that was seen in several periods is in the runs of each.
    const repeats = adjacency.runs.some(({ period = 0 }) => period !== (adjacency.period ?? 0));
    return new Map([...found].map(([target, lists]) => [target, joined(lists, repeats)]));
  }

  async #notesOf(path: string, bytes: Bytes, pacer: Pacer): Promise<Notes> {
    const key = keyOf({ path, bytes });
    const known = this.#notes.get(key);
    if (known) return known;
    const file = await openStateFile(this.#disk, path, RUN_FORMAT);
    try {
      const notes = await notesIn(file, bytes, pacer);
      this.#notes.set(key, notes);
      return notes;
    } finally {
      await file.close();
    }
  }

  /** Adds the sources of edges that are in no run yet: pairs of target and source. */
  async #addFresh(
    { folder, frozen: { files, state } }: EdgesPlace,
    found: ReadonlyMap<bigint, BigUint64Array[]>,
  ): Promise<void> {
    const name = freshName(state.adjacency.fresh);
    const file = await openStateFile(this.#disk, join(folder, name), FRESH_FORMAT);
    try {
      const pairs = new BigUint64Array(Math.floor((files[name] - HEADER_BYTES) / 8));
      await file.readAll(new Uint8Array(pairs.buffer), HEADER_BYTES);
      const words = new Uint32Array(pairs.buffer);
      // Few pairs are wanted: the others cost the comparison of one number.
      const wanted = new Set([...found.keys()].map((target) => Number(target & LOW)));
      for (let i = 0; i + 1 < pairs.length; i += 2)
        if (wanted.has(words[2 * i])) found.get(pairs[i])?.push(pairs.subarray(i + 1, i + 2));
    } finally {
      await file.close();
    }
  }
}

const LOW = 0xffff_ffffn;

const keyOf = ({ path, bytes }: { readonly path: string; readonly bytes: Bytes }): string =>
  `${path} ${bytes}`;

const runsOf = ({ folder, frozen }: EdgesPlace) =>
  frozen.state.adjacency.runs.map(({ id }) => ({
    path: join(folder, runName(id)),
    bytes: frozen.files[runName(id)],
  }));

function joined(lists: readonly BigUint64Array[], repeats: boolean): BigUint64Array {
  const all = new BigUint64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return repeats ? BigUint64Array.from(new Set(all)) : all;
}

async function notesIn(file: StateFile, end: Bytes, pacer: Pacer): Promise<Notes> {
  const targets: bigint[] = [];
  const positions: Bytes[] = [];
  const words = new Uint32Array(WINDOW / 4);
  for (let begin = HEADER_BYTES; begin < end; ) {
    const length = Math.min(WINDOW, end - begin) >>> 2;
    await file.readAll(new Uint8Array(words.buffer, 0, 4 * length), begin);
    let at = 0;
    while (at + ROW_WORDS <= length) {
      const position = begin + 4 * at;
      if (position - (positions.at(-1) ?? -PIECE) >= PIECE) {
        targets.push(targetAt(words, at));
        positions.push(position);
      }
      at += rowLength(words, at);
    }
    if (at === 0) throw damagedRun(file.path);
    // The end of a long row is passed over unread.
    begin += 4 * at;
    if (begin > end) throw damagedRun(file.path);
    await pacer.pause();
  }
  return { targets, positions };
}

const targetAt = (words: Uint32Array, at: number): bigint =>
  (BigInt(words[at + 1]) << 32n) | BigInt(words[at]);

const rowLength = (words: Uint32Array, at: number): number => ROW_WORDS + 2 * words[at + 2];

const damagedRun = (path: string): Error => damaged(path, 'does not hold what its checkpoint says');

async function sourcesIn(
  file: StateFile,
  end: Bytes,
  { targets, positions }: Notes,
  target: bigint,
): Promise<BigUint64Array> {
  const after = firstAbove(targets, target);
  if (after === 0) return NONE;
  const begin = positions[after - 1];
  const words = new Uint32Array(((positions[after] ?? end) - begin) >>> 2);
  await file.readAll(new Uint8Array(words.buffer), begin);
  for (let at = 0; at + ROW_WORDS <= words.length; at += rowLength(words, at)) {
    const here = targetAt(words, at);
    if (here > target) break;
    if (here === target) {
      const sources = words.slice(at + ROW_WORDS, at + rowLength(words, at));
      return new BigUint64Array(sources.buffer);
    }
  }
  return NONE;
}

const NONE = new BigUint64Array(0);

/** The place of the first target above this one. */
function firstAbove(targets: readonly bigint[], target: bigint): number {
  let [low, high] = [0, targets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (targets[middle] > target) high = middle;
    else low = middle + 1;
  }
  return low;
}
