/**
 * Decodes content codings: from the payload that a digest covers to the bytes that a parser reads.
 *
 * Idea      The usual case is one call of zlib. If that fails (a body that is truncated, damaged,
 *           or larger than allowed), decode again slice by slice and keep everything before the
 *           failure.
 * Requires  Nothing of the body: a stranger wrote it.
 * Ensures   Never rejects. `body` has at most `maxBytes`. A decoded body has at most `maxRatio`
 *           times the received bytes, but always up to a mebibyte, where a high ratio is harmless.
 *           A body without coding is returned without a copy. Large bodies are decoded off the
 *           event loop, at most four of a thread at once.
 * Cost      Nothing for identity; about 100 MB/s of output for gzip.
 */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { systemCode } from '../base/errors.ts';
import { Gate } from '../base/gate.ts';
import type { Bytes } from '../base/units.ts';
import type { BodyHold } from './body-budget.ts';
import type { Exchange } from './exchange.ts';
import { listOf, transferCodings } from './response-head.ts';

interface DecodeLimits {
  readonly maxBytes: Bytes;
  /** The largest ratio of output to input, over all codings together. */
  readonly maxRatio: number;
}

export const DEFAULT_DECODE_LIMITS: DecodeLimits = { maxBytes: 10 * 1024 * 1024, maxRatio: 100 };

/** A user who wants large bodies wants them decoded, too. */
export const decodeLimitsFor = (maxBody: Bytes): DecodeLimits => ({
  ...DEFAULT_DECODE_LIMITS,
  maxBytes: Math.max(DEFAULT_DECODE_LIMITS.maxBytes, maxBody),
});

export interface DecodedContent {
  readonly body: Uint8Array;
  /**
   * `limit`: the rest would exceed a limit. `damage`: the coded bytes end early or are malformed
   * from there on.
   */
  readonly truncated?: 'limit' | 'damage';
  /** Listed in docs/fetch.md: `coding-absent`, `coding-cut`, `coding-damaged`, … */
  readonly defects: readonly string[];
}

type Coding = 'gzip' | 'deflate' | 'br';
const CODINGS: Readonly<Record<string, Coding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
};

const RATIO_FREE: Bytes = 1024 * 1024;
const MAX_CODINGS = 4;
/** Up to this size a call off the event loop costs more than it saves. */
const SYNC_BYTES: Bytes = 64 * 1024;

/** The largest size of the code tables before the first byte of output. */
const LONGEST_PREAMBLE: Bytes = 4096;

/**
 * Decodes that do not finish in one step. Node has four threads for them, and each that waits for
 * one has its memory already.
 */
const UNDER_WAY = new Gate(4);

export function decodeContent(
  exchange: Pick<Exchange, 'payload' | 'headers'>,
  limits: DecodeLimits = DEFAULT_DECODE_LIMITS,
): Promise<DecodedContent> {
  const codings = codingsOf(exchange);
  return codings.length === 0
    ? Promise.resolve({ body: exchange.payload, defects: [] })
    : decodeAll(exchange.payload, codings, limits);
}

/**
 * Decodes the content of a page and charges it to the page's hold; waits until there is room for
 * it.
 */
export function decodeHeld(
  exchange: Pick<Exchange, 'payload' | 'headers'>,
  hold: BodyHold,
  limits: DecodeLimits = DEFAULT_DECODE_LIMITS,
): Promise<DecodedContent> {
  if (codingsOf(exchange).length === 0) return decodeContent(exchange, limits);
  const most = roomFor(exchange.payload, limits);
  return hold.decoded(most, () => decodeContent(exchange, limits));
}

/** The most bytes that a body may decode to. */
function roomFor(payload: Uint8Array, { maxBytes, maxRatio }: DecodeLimits): Bytes {
  return Math.min(maxBytes, Math.max(RATIO_FREE, maxRatio * payload.length));
}

