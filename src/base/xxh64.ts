/**
 * xxHash64 with seed 0: the hash used in everything that Drumlin stores.
 *
 * Requires  nothing: the WebAssembly kernel is instantiated when this module is first imported, at
 *           once, so that CommonJS can `require` what uses it.
 * Ensures   the value of the reference implementation for the UTF-8 bytes of a text (a lone
 *           surrogate counts as U+FFFD) or for the bytes given; it never changes, because stored
 *           folders depend on it.
 * Cost      0.1 to 0.2 µs for a URL; the text is encoded straight into the kernel's memory, the
 *           result is one BigInt. The memory of the longest text stays.
 *
 * Not adversary-proof: anyone can compute two texts with the same hash. See docs/url.md for what
 * that would do.
 */
import { type KernelMemory, WebAssembly } from './web-assembly.ts';
import { XXH64_WASM } from './xxh64-wasm.ts';

const PAGE = 2 ** 16;
/** UTF-8 bytes of a UTF-16 unit, at most. */
const MOST_PER_UNIT = 3;

interface Kernel {
  readonly memory: KernelMemory<ArrayBuffer>;
  /** A signed number. */
  xxh64(at: number, length: number): bigint;
}

const kernel = new WebAssembly.Instance(new WebAssembly.Module(XXH64_WASM)).exports as Kernel;
const encoder = new TextEncoder();
let room = new Uint8Array(kernel.memory.buffer);

/** The hash of the text's UTF-8 bytes. */
export function xxh64(text: string): bigint {
  reserve(text.length * MOST_PER_UNIT);
  return hash(encoder.encodeInto(text, room).written);
}

export function xxh64Bytes(bytes: Uint8Array): bigint {
  reserve(bytes.length);
  room.set(bytes);
  return hash(bytes.length);
}

const hash = (length: number): bigint => BigInt.asUintN(64, kernel.xxh64(0, length));

function reserve(bytes: number): void {
  if (bytes <= room.length) return;
  kernel.memory.grow(Math.ceil((bytes - room.length) / PAGE));
  room = new Uint8Array(kernel.memory.buffer);
}
