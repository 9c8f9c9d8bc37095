/**
 * The memory image of an agent, one file of its checkpoint: the frontier, the transport, and the
 * URLs discovered and not sent to their owners yet.
 */
import { FieldReader, FieldWriter } from '../../base/fields.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import type { TransportState } from '../transport/transport.ts';
import { decodeTransportState, encodeTransportState } from '../transport/transport-state.ts';
import { parcelPieces, unpackKeyedBatch } from '../transport/url-parcel.ts';

export interface MemoryImage {
  /** The snapshot of the frontier; see frontier/snapshot.ts. */
  readonly frontier: Uint8Array;
  readonly transport: TransportState;
  readonly discovered: readonly KeyedBatch[];
}

/**
 * Returns the file in pieces, because it may hold many megabytes every few seconds. They are views
 * of the image, which must not change until they are written.
 */
export function encodeImage({ frontier, transport, discovered }: MemoryImage): Uint8Array[] {
  const fields = [[frontier], encodeTransportState(transport), ...discovered.map(parcelPieces)];
  return fields.flatMap((pieces) => [lengthOf(pieces), ...pieces]);
}

/** The length of the pieces, as `FieldWriter.bytes` writes it. */
function lengthOf(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new FieldWriter();
  out.number(pieces.reduce((sum, { length }) => sum + length, 0));
  return out.finish();
}

/** `path` is the file that the error names if the bytes are damaged. */
export function decodeImage(bytes: Uint8Array, path: string): MemoryImage {
  const fields = new FieldReader(bytes);
  const frontier = fields.bytes();
  const transport = decodeTransportState(fields.bytes(), path);
  const discovered: KeyedBatch[] = [];
  while (!fields.atEnd) discovered.push(unpackKeyedBatch(fields.bytes()));
  return { frontier, transport, discovered };
}
