/**
 * Unpacks adjacency lists, a block of them a call, in a WebAssembly memory of its own.
 *
 * Layout    tables, then the offsets of the block, then targets, widths and gaps, which move when
 *           the memory grows.
 * Costs     about 1.5 ns an arc; 9 bytes of memory per arc of the largest block.
 */
import { alignTo16 } from '../base/align.ts';
import { WebAssembly } from '../base/web-assembly.ts';
import { KERNEL_WASM } from './kernel-wasm.ts';

const PAGE = 65_536;
const TABLES = 16;
const OFFSETS = TABLES + 4096 + 256;
/** Bytes of a group of four numbers, unpacked; packed it takes at most as many. */
const GROUP = 16;

const COMPILED = new WebAssembly.Module(KERNEL_WASM);

interface Functions {
  /**
   * Fills 4,352 bytes with the tables of `unpack`: for each byte of widths, how the packed bytes
   * spread, and how many they are.
   */
  prepare(tables: number): void;
  /**
   * Unpacks groups of four numbers. Returns where the packed bytes of the next group begin. Always
   * reads 16 bytes per group.
   */
  unpack(tables: number, widths: number, groups: number, gaps: number, out: number): number;
  /**
   * Turns numbers into targets, in place, for `count` lists, the first that of `node`; list i ends
   * at targets[offsets[i + 1]]. Returns the largest target at the end of a list.
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
  /**
   * Offsets of the block that is decoded next; `offsets[0]` is 0. Replaced when `reserve` grows the
   * memory.
   */
  offsets = new Uint32Array(0);
  readonly #mostLists: number;

  /** A decoder of blocks of at most `mostLists` lists. */
  constructor(mostLists: number) {
    this.#mostLists = mostLists;
    this.#targets = alignTo16(OFFSETS + (mostLists + 1) * 4);
    const instance = new WebAssembly.Instance(COMPILED, { env: { memory: this.#memory } });
    this.#run = instance.exports as unknown as Functions;
    this.#run.prepare(TABLES);
    this.reserve(0);
  }

  /** Makes room for a block with this many arcs, and keeps the contents of `offsets`. */
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
   * Decodes `count` lists whose lengths follow from `offsets`, the first that of `node`. The first
   * `skipped` arcs of the first group belong to earlier lists. Returns the packed bytes of all
   * complete groups: an incomplete one at the end is needed again.
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

interface Decoded {
  /** Valid until the next call. */
  readonly targets: Uint32Array;
  readonly largest: number;
  readonly used: number;
}
