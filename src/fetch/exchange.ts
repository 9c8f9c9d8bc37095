/**
 * The result of one HTTP exchange: the exact bytes for the archive, and a parsed view for the
 * crawler.
 *
 * `head` and `wireBody` are exactly what the server sent, malformed or not. `status`, `headers` and
 * `payload` are our reading of them. `defects` names every deviation that the reading tolerated.
 */

import type { Bytes, Millis } from '../base/units.ts';
import type { ResolvedAddress } from '../net/dns.ts';

export interface FetchRequest {
  /** A canonical http or https URL. */
  readonly url: string;
  /** Where to connect. The caller resolved the name. With a proxy it is ignored. */
  readonly address: ResolvedAddress;
  /** Default: GET. */
  readonly method?: 'GET' | 'HEAD';
  /** Header lines to send after those of the client's identity: `['If-None-Match', '"x"']`. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /**
   * Asked when the head has arrived: if it returns false, the body is not read, unless it is short.
   */
  readonly wantsBody?: WantsBody;
  /** Read at least this much of the body, even beyond the client's limit. */
  readonly leastBody?: Bytes;
  /**
   * No other request to this origin follows soon: with many idle connections, this one is closed.
   */
  readonly isLast?: boolean;
  /** Send nothing that is the user's: no cookies, no password, no headers for this host. */
  readonly isAnonymous?: boolean;
}

/** Whether a response with this head is to be read. */
export type WantsBody = (status: number, headers: HeaderView) => boolean;

/**
 * Why a body is shorter than the server intended, in the terms of `WARC-Truncated`; `unspecified`
 * if `wantsBody` did not want it.
 */
export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified';

export interface Exchange {
  readonly url: string;
  /** The address of the connection: with a proxy, the proxy's. */
  readonly ip: string;
  readonly startedAt: Millis;
  readonly elapsed: Millis;
  /**
   * The request as sent, with `[redacted]` for the values of Authorization, Cookie and
   * Proxy-Authorization.
   */
  readonly requestBytes: Uint8Array;
  /**
   * Status line, header lines and the empty line, exactly as received (without interim 1xx
   * responses).
   */
  readonly head: Uint8Array;
  /** The body exactly as received, with chunk framing and trailers. */
  readonly wireBody: readonly Uint8Array[];
  /** The body without transfer coding, with content coding: what a payload digest covers. */
  readonly payload: Uint8Array;
  readonly status: number;
  readonly headers: HeaderView;
  readonly truncated?: Truncation;
  /** Tolerated deviations from RFC 9112, e.g. `folded-header`, `length-and-chunked`. */
  readonly defects: readonly string[];
  readonly bytesReceived: Bytes;
  /**
   * Returns the memory of the body for reuse; `wireBody` and `payload` are invalid afterwards.
   * Calling it is optional.
   */
  readonly release?: () => void;
}

/** Response headers as received. Names compare without regard to letter case. */
export interface HeaderView {
  /** The first value of the header, trimmed; undefined if absent. */
  get(name: string): string | undefined;
  /** All values, in the order received. */
  all(name: string): string[];
  /** All lines in the order received, with names as the server wrote them. */
  entries(): Iterable<readonly [name: string, value: string]>;
}

/** How an exchange failed before it had a response; the key of the retry table. */
export type FetchFault =
  | 'fenced'
  | 'connect-refused'
  | 'connect-timeout'
  | 'connect-failed'
  | 'address-refused'
  | 'proxy-failed'
  | 'tls-failed'
  | 'response-timeout'
  | 'reset'
  | 'empty-response'
  | 'bad-response'
  | 'head-too-large';

export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly fault: FetchFault;
  constructor(fault: FetchFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.fault = fault;
  }
}

/**
 * The one interface through which the crawler fetches. It does not follow redirects: they are
 * links.
 */
export interface HttpClient {
  /**
   * Resolves with an exchange that has at least a status, or rejects with a FetchError. A request
   * that cannot be sent is a TypeError: a URL that is not http(s), or a header with a line end in
   * it.
   */
  fetch(request: FetchRequest): Promise<Exchange>;
  /** Closes all connections; fetches in progress fail with `reset`. */
  close(): Promise<void>;
}
