/**
 * Parses one response from the bytes of a connection, in pieces of any size.
 *
 * Idea      A state machine, fed with the bytes of each read. The head is collected and parsed when
 *           it is complete. The body is copied once, to its final place. Only a chunked body is
 *           held twice: as received, and without its framing.
 * Requires  `push` gets the bytes in order until it returns true, then nothing more. The buffer may
 *           be reused after each call.
 * Ensures   The result does not depend on how the bytes were split (except `excess-bytes`: bytes
 *           after a response are noticed only if they arrive with it). `head` and `wireBody` are
 *           exactly what was received. Whatever a server sends, memory stays within the limits and
 *           time is linear.
 * Cost      A comparison per byte of head and of chunk framing, a memory copy per byte of body.
 */

import type { BytesPool } from '../base/bytes-pool.ts';
import type { Bytes } from '../base/units.ts';
import type { FetchFault, Truncation, WantsBody } from './exchange.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { type Framing, framingOf, mayKeep, type ResponseHead, readHead } from './response-head.ts';

export interface ResponseLimits {
  /** Bytes of interim responses, status line and headers together; trailers count separately. */
  readonly maxHeadBytes: Bytes;
  readonly maxBodyBytes: Bytes;
  /** Bytes of the body with its chunk framing, which may be many times the body. */
  readonly maxWireBytes: Bytes;
}

interface Failure {
  readonly fault: FetchFault;
  readonly message: string;
}

/** A stated length is trusted up to this; beyond it, memory grows with the received bytes. */
const TRUSTED_LENGTH = 256 * 1024;
/** An unwanted body of this length is read, because that costs less than a new connection. */
const SHORT_BODY = 16 * 1024;
/** The longest chunk-size line, including extensions. */
const MAX_CHUNK_LINE = 4096;

const CR = 13;
const LF = 10;
const SPACE = 32;
const TAB = 9;
const SEMICOLON = 59;

type State = 'head' | 'body' | 'chunk-line' | 'chunk-data' | 'chunk-end' | 'trailers' | 'done';

export class ResponseParser {
  /** Set if there is no usable response. */
  failure: Failure | undefined;
  truncated: Truncation | undefined;
  head: Buffer | undefined;
  response: ResponseHead | undefined;
  bytesReceived = 0;

  readonly #method: string;
  readonly #limits: ResponseLimits;
  readonly #pool: BytesPool;
  readonly #wantsBody: WantsBody | undefined;
  #state: State = 'head';
  #framing: Framing = { kind: 'none' };
  /** Bytes of head so far, including interim responses and blank lines before it. */
  #headBytes = 0;
  #gathered: GrowingBytes | undefined;
  #blankBeforeHead = false;
  #atLineStart = true;
  #payload: GrowingBytes | undefined;
  #wire: GrowingBytes | undefined;
  /** Payload bytes still missing: of the body, or of the chunk. */
  #remaining = 0;
  #chunkLine = 0;
  #chunkSize = 0;
  #chunkDigits = 0;
  #chunkTail: '' | 'blank' | 'extension' | 'cr' = '';
  #trailerBytes = 0;

  constructor(method: string, limits: ResponseLimits, pool: BytesPool, wantsBody?: WantsBody) {
    this.#method = method;
    this.#limits = limits;
    this.#pool = pool;
    this.#wantsBody = wantsBody;
  }

  get payload(): Buffer {
    return this.#payload?.view() ?? EMPTY;
  }

  get wireBody(): Buffer[] {
    const body = this.#framing.kind === 'chunked' ? this.#wire : this.#payload;
    return body === undefined || body.length === 0 ? [] : [body.view()];
  }

  get inBody(): boolean {
    return this.response !== undefined;
  }

