/** Exchanges as the fetcher returns them, and a second reader for the written files: npm warcio. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fc from 'fast-check';
import { AsyncIterReader, WARCParser } from 'warcio';
import type { OpenMode, RawFile } from '../../../src/disk/file-system.ts';
import type { Exchange, HeaderView, Truncation } from '../../../src/fetch/exchange.ts';
import { type Faults, FaultyFileSystem, systemError } from '../../disk/faulty-file-system.ts';

export interface ExchangeParts {
  url?: string;
  head?: string;
  /** The body as sent, in the received pieces. */
  wire?: Uint8Array[];
  payload?: Uint8Array;
  truncated?: Truncation;
}

export function makeExchange(parts: ExchangeParts = {}): Exchange {
  const wireBody = parts.wire ?? [Buffer.from('<p>hello</p>')];
  const url = parts.url ?? 'http://a.test/';
  return {
    url,
    ip: '127.0.0.1',
    startedAt: Date.UTC(2026, 2, 14, 15, 9, 26, 535),
    elapsed: 12,
    requestBytes: Buffer.from(`GET / HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`),
    head: Buffer.from(parts.head ?? 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'),
    wireBody,
    payload: parts.payload ?? Buffer.concat(wireBody),
    status: 200,
    headers: NO_HEADERS,
    ...(parts.truncated && { truncated: parts.truncated }),
    defects: [],
    bytesReceived: 0,
  };
}

const NO_HEADERS: HeaderView = { get: () => undefined, all: () => [], entries: () => [] };

/** A body in chunk framing, with some extensions and a trailer at the end. */
export function chunkedExchange(chunks: Uint8Array[], extraHead = '', trailer = ''): Exchange {
  const whole = chunks.filter((chunk) => chunk.length > 0);
  const wire = whole.flatMap((chunk, i) => [
    Buffer.from(`${chunk.length.toString(16)}${i % 3 === 1 ? ';a=b' : ''}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return makeExchange({
    head: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${extraHead}\r\n`,
    wire: [...wire, Buffer.from(`0\r\n${trailer}\r\n`)],
    payload: Buffer.concat(whole),
  });
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const text = fc.string({ maxLength: 3000 }).map((body) => Buffer.from(body));

/**
 * Any exchange: empty, binary, repetitive or textual bodies, plain or chunked, complete or
 * truncated.
 */
export const anyExchange: fc.Arbitrary<Exchange> = fc.oneof(
  fc.array(fc.oneof(bytes(2000), text), { maxLength: 4 }).map((wire) => makeExchange({ wire })),
  fc.array(bytes(300), { maxLength: 5 }).map((chunks) => chunkedExchange(chunks)),
  fc.array(text, { maxLength: 3 }).map((chunks) => chunkedExchange(chunks)),
  fc
    .tuple(fc.constantFrom('ab', '<li>', '\0'), fc.nat({ max: 30_000 }))
    .map(([unit, times]) => makeExchange({ wire: [Buffer.from(unit.repeat(times))] })),
  fc
    .tuple(bytes(500), fc.constantFrom<Truncation>('length', 'time', 'disconnect'))
    .map(([body, truncated]) => makeExchange({ wire: [body], truncated })),
);

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The faulty file system, which also counts open files and can hold back writes. */
export class WatchedFileSystem extends FaultyFileSystem {
  openFiles = 0;
  /** The system code with which opening a file fails; undefined to allow it. */
  refuseOpen: string | undefined;
  failClose = false;
  /** Every write waits for it. */
  gate: Promise<void> = Promise.resolve();

  constructor(faults: Faults = {}) {
    super(faults);
  }

  override async open(path: string, mode: OpenMode): Promise<RawFile> {
    if (this.refuseOpen) throw systemError(this.refuseOpen);
    const file = await super.open(path, mode);
    this.openFiles++;
    return {
      ...file,
      write: async (...range) => {
        await this.gate;
        return file.write(...range);
      },
      close: async () => {
        await file.close();
        this.openFiles--;
        if (this.failClose) throw systemError('EIO');
      },
    };
  }
}

export interface SecondOpinion {
  type: string;
  url: string | null;
  offset: number;
  length: number;
  /** Undefined if the record states no digest. */
  blockConfirmed: boolean | undefined;
  payloadConfirmed: boolean | undefined;
  block: Uint8Array;
  fields: Headers | Map<string, string>;
}

/**
 * Reads a file with warcio: its offsets, its dechunking. The digests are computed from its output.
 */
export async function readWithWarcio(path: string): Promise<SecondOpinion[]> {
  const parser = new WARCParser(createReadStream(path), { parseHttp: false });
  const opinions: SecondOpinion[] = [];
  for await (const record of parser) {
    const block = await record.readFully(false);
    const fields = record.warcHeaders.headers;
    opinions.push({
      type: String(record.warcType),
      url: record.warcTargetURI ?? null,
      offset: parser.offset,
      length: parser.recordLength,
      blockConfirmed: confirm(record.warcBlockDigest, block),
      // The payload of a revisit is elsewhere.
      payloadConfirmed:
        record.warcType === 'revisit'
          ? undefined
          : confirm(record.warcPayloadDigest, await payloadByWarcio(block)),
      block,
      fields,
    });
  }
  return opinions;
}

async function payloadByWarcio(block: Uint8Array): Promise<Uint8Array> {
  const buffer = Buffer.from(block);
  const end = buffer.indexOf('\r\n\r\n');
  const chunked = buffer.subarray(0, end).toString('latin1').includes('Transfer-Encoding: chunked');
  const body = buffer.subarray(end + 4);
  // Its constructor takes `null` for "not compressed".
  return body.length === 0 ? body : await new AsyncIterReader([body], null, chunked).readFully();
}

function confirm(stated: string | null | undefined, content: Uint8Array): boolean | undefined {
  if (!stated) return undefined;
  const [label, value] = stated.split(':');
  const actual = createHash(label).update(content).digest();
  return value === (label === 'sha1' ? base32ByBigInt(actual) : actual.toString('hex'));
}

/** Base32 the slow way, as an independent check of ours. */
function base32ByBigInt(bytes: Buffer): string {
  const digits = BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(32, '0');
  return [...digits]
    .map((d) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(d, 32)])
    .join('');
}
