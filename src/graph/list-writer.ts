/**
 * Writes adjacency lists in the format of list-format.ts.
 *
 * Requires  lists in the order of their nodes, each strictly increasing; a list may continue in the
 *           next call. Nodes that are left out have no arcs.
 * Costs     about 5 ns an arc; two buffers for each of four files.
 */

import { writeVarint } from '../base/varint.ts';
import { AppendLog } from '../disk/append-log.ts';
import type { Disk } from '../disk/disk.ts';
import type { Groups } from '../disk/external-sort.ts';
import {
  type Direction,
  ENTRY,
  INDEXED_NODES,
  LIST_FILES,
  LIST_FORMATS,
  type ListFile,
  listPath,
} from './list-format.ts';

/** Arcs, and nodes, encoded before they go to the files. */
const STAGED = 16_384;

export class ListWriter {
  readonly #logs: Readonly<Record<ListFile, AppendLog>>;
  /** The node whose list is being written. */
  #node = -1;
  /** Arcs of its list so far. */
  #length = 0;
  /** The last of them. */
  #last = 0;
  #arcs = 0;

  readonly #lengths = new Uint8Array(5 * STAGED + 5);
  #lengthBytes = 0;
  #nodesStaged = 0;
  readonly #widths = new Uint8Array(STAGED / 4 + 2);
  /** Arcs since the start of the staged widths, which is the start of a group. */
  #arcsStaged = 0;
  readonly #gaps = new DataView(new ArrayBuffer(4 * STAGED + 32));
  #gapBytes = 0;
  /** Where the group of the last arc begins, in the file. */
  #group: number;
  readonly #index = new Float64Array(ENTRY * (STAGED / INDEXED_NODES + 2));
  #indexed = 0;

  private constructor(logs: Readonly<Record<ListFile, AppendLog>>) {
    this.#logs = logs;
    this.#group = logs.gaps.length;
  }

  static async create(
    disk: Disk,
    folder: string,
    direction: Direction,
    bufferBytes: number,
  ): Promise<ListWriter> {
    const logs: Partial<Record<ListFile, AppendLog>> = {};
    try {
      for (const file of LIST_FILES)
        logs[file] = await AppendLog.create(
          disk,
          listPath(folder, direction, file),
          LIST_FORMATS[file],
          bufferBytes,
        );
    } catch (error) {
      for (const log of Object.values(logs)) await log.abandon();
      throw error;
    }
    return new ListWriter(logs as Record<ListFile, AppendLog>);
  }

  get arcs(): number {
    return this.#arcs;
  }

  async append({ first, count, offsets, values }: Groups): Promise<void> {
    for (let i = 0; i < count; i++) {
      const end = offsets[i + 1];
      let at = offsets[i];
      if (at === end) continue;
      while (!this.#goTo(first + i)) await this.#flush();
      while (at < end) {
        if (this.#arcsStaged >= STAGED) await this.#flush();
        const stop = Math.min(end, at + STAGED - this.#arcsStaged);
        this.#encode(values, at, stop);
        at = stop;
      }
    }
  }

  /**
   * Completes the lists of all nodes below `nodes` and makes them durable. Returns the bytes of the
   * files.
   */
  async finish(nodes: number): Promise<number> {
    while (!this.#goTo(nodes)) await this.#flush();
    await this.#flush();
    const logs = Object.values(this.#logs);
    // The last group may be incomplete.
    await this.#logs.widths.append(this.#widths.subarray(0, Math.ceil(this.#arcsStaged / 4)));
    for (const log of logs) await log.sync();
    for (const log of logs) await log.close();
    return logs.reduce((sum, log) => sum + log.length, 0);
  }

  /** Closes the files, finished or not. */
  async abandon(): Promise<void> {
    for (const log of Object.values(this.#logs)) await log.abandon();
  }

  /**
   * Ends the lists before `node` and begins its own, unless it is the current one. Returns false if
   * a flush must come first.
   */
  #goTo(node: number): boolean {
    while (this.#node < node) {
      if (this.#nodesStaged === STAGED) return false;
      if (this.#node >= 0) {
        this.#lengthBytes = writeVarint(this.#lengths, this.#lengthBytes, this.#length);
        this.#nodesStaged++;
      }
      this.#node++;
      this.#length = 0;
      if (this.#node % INDEXED_NODES === 0) this.#noteEntry();
    }
    return true;
  }

  #noteEntry(): void {
    const entry = this.#indexed++ * ENTRY;
    this.#index[entry] = this.#arcs;
    this.#index[entry + 1] = this.#logs.lengths.length + this.#lengthBytes;
    this.#index[entry + 2] =
      this.#arcs % 4 === 0 ? this.#logs.gaps.length + this.#gapBytes : this.#group;
  }

  /** Hot: every arc of the graph passes here twice. */
  #encode(values: Uint32Array, start: number, end: number): void {
    const gaps = this.#gaps;
    const widths = this.#widths;
    const base = this.#logs.gaps.length;
    let group = this.#group;
    let byte = this.#gapBytes;
    let arc = this.#arcsStaged;
    let last = this.#last;
    let at = start;
    let isFirst = this.#length === 0;
    for (; at < end; at++, arc++) {
      const target = values[at];
      const difference = target - this.#node;
      const number = isFirst ? ((difference << 1) ^ (difference >> 31)) >>> 0 : target - last - 1;
      isFirst = false;
      last = target;
      const width = (31 - Math.clz32(number | 1)) >>> 3;
      if ((arc & 3) === 0) {
        group = base + byte;
        widths[arc >>> 2] = width;
      } else widths[arc >>> 2] |= width << ((arc & 3) << 1);
      gaps.setUint32(byte, number, true);
      byte += width + 1;
    }
    this.#group = group;
    this.#gapBytes = byte;
    this.#arcsStaged = arc;
    this.#last = last;
    this.#length += end - start;
    this.#arcs += end - start;
  }

  /** Writes everything staged, except the widths of an incomplete group. */
  async #flush(): Promise<void> {
    const { lengths, widths, gaps, index } = this.#logs;
    await lengths.append(this.#lengths.subarray(0, this.#lengthBytes));
    await gaps.append(new Uint8Array(this.#gaps.buffer, 0, this.#gapBytes));
    await index.append(new Uint8Array(this.#index.buffer, 0, this.#indexed * ENTRY * 8));
    const complete = Math.floor(this.#arcsStaged / 4);
    await widths.append(this.#widths.subarray(0, complete));
    this.#widths[0] = this.#widths[complete];
    this.#arcsStaged -= complete * 4;
    this.#lengthBytes = 0;
    this.#nodesStaged = 0;
    this.#gapBytes = 0;
    this.#indexed = 0;
  }
}
