/**
 * The state of a transport as bytes, for the file of an agent's checkpoint; and the parcels to hand
 * over when the crawl is resumed with another number of agents.
 *
 * Format    Little-endian; `DRML`, version 1, `trs`; agent u32, agents u32, parcels u32, zero u32;
 *           then `received`, one u64 per agent; then for each parcel sequence u64, to u32,
 *           kind u32, length u32 and its bytes.
 * Ensures   decode(encode(state)) equals state, in newly allocated bytes; any other input is
 *           rejected as a damaged file.
 * Cost      One copy of the unacknowledged bytes when they are read.
 */

import { DrumlinError, EXIT } from '../../base/errors.ts';
import { type Format, formatHeader, HEADER_BYTES, versionMismatch } from '../../disk/format.ts';
import type { KeptParcel, Parcel, TransportState } from './transport.ts';

const FORMAT: Format = { type: 'trs', version: 1 };
const FIXED = HEADER_BYTES + 16;
const PER_PARCEL = 20;

/** In pieces, so that the bytes of the parcels are not copied. */
export function encodeTransportState(state: TransportState): Uint8Array[] {
  const { agent, agents, received, unacknowledged } = state;
  const head = Buffer.alloc(FIXED + 8 * agents);
  head.set(formatHeader(FORMAT));
  let at = head.writeUInt32LE(agent, HEADER_BYTES);
  at = head.writeUInt32LE(agents, at);
  at = head.writeUInt32LE(unacknowledged.length, at) + 4;
  for (const sequence of received) at = head.writeBigUInt64LE(BigInt(sequence), at);
  const pieces: Uint8Array[] = [head];
  for (const { sequence, to, kind, bytes } of unacknowledged) {
    const parcel = Buffer.alloc(PER_PARCEL);
    at = parcel.writeBigUInt64LE(BigInt(sequence));
    at = parcel.writeUInt32LE(to, at);
    at = parcel.writeUInt32LE(kind, at);
    parcel.writeUInt32LE(bytes.length, at);
    pieces.push(parcel, bytes);
  }
  return pieces;
}

/** `path` is the file that the error names if the bytes are damaged. */
export function decodeTransportState(bytes: Uint8Array, path: string): TransportState {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const expected = Buffer.from(formatHeader(FORMAT));
  if (file.length < FIXED || !file.subarray(0, 4).equals(expected.subarray(0, 4)))
    throw damaged(path);
  if (!file.subarray(5, 8).equals(expected.subarray(5))) throw damaged(path);
  if (file[4] !== FORMAT.version) throw versionMismatch(path, file[4], FORMAT.version);
  const [agent, agents, parcels] = [8, 12, 16].map((at) => file.readUInt32LE(at));
  let at = FIXED + 8 * agents;
  if (file.length < at) throw damaged(path);
  const received = Array.from({ length: agents }, (_, i) =>
    Number(file.readBigUInt64LE(FIXED + 8 * i)),
  );
  const unacknowledged: KeptParcel[] = [];
  for (let i = 0; i < parcels; i++) {
    if (file.length < at + PER_PARCEL) throw damaged(path);
    const end = at + PER_PARCEL + file.readUInt32LE(at + 16);
    if (file.length < end) throw damaged(path);
    unacknowledged.push({
      to: file.readUInt32LE(at + 8),
      sequence: Number(file.readBigUInt64LE(at)),
      kind: file.readUInt32LE(at + 12),
      bytes: new Uint8Array(file.subarray(at + PER_PARCEL, end)),
    });
    at = end;
  }
  if (at !== file.length) throw damaged(path);
  return { agent, agents, received, unacknowledged };
}

/**
 * The parcels that were sent and are in no receiver's checkpoint, given the states of all agents.
 * A crawl that is resumed with another number of agents starts with empty transports and hands
 * these out again, by their content.
 */
export function undelivered(states: readonly TransportState[]): Parcel[] {
  return states.flatMap(({ agent: from, unacknowledged }) =>
    unacknowledged
      .filter(({ to, sequence }) => sequence > states[to].received[from])
      .map(({ sequence, kind, bytes }) => ({ from, sequence, kind, bytes })),
  );
}

function damaged(path: string): DrumlinError {
  return new DrumlinError(
    'FILE_FORMAT',
    `${path} does not hold the state of a transport.`,
    'Choose another --dir, or restore the file from a copy.',
    { exitCode: EXIT.folder },
  );
}
