/** What an agent has in memory, as one file of its checkpoint: the frontier, the transport, what was discovered and not handed on. */
import { FieldReader, FieldWriter } from '../disk/fields.ts';
import type { KeyedBatch } from '../sieve/sieve.ts';
import type { TransportState } from './between/transport.ts';
import { decodeTransportState, encodeTransportState } from './between/transport-state.ts';
import { packKeyedBatch, unpackKeyedBatch } from './between/url-parcel.ts';

export interface Front {
  /** See snapshot.ts. */
  readonly frontier: Uint8Array;
  readonly transport: TransportState;
  readonly discovered: readonly KeyedBatch[];
}

export function encodeFront({ frontier, transport, discovered }: Front): Uint8Array {
  const out = new FieldWriter();
  out.bytes(frontier);
  out.bytes(encodeTransportState(transport));
  for (const batch of discovered) out.bytes(packKeyedBatch(batch));
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