  /** Memory held by the body. */
  get bodyBytes(): number {
    return (this.#payload?.length ?? 0) + (this.#wire?.length ?? 0);
  }

  /** Whether the connection may serve another exchange. Valid only when the response is done. */
  get keepsConnection(): boolean {
    return (
      this.response !== undefined &&
      this.truncated === undefined &&
      this.#framing.kind !== 'close' &&
      mayKeep(this.response)
    );
  }

  /** Returns the memory of the body for reuse. */
  release(): void {
    this.#payload?.release();
    this.#wire?.release();
  }

  /** Consumes received bytes. Returns true when the response has ended, complete or not. */
  push(bytes: Buffer, length: number): boolean {
    this.bytesReceived += length;
    let at = 0;
    while (at < length && this.#state !== 'done') {
      if (this.#state === 'head') at = this.#pushHead(bytes, at, length);
      else if (this.#state === 'body') at = this.#pushBody(bytes, at, length);
      else at = this.#pushChunked(bytes, at, length);
    }
    if (at < length && this.#isWhole()) this.#defect('excess-bytes');
    return this.#state === 'done';
  }

  /** The server closed its side in an orderly way. */
  end(): void {
    if (this.#state === 'done') return;
    if (this.#state === 'head') {
      if (this.bytesReceived === 0)
        this.#fail('empty-response', 'the server closed the connection without a response');
      else this.#fail('bad-response', 'the server closed the connection within the response head');
    } else if (this.#state === 'trailers') {
      this.#endMissing();
    } else if (this.#framing.kind === 'close') {
      this.#state = 'done';
    } else {
      this.cut('disconnect');
    }
  }

  /** Ends the body at the current position. */
  cut(why: Truncation): void {
    this.truncated = why;
    this.#state = 'done';
  }

  #pushHead(bytes: Buffer, from: number, length: number): number {
    let at = from;
    if (this.#gathered === undefined) {
      while (at < length && (bytes[at] === CR || bytes[at] === LF)) at++;
      if (at > from) this.#blankBeforeHead = true;
    }
    const start = at;
    const stop = Math.min(length, at + this.#limits.maxHeadBytes - this.#headBytes - (at - from));
    let whole = false;
    while (at < stop && !whole) {
      const byte = bytes[at++];
      if (byte === LF) {
        whole = this.#atLineStart;
        this.#atLineStart = true;
      } else if (byte !== CR) {
        this.#atLineStart = false;
      }
    }
    this.#headBytes += at - from;
    if (at > start) {
      this.#gathered ??= new GrowingBytes(whole ? at - start : 4 * (at - start), this.#pool);
      this.#gathered.append(bytes, start, at);
      if (!this.#startsLikeHttp(this.#gathered)) return length;
    }
    if (whole) this.#headIsWhole(length - at);
    else if (this.#headBytes >= this.#limits.maxHeadBytes) {
      this.#fail(
        'head-too-large',
        `the response head is larger than ${this.#limits.maxHeadBytes} bytes`,
      );
    }
    return at;
  }

  /** Checks the first bytes, so that a response in another protocol is not read to its end. */
  #startsLikeHttp(gathered: GrowingBytes): boolean {
    const seen = gathered.view().toString('latin1', 0, 5);
    if ('HTTP/'.startsWith(seen.toUpperCase())) return true;
    this.#fail('bad-response', `the response begins with ${JSON.stringify(seen)}, not with HTTP/`);
    return false;
  }

  #headIsWhole(available: number): void {
    const bytes = this.#gathered!.view();
    this.#gathered = undefined;
    this.#atLineStart = true;
    const response = readHead(bytes);
    if (response === undefined || response.status === 101) {
      const line = bytes.toString('latin1', 0, Math.min(80, bytes.indexOf(LF))).trimEnd();
      this.#fail('bad-response', `the status line ${JSON.stringify(line)} is not valid here`);
      return;
    }
    if (response.status < 200) return; // interim: the final head follows
    if (this.#blankBeforeHead) response.defects.push('blank-before-head');
    this.head = bytes;
    this.response = response;
    this.#framing = framingOf(response, this.#method);
    if (this.#isUnwanted(response)) this.cut('unspecified');
    else this.#beginBody(this.#framing, available);
  }

  #isUnwanted({ status, headers }: ResponseHead): boolean {
    const { kind } = this.#framing;
    const isShort = this.#framing.kind === 'length' && this.#framing.length <= SHORT_BODY;
    if (this.#wantsBody === undefined || kind === 'none' || isShort) return false;
    return !this.#wantsBody(status, headers);
  }

  #beginBody(framing: Framing, available: number): void {
    const { maxBodyBytes } = this.#limits;
    if (framing.kind === 'none' || (framing.kind === 'length' && framing.length === 0)) {
      this.#state = 'done';
    } else if (framing.kind === 'length') {
      this.#remaining = framing.length;
      this.#payload = new GrowingBytes(
        Math.min(framing.length, maxBodyBytes, TRUSTED_LENGTH),
        this.#pool,
      );
      this.#state = 'body';
    } else {
      this.#remaining = Number.POSITIVE_INFINITY;
      this.#payload = new GrowingBytes(
        Math.max(1024, Math.min(available, maxBodyBytes)),
        this.#pool,
      );
      if (framing.kind === 'chunked')
        this.#wire = new GrowingBytes(Math.max(1024, available), this.#pool);
      this.#state = framing.kind === 'chunked' ? 'chunk-line' : 'body';
    }
  }

  #pushBody(bytes: Buffer, at: number, length: number): number {
    const taken = this.#takePayload(bytes, at, length);
    if (this.#remaining === 0) this.#state = 'done';
    return taken;
  }

  /** Moves up to `#remaining` bytes into the payload; stops for good at the limit. */
  #takePayload(bytes: Buffer, at: number, length: number): number {
    const payload = this.#payload!;
    const room = this.#limits.maxBodyBytes - payload.length;
    const here = Math.min(length - at, this.#remaining);
    const taken = Math.min(here, room);
    payload.append(bytes, at, at + taken);
    this.#remaining -= taken;
    if (taken === room && this.#remaining > 0 && (taken < here || Number.isFinite(this.#remaining)))
      this.cut('length');
    return at + taken;
  }

  /**
   * Consumes everything from a chunk-size line to the last trailer, and also keeps it as wire
   * bytes.
   */
  #pushChunked(bytes: Buffer, from: number, length: number): number {
    const wire = this.#wire!;
    const room = this.#limits.maxWireBytes - wire.length;
    const stop = Math.min(length, from + room);
    let at = from;
    while (at < stop && this.#state !== 'done') {
      if (this.#state === 'chunk-data') {
        at = this.#takePayload(bytes, at, stop);
        if (this.#remaining === 0 && !this.#isCut()) this.#state = 'chunk-end';
      } else if (this.#state === 'chunk-line') this.#chunkLineByte(bytes[at++]);
      else if (this.#state === 'chunk-end') this.#chunkEndByte(bytes[at++]);
      else this.#trailerByte(bytes[at++]);
    }
    wire.append(bytes, from, at);
    if (stop < length && this.#inTrailers()) this.#endMissing();
    else if (stop < length && !this.#isDone()) this.cut('length');
    return at;
  }

  #chunkLineByte(byte: number): void {
    const sane = ++this.#chunkLine <= MAX_CHUNK_LINE;
    if (sane && byte === LF && this.#chunkDigits > 0) this.#chunkLineEnds();
    else if (!sane || !this.#goesOnChunkLine(byte)) this.#badChunk();
  }

  /**
   * Checks the next byte before the line feed: digits, blanks, an extension, a carriage return, in
   * this order.
   */
  #goesOnChunkLine(byte: number): boolean {
    if (byte === LF || this.#chunkTail === 'cr') return false;
    if (byte === CR) {
      this.#chunkTail = 'cr';
    } else if (this.#chunkTail === 'extension') {
      return true;
    } else if (byte === SEMICOLON) {
      this.#chunkTail = 'extension';
    } else if (byte === SPACE || byte === TAB) {
      this.#chunkTail = 'blank';
    } else {
      const digit = hexDigit(byte);
      if (digit < 0 || this.#chunkTail === 'blank') return false;
      this.#chunkDigits++;
      this.#chunkSize = this.#chunkSize * 16 + digit;
    }
    return Number.isSafeInteger(this.#chunkSize);
  }

  #chunkLineEnds(): void {
    if (this.#chunkTail !== 'cr') this.#defect('bare-lf');
    this.#remaining = this.#chunkSize;
    this.#state = this.#remaining > 0 ? 'chunk-data' : 'trailers';
    this.#atLineStart = true;
    this.#chunkLine = 0;
    this.#chunkDigits = 0;
    this.#chunkTail = '';
    this.#chunkSize = 0;
  }

  /** The line end after the data of a chunk. */
  #chunkEndByte(byte: number): void {
    if (byte === CR && this.#chunkTail === '') {
      this.#chunkTail = 'cr';
    } else if (byte === LF) {
      if (this.#chunkTail !== 'cr') this.#defect('bare-lf');
      this.#chunkTail = '';
      this.#state = 'chunk-line';
    } else {
      this.#badChunk();
    }
  }

  #trailerByte(byte: number): void {
    if (byte === LF) {
      if (this.#atLineStart) this.#state = 'done';
      this.#atLineStart = true;
    } else if (byte !== CR) {
      this.#atLineStart = false;
    }
    if (++this.#trailerBytes > this.#limits.maxHeadBytes && this.#inTrailers()) this.#endMissing();
  }

  /** All data and the last chunk were received; only the final line end is missing. */
  #endMissing(): void {
    this.#defect('chunked-end-missing');
    this.#state = 'done';
  }

  /** The framing is broken: the rest of the body is lost, what came before it stays. */
  #badChunk(): void {
    this.#defect('bad-chunk');
    this.cut('disconnect');
  }

  #isCut(): boolean {
    return this.truncated !== undefined;
  }

  /** Whether everything that the server meant to send was received, to the last byte. */
  #isWhole(): boolean {
    const { response } = this;
    return (
      response !== undefined && !this.#isCut() && !response.defects.includes('chunked-end-missing')
    );
  }

  #inTrailers(): boolean {
    return this.#state === 'trailers';
  }

  #isDone(): boolean {
    return this.#state === 'done';
  }

  #defect(name: string): void {
    const defects = this.response!.defects;
    if (!defects.includes(name)) defects.push(name);
  }

  #fail(fault: FetchFault, message: string): void {
    this.failure = { fault, message };
    this.#state = 'done';
  }
}

const EMPTY = Buffer.alloc(0);

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