/**
 * Decodes bytes that are gzip themselves, independent of headers: a file that was stored
 * compressed. The result is charged to the page's hold.
 */
export function gunzipHeld(
  bytes: Uint8Array,
  hold: BodyHold,
  limits: DecodeLimits,
): Promise<DecodedContent> {
  return hold.decoded(roomFor(bytes, limits), () => decodeAll(bytes, ['gzip'], limits));
}

/** In the order in which they were applied; a transfer coding that compresses was applied last. */
function codingsOf({ headers }: Pick<Exchange, 'headers'>): string[] {
  const content =
    headers.get('content-encoding') === undefined ? [] : listOf(headers, 'content-encoding');
  const transfer = transferCodings(headers).filter((coding) => coding !== 'chunked');
  return [...content, ...transfer].filter((coding) => coding !== 'identity');
}

async function decodeAll(
  payload: Uint8Array,
  codings: readonly string[],
  limits: DecodeLimits,
): Promise<DecodedContent> {
  if (codings.length > MAX_CODINGS) return { body: payload, defects: ['too-many-codings'] };
  const room = roomFor(payload, limits);
  const defects = new Set<string>();
  let truncated: DecodedContent['truncated'];
  let body = payload;
  for (const name of codings.toReversed()) {
    const coding = CODINGS[name];
    if (coding === undefined) {
      defects.add('coding-unknown');
      break;
    }
    if (body.length === 0) break;
    const layer = await decodeLayer(body, coding, room);
    body = layer.body;
    truncated = layer.truncated ?? truncated;
    for (const defect of layer.defects) defects.add(defect);
  }
  return { body, ...(truncated === undefined ? {} : { truncated }), defects: [...defects] };
}

async function decodeLayer(
  bytes: Uint8Array,
  coding: Coding,
  room: Bytes,
): Promise<DecodedContent> {
  const format = formatOf(bytes, coding);
  try {
    const { buffer, engine } =
      bytes.length <= SYNC_BYTES
        ? decodeNow(bytes, format, room)
        : await UNDER_WAY.run(() => decodeLater(bytes, format, room));
    const defects = engine.bytesWritten < bytes.length ? ['coding-trailing-bytes'] : [];
    return { body: buffer, defects };
  } catch (error) {
    return UNDER_WAY.run(() => salvage(bytes, format, room, systemCode(error)));
  }
}

/** Decodes what can be decoded, after zlib failed on the whole with the code. */
async function salvage(
  bytes: Uint8Array,
  format: Format,
  room: Bytes,
  code: string,
): Promise<DecodedContent> {
  const member =
    format === 'gzip' && code === 'Z_DATA_ERROR' ? await decodeMember(bytes, room) : undefined;
  if (member !== undefined) return member;
  const body = await decodeSlices(bytes, format, room);
  if (code === 'ERR_BUFFER_TOO_LARGE') return { body, truncated: 'limit', defects: [] };
  const cut = code === 'Z_BUF_ERROR';
  // Nothing was decoded, so the server sent the body without the coding that it named. (Any
  // length of text may look like the beginning of brotli.)
  if (body.length === 0 && (!cut || bytes.length > LONGEST_PREAMBLE))
    return { body: bytes, defects: ['coding-absent'] };
  return { body, truncated: 'damage', defects: [cut ? 'coding-cut' : 'coding-damaged'] };
}

type Format = 'gzip' | 'zlib' | 'raw' | 'br';

/** "deflate" means the zlib format, but some servers send raw deflate. */
function formatOf(bytes: Uint8Array, coding: Coding): Format {
  if (coding !== 'deflate') return coding;
  const wrapped = (bytes[0] & 0x0f) === 8 && ((bytes[0] << 8) | bytes[1]) % 31 === 0;
  return wrapped ? 'zlib' : 'raw';
}

/** The result of zlib's one-call functions with `info: true`, which their types omit. */
interface Decoded {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}
type WholeOptions = { readonly info: true; readonly maxOutputLength: number };
type Whole<Result> = (bytes: Uint8Array, options: WholeOptions) => Result;

