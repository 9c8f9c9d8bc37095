/**
 * Batches of arcs as input of a graph, so that no arc costs an object. A batch is valid until the
 * next is asked for.
 */
import type { AdjacencyBlock } from './graph.ts';
import { MAX_NAME_BYTES } from './name-format.ts';

/** Parallel arrays: arc i leads from `from[i]` to `to[i]`. */
export interface IdArcs {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** Names in one buffer: name i is bytes[spans[2 i] .. spans[2 i + 1]). */
export interface NameBatch {
  readonly bytes: Uint8Array;
  readonly spans: Uint32Array;
  readonly count: number;
}

/**
 * Names in pairs: arc i leads from name 2 i to name 2 i + 1. If the second is empty, the first is a
 * node without this arc.
 */
export interface NameArcs extends NameBatch {}

const BATCH_BYTES = 64 * 1024;
const BATCH_NAMES = 4096;

/** Packs names given as strings: `[from, to]` is an arc, `[name]` a node. */
export async function* packNameArcs(
  arcs: AsyncIterable<readonly [string, string?]> | Iterable<readonly [string, string?]>,
): AsyncGenerator<NameArcs> {
  const packer = new NamePacker();
  for await (const [from, to = ''] of arcs) {
    if (!packer.hasRoom(from, to)) yield packer.take();
    if (from === '') throw new RangeError('a node without a name');
    packer.add(from);
    packer.add(to);
  }
  yield packer.take();
}

/** Packs names alone, for a graph whose arcs come as numbers. */
export async function* packNames(names: Iterable<string>): AsyncGenerator<NameBatch> {
  const packer = new NamePacker();
  for (const name of names) {
    if (!packer.hasRoom(name)) yield packer.takeNames();
    packer.add(name);
  }
  yield packer.takeNames();
}

class NamePacker {
  readonly #bytes = Buffer.alloc(BATCH_BYTES);
  readonly #spans = new Uint32Array(2 * BATCH_NAMES);
  #count = 0;
  #end = 0;

  hasRoom(...names: string[]): boolean {
    const most = names.reduce((sum, name) => sum + name.length * 3, 0);
    return this.#count + names.length <= BATCH_NAMES && this.#end + most <= BATCH_BYTES;
  }

  add(name: string): void {
    const length = this.#bytes.write(name, this.#end);
    if (length > MAX_NAME_BYTES || /[\0-\x20\x7f]/.test(name))
      throw new RangeError(
        `a name has no blanks, no control characters and at most ${MAX_NAME_BYTES} bytes: ${name}`,
      );
    this.#spans[2 * this.#count] = this.#end;
    this.#end += length;
    this.#spans[2 * this.#count++ + 1] = this.#end;
  }

  take(): NameArcs {
    const names = this.takeNames();
    return { ...names, count: names.count / 2 };
  }

  takeNames(): NameBatch {
    const batch = { bytes: this.#bytes, spans: this.#spans, count: this.#count };
    this.#count = 0;
    this.#end = 0;
    return batch;
  }
}

/** The arcs of a block, as pairs. */
export function arcsOf({ first, count, offsets, targets }: AdjacencyBlock): IdArcs {
  const from = new Uint32Array(targets.length);
  for (let i = 0; i < count; i++) from.fill(first + i, offsets[i], offsets[i + 1]);
  return { from, to: targets };
}
