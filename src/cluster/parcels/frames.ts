/**
 * A message between two agents of a cluster, as bytes: a piece of a parcel, or a receipt alone.
 *
 * Format    Little-endian. Type u8 (1 parcel, 2 receipt, 3 receipt that asks for a resend), kind
 *           u8, piece u16, pieces u16, zero u16; epoch of the sender u32, ordinal u32; `have` f64;
 *           then for a parcel: sequence f64, after f64, and the bytes of the piece.
 * Ensures   decode(encode(frame)) equals frame; other bytes give undefined: a message of another
 *           program must not end an agent.
 */

/** What every message tells: how far its sender has received what its receiver sends. */
interface Receipt {
  /** The epoch of the agent that sends the message. */
  readonly epoch: number;
  /** The last sequence that it has from the receiver of the message. */
  readonly have: number;
}

export interface ParcelFrame extends Receipt {
  readonly type: 'parcel';
  readonly kind: number;
  readonly sequence: number;
  /** The sequence before it that the receiver must have; 0 if its committed state has it. */
  readonly after: number;
  /** Counts the parcels of this run to this receiver, from 1. */
  readonly ordinal: number;
  readonly piece: number;
  readonly pieces: number;
  readonly bytes: Uint8Array;
}

interface ReceiptFrame extends Receipt {
  readonly type: 'receipt' | 'resend';
}

type Frame = ParcelFrame | ReceiptFrame;

const RECEIPT_BYTES = 24;
const HEAD_BYTES = 40;
const TYPES = { parcel: 1, receipt: 2, resend: 3 } as const;

export function encodeFrame(frame: Frame): Uint8Array {
  const isParcel = frame.type === 'parcel';
  const out = new Uint8Array(isParcel ? HEAD_BYTES + frame.bytes.length : RECEIPT_BYTES);
  const view = new DataView(out.buffer);
  out[0] = TYPES[frame.type];
  view.setUint32(8, frame.epoch, true);
  view.setFloat64(16, frame.have, true);
  if (!isParcel) return out;
  out[1] = frame.kind;
  view.setUint16(2, frame.piece, true);
  view.setUint16(4, frame.pieces, true);
  view.setUint32(12, frame.ordinal, true);
  view.setFloat64(24, frame.sequence, true);
  view.setFloat64(32, frame.after, true);
  out.set(frame.bytes, HEAD_BYTES);
  return out;
}

/** The bytes of a parcel are a copy: the caller may use its memory again. */
export function decodeFrame(bytes: Uint8Array): Frame | undefined {
  if (bytes.length < RECEIPT_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const receipt = { epoch: view.getUint32(8, true), have: view.getFloat64(16, true) };
  if (bytes[0] === TYPES.receipt) return { type: 'receipt', ...receipt };
  if (bytes[0] === TYPES.resend) return { type: 'resend', ...receipt };
  if (bytes[0] !== TYPES.parcel || bytes.length < HEAD_BYTES) return undefined;
  return {
    type: 'parcel',
    ...receipt,
    kind: bytes[1],
    piece: view.getUint16(2, true),
    pieces: view.getUint16(4, true),
    ordinal: view.getUint32(12, true),
    sequence: view.getFloat64(24, true),
    after: view.getFloat64(32, true),
    bytes: Uint8Array.from(bytes.subarray(HEAD_BYTES)),
  };
}
