/**
 * Keys and their bytes as one parcel: discovered URLs on the way to their owner.
 *
 * Format    Little-endian: entries u32, zero u32; then the keys, u64 each; then the ends, u32 each;
 *           then the bytes.
 * Ensures   The receiver reads the parcel in place, without a copy; damaged bytes are rejected.
 * Cost      One copy, into a buffer of the exact size that the transport can keep.
 */
import type { KeyedBatch } from '../../drum/keyed-batch.ts';

const HEADER = 8;
const PER_ENTRY = 12;

export function packKeyedBatch(batch: KeyedBatch): Uint8Array {
  const pieces = parcelPieces(batch);
  const parcel = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    parcel.set(piece, at);
    at += piece.length;
  }
  return parcel;
}

/**
 * The pieces of a parcel in order, as views of the batch, for callers that copy them themselves.
 */
export function parcelPieces({ length, keys, ends, bytes }: KeyedBatch): Uint8Array[] {
  const body = length === 0 ? 0 : ends[length - 1];
  return [
    new Uint8Array(Uint32Array.of(length, 0).buffer),
    new Uint8Array(keys.buffer, keys.byteOffset, 8 * length),
    new Uint8Array(ends.buffer, ends.byteOffset, 4 * length),
    bytes.subarray(0, body),
  ];
}

/** Views of the parcel, valid as long as it is; an unaligned parcel is copied once. */
export function unpackKeyedBatch(parcel: Uint8Array): KeyedBatch {
  if (parcel.byteOffset % 8 !== 0) return unpackKeyedBatch(Uint8Array.from(parcel));
  const { buffer, byteOffset } = parcel;
  const length = parcel.length < HEADER ? -1 : new Uint32Array(buffer, byteOffset, 1)[0];
  const start = HEADER + PER_ENTRY * length;
  if (length < 0 || parcel.length < start) throw new Error('A parcel of URLs is truncated.');
  const keys = new BigUint64Array(buffer, byteOffset + HEADER, length);
  const ends = new Uint32Array(buffer, byteOffset + HEADER + 8 * length, length);
  const bytes = parcel.subarray(start);
  if ((length === 0 ? 0 : ends[length - 1]) !== bytes.length)
    throw new Error('A parcel of URLs is not complete.');
  return { length, keys, ends, bytes };
}
