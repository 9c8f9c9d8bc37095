/**
 * The kernels and the memory they work on: one block whose size the caller decides and which never
 * grows.
 *
 * Idea      everything DRUM does to a key costs tens of nanoseconds, less than one call or one
 *           object in JavaScript. So keys and texts are in one WebAssembly memory, and the loops
 *           over them run there, a batch a call.
 * Requires  addresses inside the memory, aligned to 8; SLACK bytes that may be overwritten behind
 *           every buffer that texts are copied to.
 * Ensures   no allocation. Views given out by `bytes` stay valid for the life of the kernel.
 *
 * Layouts. A lane is four u32: where the next key goes, where its chunk of keys ends, the same for
 * texts. A text is stored as its length (7 bits a byte, low first) and its bytes. A pair is a u64
 * key and its u64 index of arrival.
 */
import { alignTo8 } from '../base/align.ts';
import { WebAssembly } from '../base/web-assembly.ts';
import { KERNEL_WASM } from './kernel-wasm.ts';

/** Texts are copied 16 bytes at a time. */
export const SLACK = 16;
/** Buckets are found by the first 16 bits of a key. */
export const SLOTS = 65_536;
const PAGE = 65_536;

const COMPILED = new WebAssembly.Module(KERNEL_WASM);

interface Functions {
  /** keys[i] = xxHash64 of entry i of a packed batch, without its last `trailing` bytes. */
  hashAll(bytes: number, ends: number, n: number, keys: number, trailing: number): void;
  /**
   * The offsets just after each newline of bytes[from .. to), at most `capacity`; returns how many.
   */
  lineEnds(bytes: number, from: number, to: number, ends: number, capacity: number): number;
  /**
   * Puts the entries i.. of a batch whose `keep` byte is set into the lanes of their buckets;
   * returns the first entry without room, or n.
   */
  distribute(
    keys: number,
    ends: number,
    bytes: number,
    keep: number,
    i: number,
    n: number,
    slots: number,
    lanes: number,
  ): number;
  /** The least and the greatest of n keys, at out[0] and out[1]. */
  bounds(keys: number, n: number, out: number): void;
  /** groups[(key - low) >> shift]++ for each key. */
  countGroups(keys: number, n: number, low: bigint, shift: number, groups: number): void;
  /** Turns the counts into the place where each group starts. */
  startGroups(groups: number, count: number): void;
  /**
   * Puts the pairs of keys[from .. to) into their groups; afterwards groups[g] is where group g
   * ends.
   */
  scatter(
    keys: number,
    from: number,
    to: number,
    low: bigint,
    shift: number,
    groups: number,
    pairs: number,
  ): void;
  /** Sorts the groups from .. to by key, then by arrival. */
  sortGroups(groups: number, from: number, to: number, pairs: number): void;
  /**
   * Merges sorted pairs into sorted seen keys. `cursors` are six u32: pairs, their end, seen, its
   * end, out, its end; the call advances them. Sets the bit of `novel` at the index of the first
   * pair of each key that was not seen. `last`: no more seen keys will come. Returns why it stopped
   * (see `MERGE`).
   */
  merge(cursors: number, novel: number, last: number): 0 | 1 | 2;
  /**
   * For `count` arrivals from the index `from`: the bits, shifted to begin at 0, and the novel
   * keys; returns how many.
   */
  pick(keys: number, novel: number, from: number, count: number, bits: number, out: number): number;
  /**
   * Packs those of `count` stored texts whose bit is set to `out` from `outFrom` on; returns where
   * they end.
   */
  extract(
    text: number,
    count: number,
    bits: number,
    ends: number,
    out: number,
    outFrom: number,
  ): number;
}

export const MERGE = { done: 0, needsSeen: 1, needsRoom: 2 } as const;

export class Kernel {
  readonly run: Functions;
  readonly buffer: ArrayBuffer;
  /** The whole memory, by address. */
  readonly bytes: Uint8Array;
  #allocated = 8; // address 0 stays unused: it means "nothing"

  /** `capacity` is in bytes; pages never written take no physical memory. */
  constructor(capacity: number) {
    const pages = Math.ceil((capacity + 8) / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const instance = new WebAssembly.Instance(COMPILED, { env: { memory } });
    this.run = instance.exports as unknown as Functions;
    this.buffer = memory.buffer;
    this.bytes = new Uint8Array(memory.buffer);
  }

  /**
   * Reserves `size` bytes for good and returns their address; throws beyond the capacity, which the
   * caller plans.
   */
  allocate(size: number): number {
    const address = this.#allocated;
    this.#allocated += alignTo8(size);
    if (this.#allocated > this.bytes.length)
      throw new RangeError('The kernel memory is too small.');
    return address;
  }

  view(address: number, length: number): Uint8Array {
    return this.bytes.subarray(address, address + length);
  }

  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.buffer, address, length);
  }

  u64(address: number, length: number): BigUint64Array {
    return new BigUint64Array(this.buffer, address, length);
  }
}
