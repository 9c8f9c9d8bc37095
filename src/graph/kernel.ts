/**
 * Unpacks adjacency lists, a block of them a call, in a WebAssembly memory of its own.
 *
 * Layout    tables, then the offsets of the block, then, moved when the memory grows, targets, widths and gaps.
 * Costs     about 1.5 ns an arc; 9 bytes of memory for an arc of the largest block.
 */
import { alignTo16 } from '../base/align.ts';
import { WebAssembly } from '../base/web-assembly.ts';
import { KERNEL_WASM } from './kernel-wasm.ts';

const PAGE = 65_536;
const TABLES = 16;
const OFFSETS = TABLES + 4096 + 256;
/** A group of four numbers, unpacked, and the most it takes packed. */
const GROUP = 16;

const COMPILED = new WebAssembly.Module(KERNEL_WASM);

interface Functions {
  /**
   * Fills 4,352 bytes with what `unpack` looks up: for each byte of widths how the packed bytes spread, and how many
   * they are.
   */
  prepare(tables: number): void;
  /**
   * Unpacks groups of four numbers; returns where the next group's packed bytes begin. Reads 16 bytes for each, used
   * or not.
   */
  unpack(tables: number, widths: number, groups: number, gaps: number, out: number): number;
  /**
   * Turns numbers into targets, in place, for `count` lists, the first being that of `node`; list i ends at
   * targets[offsets[i + 1]]. Returns the largest target that ends a list.
   */
  sumLists(offsets: number, count: number, node: number, targets: number): number;
}

export class ListDecoder {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #run: Functions;
  readonly #targets: number;
  #widths = 0;
  #gaps = 0;
  #groups = -1;
  /** Of the block that will be decoded next: `offsets[0]` is 0. Replaced when `reserve` makes the memory grow. */
  offsets = new Uint32Array(0);
  readonly #mostLists: number;

  /** For blocks of at most so many lists. */
  constructor(mostLists: number) {
    this.#mostLists = mostLists;
    this.#targets = alignTo16(OFFSETS + (mostLists + 1) * 4);
    const instance = new WebAssembly.Instance(COMPILED, { env: { memory: this.#memory } });
    this.#run = instance.exports as unknown as Functions;
    this.#run.prepare(TABLES);
    this.reserve(0);
  }

  /** Makes room for a block of so many arcs. What is in `offsets` stays. */
  reserve(arcs: number): void {
    const groups = Math.ceil(arcs / 4) + 1; // one more: the first arc need not begin a group
    if (groups <= this.#groups) return;
    this.#groups = groups;
    this.#widths = this.#targets + groups * GROUP;
    this.#gaps = alignTo16(this.#widths + groups);
    const missing = this.#gaps + (groups + 1) * GROUP - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    this.offsets = new Uint32Array(this.#memory.buffer, OFFSETS, this.#mostLists + 1);
  }

  /**
   * Decodes `count` lists with the lengths told by `offsets`, the first being that of `node`. `skipped` arcs of the
   * first group belong to lists before. Returns the packed bytes of all complete groups: an incomplete one at the end
   * is needed again.
   */
  decode(
    node: number,
    count: number,
    skipped: number,
    widths: Uint8Array,
    gaps: Uint8Array,
  ): Decoded {
    const { buffer } = this.#memory;
    const bytes = new Uint8Array(buffer);
    const arcs = this.offsets[count];
    bytes.set(widths, this.#widths);
    bytes.set(gaps, this.#gaps);
    const complete = Math.floor((skipped + arcs) / 4);
    const next = this.#run.unpack(TABLES, this.#widths, complete, this.#gaps, this.#targets);
    this.#run.unpack(TABLES, this.#widths + complete, 1, next, this.#targets + complete * GROUP);
    const start = this.#targets + skipped * 4;
    const largest = this.#run.sumLists(OFFSETS, count, node, start) >>> 0;
    return { targets: new Uint32Array(buffer, start, arcs), largest, used: next - this.#gaps };
  }
}

export interface Decoded {
  /** Valid until the next call. */
  readonly targets: Uint32Array;
  readonly largest: number;
  readonly used: number;
}
