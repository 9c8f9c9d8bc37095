/**
 * The links of a part, opened for reading.
 *
 * Cost      In memory: about 30 bytes a URL, and lists of up to 64 MiB. Longer ones are read when
 *           they are asked for.
 */
import type { Bytes } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import type { Disk } from '../../disk/disk.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { contentOf, type FileLengths, IndexFile } from '../store/index-file.ts';

/** Links of a URL: the other ends in increasing order, each with its first and last epoch. */
export interface LinkRun {
  readonly others: Uint32Array;
  readonly firsts: Uint32Array;
  readonly lasts: Uint32Array;
}

export type Direction = 'out' | 'in';

export const NO_LINKS: LinkRun = {
  ...{ others: new Uint32Array(0), firsts: new Uint32Array(0), lasts: new Uint32Array(0) },
};

/** Files up to this length are held in memory. */
const HELD: Bytes = 64 * 2 ** 20;

export class LinkPart {
  /** The keys of its URLs, in order. */
  readonly keys: BigUint64Array;
  /** The epochs in which the links of URL `i` were read: `epochs[starts[i] .. starts[i + 1])`. */
  readonly epochStarts: Uint32Array;
  readonly epochs: Uint32Array;
  readonly #files: Readonly<Record<Direction, IndexFile>>;
  readonly #held: Partial<Record<Direction, Uint8Array>> = {};
  readonly #starts: Readonly<Record<Direction, Float64Array>>;

  private constructor(files: Record<Direction, IndexFile>, content: Uint8Array, nodes: number) {
    this.#files = files;
    this.keys = new BigUint64Array(nodes);
    this.epochStarts = new Uint32Array(nodes + 1);
    const starts = { out: new Float64Array(nodes + 1), in: new Float64Array(nodes + 1) };
    this.#starts = starts;
    starts.out[0] = HEADER_BYTES;
    starts.in[0] = HEADER_BYTES;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
    const reader = new VarintReader(content, HEADER_BYTES);
    const epochs: number[] = [];
    for (let node = 0; node < nodes; node++) {
      this.keys[node] = bytes.readBigUInt64LE(reader.at);
      reader.skip(8);
      starts.out[node + 1] = starts.out[node] + reader.next();
      starts.in[node + 1] = starts.in[node] + reader.next();
      let epoch = 0;
      for (let left = reader.next(); left > 0; left--) {
        epoch += reader.next();
        epochs.push(epoch);
      }
      this.epochStarts[node + 1] = epochs.length;
    }
    this.epochs = Uint32Array.from(epochs);
  }

  static async open(
    disk: Disk,
    folder: string,
    nodes: number,
    lengths: FileLengths | undefined,
  ): Promise<LinkPart> {
    const opened: IndexFile[] = [];
    try {
      for (const name of ['out', 'in'] as const)
        opened.push(await IndexFile.open(disk, folder, name, lengths));
      const [out, into] = opened;
      const content = await contentOf(disk, folder, 'nodes', lengths);
      const part = new LinkPart({ out, in: into }, content, nodes);
      await part.#hold();
      return part;
    } catch (error) {
      for (const file of opened) await file.close();
      throw error;
    }
  }

  async read(node: number, direction: Direction): Promise<LinkRun> {
    const starts = this.#starts[direction];
    const [start, end] = [starts[node], starts[node + 1]];
    if (start === end) return NO_LINKS;
    const held = this.#held[direction];
    if (held) return decoded(held.subarray(start, end));
    const bytes = new Uint8Array(end - start);
    await this.#files[direction].readAll(bytes, start);
    return decoded(bytes);
  }

  async #hold(): Promise<void> {
    for (const direction of ['out', 'in'] as const) {
      const file = this.#files[direction];
      if (file.length <= HELD) this.#held[direction] = await file.content();
    }
  }

  async close(): Promise<void> {
    await this.#files.out.close();
    await this.#files.in.close();
  }
}

function decoded(bytes: Uint8Array): LinkRun {
  const reader = new VarintReader(bytes);
  const [others, firsts, lasts]: [number[], number[], number[]] = [[], [], []];
  let [other, first, last] = [-1, 0, 0];
  while (reader.at < bytes.length) {
    const code = reader.next();
    other += Math.floor(code / 2) + 1;
    if (code % 2 === 0) {
      first = reader.next();
      last = first + reader.next();
    }
    others.push(other);
    firsts.push(first);
    lasts.push(last);
  }
  return {
    ...{ others: Uint32Array.from(others), firsts: Uint32Array.from(firsts) },
    lasts: Uint32Array.from(lasts),
  };
}
