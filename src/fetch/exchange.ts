/**
 * What one HTTP exchange leaves behind: the exact bytes for the archive, and a view of them for the crawler.
 *
 * The bytes are the truth. `head` and `wireBody` are what the server sent, to the byte, broken or not;
 * `status`, `headers` and `payload` are how we read them, and `defects` names every liberty we took.
 */

import type { Bytes, Millis } from '../base/units.ts';
import type { ResolvedAddress } from '../net/dns.ts';

export interface FetchRequest {
  /** Canonical http or https URL. */
  readonly url: string;
  /** Where to connect. The name was resolved, and the address allowed, by the caller. With a proxy it is not looked at. */
  readonly address: ResolvedAddress;
  /** GET when absent. */
  readonly method?: 'GET' | 'HEAD';
  /** Header lines sent after those of the client's identity: `['If-None-Match', '"x"']`. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** That much of the body is read, whatever the client's limit. */
  readonly leastBody?: Bytes;
  /** Nothing else is asked there for a while: where many connections rest, this one need not. */
  readonly isLast?: boolean;
}

/** Why a body is shorter than the server meant it to be, in the words of `WARC-Truncated`. */
export type Truncation = 'length' | 'time' | 'disconnect';

export interface Exchange {
  readonly url: string;
  /** The address that was actually connected to: with a proxy, the proxy's. */
  readonly ip: string;
  readonly startedAt: Millis;
  readonly elapsed: Millis;
  /** As sent, but with `[redacted]` for the values of Authorization, Cookie and Proxy-Authorization. */
  readonly requestBytes: Uint8Array;
  /** Status line, header lines and the empty line, exactly as they came (interim 1xx responses left out). */
  readonly head: Uint8Array;
  /** The body exactly as it came: chunk framing and trailers included. */
  readonly wireBody: readonly Uint8Array[];
  /** The body without transfer coding, content coding kept: what a payload digest covers. */
  readonly payload: Uint8Array;
  readonly status: number;
  readonly headers: HeaderView;
  readonly truncated?: Truncation;
  /** Deviations from RFC 9112 that were read over, e.g. `folded-header`, `length-and-chunked`. */
  readonly defects: readonly string[];
  readonly bytesReceived: Bytes;
  /** Gives the memory of the body back, for another: nobody reads `wireBody` and `payload` any more. Where nobody says so, it is collected. */
  readonly release?: () => void;
}

/** Response headers as received; names compare without regard to case. */
export interface HeaderView {
  /** First value of the header, trimmed; undefined when absent. */
  get(name: string): string | undefined;
  /** Every value in order of arrival. */
  all(name: string): string[];
  /** All lines in order of arrival, names as the server wrote them. */
  entries(): Iterable<readonly [name: string, value: string]>;
}

/** How an exchange failed before it had a response; the retry table is keyed by it. */
export type FetchFault =
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

/** The one interface the crawler fetches through. Redirects are not followed here: they are links. */
export interface HttpClient {
  /**
   * Resolves with an exchange that has at least a status, or rejects with a FetchError. A request that could not be
   * sent at all, such as a URL that is not http(s) or a header with a line end in it, is a TypeError.
   */
  fetch(request: FetchRequest): Promise<Exchange>;
  /** Ends all kept connections; fetches under way fail with `reset`. */
  close(): Promise<void>;
}
