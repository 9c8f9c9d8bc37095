/**
 * The part of DNS (RFC 1035) that a name server of one zone needs: one question in, one answer out.
 *
 * Ensures   `readQuery` never throws: it returns undefined for bytes that are no query, which are
 *           not answered.
 */
export const TYPE = { A: 1, AAAA: 28, ANY: 255 } as const;
export const RCODE = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
} as const;

export interface Query {
  readonly id: number;
  /** Lower case, without the final dot. */
  readonly name: string;
  readonly type: number;
  /** Recursion was desired; the answer repeats this. */
  readonly recursion: boolean;
  /** The question as received, to be repeated in the answer. */
  readonly question: Uint8Array;
}

interface Record4 {
  readonly address: string;
  readonly seconds: number;
}

export function readQuery(packet: Uint8Array): Query | undefined {
  if (packet.length < 17 || packet.length > 512) return undefined;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const flags = view.getUint16(2);
  const isQuery = (flags & 0x8000) === 0 && (flags & 0x7800) === 0;
  if (!isQuery || view.getUint16(4) !== 1) return undefined;
  let at = 12;
  let name = '';
  for (;;) {
    const length = packet[at];
    if (length === undefined || length > 63) return undefined;
    at++;
    if (length === 0) break;
    if (at + length > packet.length) return undefined;
    for (let i = 0; i < length; i++) name += String.fromCharCode(packet[at + i]);
    name += '.';
    at += length;
  }
  if (at + 4 > packet.length) return undefined;
  return {
    id: view.getUint16(0),
    name: name.slice(0, -1).toLowerCase(),
    type: view.getUint16(at),
    recursion: (flags & 0x0100) !== 0,
    question: packet.subarray(12, at + 4),
  };
}

/** A response with the given code and at most one address. */
export function writeResponse(query: Query, rcode: number, record?: Record4): Uint8Array {
  const packet = new Uint8Array(12 + query.question.length + (record ? 16 : 0));
  const view = new DataView(packet.buffer);
  view.setUint16(0, query.id);
  view.setUint16(2, 0x8480 | (query.recursion ? 0x0100 : 0) | rcode);
  view.setUint16(4, 1);
  view.setUint16(6, record ? 1 : 0);
  packet.set(query.question, 12);
  if (!record) return packet;
  const at = 12 + query.question.length;
  view.setUint16(at, 0xc00c);
  view.setUint16(at + 2, TYPE.A);
  view.setUint16(at + 4, 1);
  view.setUint32(at + 6, record.seconds);
  view.setUint16(at + 10, 4);
  packet.set(record.address.split('.').map(Number), at + 12);
  return packet;
}
