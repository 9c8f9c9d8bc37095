/** What an agent has in memory, as one file of its checkpoint: the frontier, the transport, what was discovered and not handed on. */
import { FieldReader, FieldWriter } from '../../base/fields.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import type { TransportState } from '../transport/transport.ts';
import { decodeTransportState, encodeTransportState } from '../transport/transport-state.ts';
import { parcelPieces, unpackKeyedBatch } from '../transport/url-parcel.ts';

export interface Front {
  /** See snapshot.ts. */
  readonly frontier: Uint8Array;
  readonly transport: TransportState;
  readonly discovered: readonly KeyedBatch[];
}

/**
 * In pieces: there may be many megabytes in them every few seconds. What was discovered goes on growing while it is written, so it is copied
 * to `copied`; whoever encodes one every few seconds gives the same.
 */
export function encodeFront(
  { frontier, transport, discovered }: Front,
  copied = new FieldWriter(),
): Uint8Array[] {
  copied.clear();
  for (const batch of discovered) copied.bytes(...parcelPieces(batch));
  const sent = encodeTransportState(transport);
  return [lengthOf([frontier]), frontier, lengthOf(sent), ...sent, copied.finish()];
}

/** As `FieldWriter.bytes` writes it. */
function lengthOf(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new FieldWriter();
  out.number(pieces.reduce((sum, { length }) => sum + length, 0));
  return out.finish();
}

/** `path` is named when the bytes are refused. */
export function decodeFront(bytes: Uint8Array, path: string): Front {
  const fields = new FieldReader(bytes);
  const frontier = fields.bytes();
  const transport = decodeTransportState(fields.bytes(), path);
  const discovered: KeyedBatch[] = [];
  while (!fields.atEnd) discovered.push(unpackKeyedBatch(fields.bytes()));
  return { frontier, transport, discovered };
}
