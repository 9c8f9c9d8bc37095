/**
 * The options of the HTTP client and their defaults. docs/fetch.md states what happens at each
 * limit.
 */
import type net from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Bytes, Millis } from '../base/units.ts';
import type { AddressGuard } from '../net/address-guard.ts';
import type { BodyBudget } from './body-budget.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { CookieTable } from './cookies.ts';
import type { CredentialTable } from './credentials.ts';
import type { HostHeaders } from './host-headers.ts';
import type { Identity } from './identity.ts';
import type { HttpProxy } from './proxy.ts';

export interface FetchLimits {
  readonly connect: Millis;
  readonly tlsHandshake: Millis;
  /** Time from the request to the first byte of the response. */
  readonly firstByte: Millis;
  /** Time between two reads. */
  readonly idle: Millis;
  /** Time for the whole exchange, including the connection. */
  readonly total: Millis;
  readonly maxHeadBytes: Bytes;
  readonly maxBodyBytes: Bytes;
  /** Bytes of the body with its chunk framing. */
  readonly maxWireBytes: Bytes;
  /** Bytes of all bodies in progress together; `bodies` replaces it. */
  readonly maxBufferedBytes: Bytes;
  /** While there is no memory for bodies: cut those that arrive with fewer bytes per second. */
  readonly minRate: Bytes;
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
  minRate: 16 * 1024,
};

export interface KeepAlive {
  /** Idle connections per origin and address; 0 asks servers to close. */
  readonly perOrigin: number;
  /** Idle connections in total. */
  readonly total: number;
  readonly idle: Millis;
  /** With this many idle connections, one that served a last request is closed. */
  readonly plenty: number;
}

/** Longer than the delay of a host, so that its next page needs no handshake. */
export const DEFAULT_KEEP_ALIVE: KeepAlive = {
  perOrigin: 1,
  total: 8192,
  idle: 15_000,
  plenty: 256,
};

/**
 * Another program may own the hosts that this one asks. It is asked in the step in which a request
 * is written, so that no pause of this process can come in between.
 */
export interface Fence {
  /** Requests may be sent now. */
  readonly open: boolean;
  /** Exchanges under way must end now. */
  readonly cut: boolean;
}

export interface HttpClientOptions {
  readonly identity: Identity;
  readonly guard: AddressGuard;
  readonly limits?: Partial<FetchLimits>;
  /** The memory for bodies, if others charge it too. Default: `maxBufferedBytes`, for us alone. */
  readonly bodies?: BodyBudget;
  readonly keepAlive?: Partial<KeepAlive>;
  readonly tls?: {
    /** Certificate authorities (PEM) to trust in addition to the built-in ones. */
    readonly ca?: string | readonly string[];
  };
  /** Accepts any certificate. */
  readonly insecure?: boolean;
  /** Sends all requests through this proxy. */
  readonly proxy?: HttpProxy;
  /** Lines `Name: value` to send with every request. */
  readonly headers?: readonly string[];
  /** Passwords, each sent only to its own origin. */
  readonly credentials?: CredentialTable;
  readonly cookies?: CookieTable;
  /** Keeps the cookies that servers set, beside those of the user. */
  readonly jar?: CookieJar;
  /** Header lines for single hosts. */
  readonly hostHeaders?: HostHeaders;
  readonly clock?: Clock;
  /** While it is closed, no request is sent. */
  readonly fence?: Fence | undefined;
  /** Opens the sockets of plain HTTP. Default: Node's. */
  readonly connect?: Connect;
}

/** What a socket is opened with, and the part of it that a connection uses. */
export type Connect = (options: net.TcpNetConnectOpts & net.SocketConstructorOpts) => net.Socket;
