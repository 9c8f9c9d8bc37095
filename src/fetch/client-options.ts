/** What can be asked of the HTTP client, and what it does unasked. docs/fetch.md says what happens at each limit. */
import type { Clock } from '../base/clock.ts';
import type { Bytes, Millis } from '../base/units.ts';
import type { AddressGuard } from '../net/address-guard.ts';
import type { CookieTable } from './cookies.ts';
import type { CredentialTable } from './credentials.ts';
import type { Identity } from './identity.ts';
import type { HttpProxy } from './proxy.ts';

export interface FetchLimits {
  readonly connect: Millis;
  readonly tlsHandshake: Millis;
  /** From the request to the first byte of the response. */
  readonly firstByte: Millis;
  /** Between two reads. */
  readonly idle: Millis;
  /** The whole exchange, connecting included. */
  readonly total: Millis;
  readonly maxHeadBytes: Bytes;
  readonly maxBodyBytes: Bytes;
  /** The body with its chunk framing. */
  readonly maxWireBytes: Bytes;
  /** All bodies under way together. */
  readonly maxBufferedBytes: Bytes;
}

export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  connect: 10_000,
  tlsHandshake: 10_000,
  firstByte: 30_000,
  idle: 20_000,
  total: 120_000,
  maxHeadBytes: 64 * 1024,
  maxBodyBytes: 10 * 1024 * 1024,
  maxWireBytes: 12 * 1024 * 1024,
  maxBufferedBytes: 256 * 1024 * 1024,
};

export interface KeepAlive {
  /** Resting connections for one origin at one address; 0 asks servers to close. */
  readonly perOrigin: number;
  /** Resting connections in all. */
  readonly total: number;
  readonly idle: Millis;
  /** Where so many rest, one that served a last request goes. */
  readonly plenty: number;
}

/** Long enough for a host's delay to pass, so that its next page needs no handshake. */
export const DEFAULT_KEEP_ALIVE: KeepAlive = {
  perOrigin: 1,
  total: 8192,
  idle: 15_000,
  plenty: 256,
};

export interface HttpClientOptions {
  readonly identity: Identity;
  readonly guard: AddressGuard;
  readonly limits?: Partial<FetchLimits>;
  readonly keepAlive?: Partial<KeepAlive>;
  readonly tls?: {
    /** Certificate authorities (PEM) trusted beside the built-in ones. */
    readonly ca?: string | readonly string[];
  };
  /** Takes any certificate. */
  readonly insecure?: boolean;
  /** All requests go through it. */
  readonly proxy?: HttpProxy;
  /** Passwords, each for its origins alone. */
  readonly credentials?: CredentialTable;
  readonly cookies?: CookieTable;
  readonly clock?: Clock;
}