const NOW = {
  gzip: zlib.gunzipSync,
  zlib: zlib.inflateSync,
  raw: zlib.inflateRawSync,
  br: zlib.brotliDecompressSync,
} as unknown as Record<Format, Whole<Decoded>>;

const LATER = {
  gzip: promisify(zlib.gunzip),
  zlib: promisify(zlib.inflate),
  raw: promisify(zlib.inflateRaw),
  br: promisify(zlib.brotliDecompress),
} as unknown as Record<Format, Whole<Promise<Decoded>>>;

const wholeOptions = (room: Bytes): WholeOptions => ({
  info: true,
  maxOutputLength: Math.max(1, room),
});

function decodeNow(bytes: Uint8Array, format: Format, room: Bytes): Decoded {
  return NOW[format](bytes, wholeOptions(room));
}

function decodeLater(bytes: Uint8Array, format: Format, room: Bytes): Promise<Decoded> {
  return LATER[format](bytes, wholeOptions(room));
}

/**
 * Decodes a complete gzip member that is followed by other bytes or has a wrong checksum; otherwise
 * undefined.
 */
async function decodeMember(bytes: Uint8Array, room: Bytes): Promise<DecodedContent | undefined> {
  const deflated = bytes.subarray(gzipHeaderLength(bytes));
  try {
    const { buffer, engine } =
      deflated.length <= SYNC_BYTES
        ? decodeNow(deflated, 'raw', room)
        : await decodeLater(deflated, 'raw', room);
    const after = deflated.subarray(engine.bytesWritten + 8);
    if (after[0] === GZIP_MAGIC[0] && after[1] === GZIP_MAGIC[1]) return undefined;
    return {
      body: buffer,
      defects: [after.length > 0 ? 'coding-trailing-bytes' : 'coding-checksum'],
    };
  } catch {
    return undefined;
  }
}

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** RFC 1952, section 2.3. Without a gzip header the length is meaningless, and decoding fails. */
function gzipHeaderLength(bytes: Uint8Array): number {
  if (bytes[0] !== GZIP_MAGIC[0] || bytes[1] !== GZIP_MAGIC[1]) return bytes.length;
  const flags = bytes[3];
  let at = 10;
  if (flags & 4) at += 2 + bytes[at] + 256 * bytes[at + 1];
  for (const zeroEnded of [8, 16]) {
    if (!(flags & zeroEnded)) continue;
    const zero = bytes.indexOf(0, at);
    if (zero < 0) return bytes.length;
    at = zero + 1;
  }
  return flags & 2 ? at + 2 : at;
}

const STREAM = {
  gzip: zlib.createGunzip,
  zlib: zlib.createInflate,
  raw: zlib.createInflateRaw,
  br: zlib.createBrotliDecompress,
} as const;

/** Decodes as much as possible: up to the damage, the end or the limit. */
function decodeSlices(bytes: Uint8Array, format: Format, room: Bytes): Promise<Buffer> {
  // A damaged slice yields nothing, so slices are small. The last eight bytes, the gzip checksum,
  // are a slice of their own.
  const slice = Math.max(256, Math.ceil(bytes.length / 1024));
  const tail = Math.max(0, bytes.length - 8);
  return new Promise((resolve) => {
    const stream = STREAM[format]();
    const pieces: Buffer[] = [];
    let length = 0;
    const finish = () => {
      stream.destroy();
      resolve(Buffer.concat(pieces, Math.min(length, room)));
    };
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length >= room) finish();
    });
    stream.on('error', finish);
    const feed = (at: number) => {
      if (at >= bytes.length || stream.destroyed) return finish();
      const end = at < tail ? Math.min(at + slice, tail) : bytes.length;
      stream.write(bytes.subarray(at, end), () => feed(end));
    };
    feed(0);
  });
}
