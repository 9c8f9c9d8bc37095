/**
 * What an update does to the value that its key has. A caller may write another function; it must
 * not change its arguments, and its result is copied.
 */
export type Combine = (old: Uint8Array, next: Uint8Array) => Uint8Array;

export const replace: Combine = (_old, next) => next;

/** Adds two unsigned 64-bit counters, little-endian; the sum wraps around. */
export const add64: Combine = (old, next) => from64(read64(old) + read64(next));

export const max64: Combine = (old, next) => (read64(old) >= read64(next) ? old : next);

/** Appends: for a list that grows, of neighbours for instance. */
export const append: Combine = (old, next) => {
  const joined = new Uint8Array(old.length + next.length);
  joined.set(old);
  joined.set(next, old.length);
  return joined;
};

export function from64(value: bigint | number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
  return bytes;
}

export function read64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
}
