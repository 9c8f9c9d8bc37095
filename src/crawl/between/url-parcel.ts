/**
 * Keys and the bytes that travel with them as one parcel: discovered URLs on the way to their owner.
 *
 * Format    little-endian: entries u32, zero u32; then the keys, u64 each; then the ends, u32 each; then the bytes.
 * Ensures   the receiver reads the parcel in place, without a copy; bytes that are no such parcel are refused.
 * Cost      one copy, into a buffer of the exact size that the transport can keep.
 */
import type { KeyedBatch } from '../../sieve/sieve.ts';

const HEADER = 8;
const PER_ENTRY = 12;

export function packKeyedBatch({ length, keys, ends, bytes }: KeyedBatch): Uint8Array {
  const body = length === 0 ? 0 : ends[length - 1];
  const parcel = new Uint8Array(HEADER + PER_ENTRY * length + body);
  new Uint32Array(parcel.buffer, 0, 1)[0] = length;
  new BigUint64Array(parcel.buffer, HEADER, length).set(keys.subarray(0, length));
  new Uint32Array(parcel.buffer, HEADER + 8 * length, length).set(ends.subarray(0, length));
  parcel.set(bytes.subarray(0, body), HEADER + PER_ENTRY * length);
  return parcel;
}

/** Views of the parcel, valid as long as it is; it is copied once when it does not lie on a multiple of eight. */
export function unpackKeyedBatch(parcel: Uint8Array): KeyedBatch {
  if (parcel.byteOffset % 8 !== 0) return unpackKeyedBatch(Uint8Array.from(parcel));
  const { buffer, byteOffset } = parcel;
  const length = parcel.length < HEADER ? -1 : new Uint32Array(buffer, byteOffset, 1)[0];
  const start = HEADER + PER_ENTRY * length;
  if (length < 0 || parcel.length < start) throw new Error('A parcel of URLs was cut short.');
  const keys = new BigUint64Array(buffer, byteOffset + HEADER, length);
  const ends = new Uint32Array(buffer, byteOffset + HEADER + 8 * length, length);
  const bytes = parcel.subarray(start);
  if ((length === 0 ? 0 : ends[length - 1]) !== bytes.length)
    throw new Error('A parcel of URLs is not whole.');
  return { length, keys, ends, bytes };
}
