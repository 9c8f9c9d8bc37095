/**
 * The HTTP client: one exchange per call, exact bytes for the archive, cheap connections, and
 * limits on everything that a server controls.
 *
 * Idea      A connection holds the state. The client only tracks which connections are busy, which
 *           are idle, and when each exchange must end. It counts time in ticks of one coarse timer.
 *           This costs nothing per request, survives jumps of the wall clock, and does not charge
 *           the server for pauses of ours.
 * Requires  The caller resolves addresses. The guard checks each one before the client connects to
 *           it.
 * Ensures   Each call resolves or rejects once, at most one tick after its time limit. A request is
 *           sent twice only if a reused connection turned out to be dead before a byte of response
 *           arrived. Bodies in progress share a budget: while it is full, connections are paused,
 *           but never the last that makes progress. Bodies that hold memory and hardly arrive are
 *           then cut, the oldest first, so that they do not keep it from the others.
 * Cost      See bench/fetch.ts; close to a bare socket.
 */
import net from 'node:net';
import tls from 'node:tls';
import { BytesPool } from '../base/bytes-pool.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { systemCode } from '../base/errors.ts';
import type { Bytes, Millis } from '../base/units.ts';
import type { AddressGuard } from '../net/address-guard.ts';
import { literalAddresses } from '../net/dns.ts';
import { pathOf } from '../url/parts.ts';
import { BodyBudget } from './body-budget.ts';
import {
  type Connect,
  DEFAULT_FETCH_LIMITS,
  DEFAULT_KEEP_ALIVE,
  type FetchLimits,
  type HttpClientOptions,
  type KeepAlive,
} from './client-options.ts';
import { Connection, type ConnectionOwner, type Endpoint, type Phase } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { CookieJar } from './cookie-jar.ts';
import {
  type Exchange,
  FetchError,
  type FetchFault,
  type FetchRequest,
  type HttpClient,
} from './exchange.ts';
import {
  constantLines,
  type RequestBytes,
  requestBytes,
  secretHeaders,
  targetOf,
} from './request.ts';
import { ResponseParser } from './response-parser.ts';

export type { HttpClientOptions } from './client-options.ts';

export function createHttpClient(options: HttpClientOptions): HttpClient {
  return new Client(options);
}

/** One call of `fetch` until it resolves or rejects. */
interface Flight {
  readonly request: FetchRequest;
  readonly endpoint: Endpoint;
  readonly bytes: RequestBytes;
  readonly startedAt: Millis;
  /** The tick by which it must end. A pause of ours moves it, up to `latestEnd`. */
  endsBy: number;
  readonly latestEnd: number;
  readonly resolve: (exchange: Exchange) => void;
  /** With a `FetchError`, or an error of our own. */
  readonly reject: (error: unknown) => void;
  parser: ResponseParser;
  /** Body bytes charged to the budget. */
  charged: number;
  /** When the current measurement of the body's rate began, and the bytes received by then. */
  measuredFrom: number;
  measuredBytes: number;
  /** Whether the body arrived with less than the lowest rate when it was last measured. */
  isSlow: boolean;
}

const READ_BUFFER_BYTES = 64 * 1024;
/** How long before a server's own limit an idle connection is closed. */
const LEAVE_BEFORE: Millis = 500;
/** Error codes of a system that has no room for another socket. */
const NO_ROOM = new Set(['EMFILE', 'ENFILE', 'ENOBUFS']);
/** Idle connections to close to make room. */
const ROOM = 32;
const NO_SECRETS: [] = [];
/** How long the rate of a body is measured. */
const RATE_SPAN: Millis = 2000;
/** A body that holds less is not worth cutting. */
const LEAST_CUT: Bytes = 64 * 1024;
/** Session tickets kept, of the origins with the latest handshakes. */
const MAX_SESSIONS = 1000;

const ALWAYS = () => true;

class Client implements HttpClient, ConnectionOwner {
  readonly readBuffer: Buffer | (() => Buffer);
  readonly connect: Connect;
  readonly maySend: () => boolean;
  readonly #limits: FetchLimits;
  readonly #keepAlive: KeepAlive;
  readonly #guard: AddressGuard;
  readonly #clock: Clock;
  readonly #constantLines: string;
  readonly #options: HttpClientOptions;
  readonly #hasSecrets: boolean;
  #secureContext: tls.SecureContext | undefined;
  readonly #sessions = new Map<string, Buffer>();

  readonly #busy = new Map<Connection, Flight>();
  readonly #pool: ConnectionPool;
  readonly #bodies = new BytesPool();
  readonly #paused = new Set<Connection>();
  readonly #budget: BodyBudget;

  readonly #tickLength: Millis;
  #tick = 0;
  #cancelTick: (() => void) | undefined;
  #closed = false;

  constructor(options: HttpClientOptions) {
    const limits = { ...DEFAULT_FETCH_LIMITS, ...options.limits };
    const { connect, tlsHandshake, firstByte, idle, total } = limits;
    this.#limits = limits;
    this.#keepAlive = { ...DEFAULT_KEEP_ALIVE, ...options.keepAlive };
    this.#guard = options.guard;
    this.#clock = options.clock ?? systemClock;
    const keepsAlive = this.#keepAlive.perOrigin > 0;
    this.#constantLines = constantLines(options.identity, keepsAlive, options.headers);
    this.#options = options;
    this.connect = options.connect ?? net.connect;
    const { fence } = options;
    this.maySend = fence ? () => fence.open : ALWAYS;
    const { proxy, credentials, cookies, jar, hostHeaders } = options;
    this.#hasSecrets = Boolean(proxy ?? credentials ?? cookies ?? jar ?? hostHeaders);
    this.#pool = new ConnectionPool(this.#keepAlive);
    const shortest = Math.min(connect, tlsHandshake, firstByte, idle, total, this.#keepAlive.idle);
    this.#tickLength = Math.max(5, Math.min(250, shortest / 8));
    this.#budget = options.bodies ?? new BodyBudget(limits.maxBufferedBytes);
    this.#budget.onRoom = () => this.#resumeSome();
    // Windows hands out read buffers before data arrives, so each connection needs its own there.
    this.readBuffer =
      process.platform === 'win32'
        ? () => Buffer.allocUnsafeSlow(READ_BUFFER_BYTES)
        : Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  }

  fetch(request: FetchRequest): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new FetchError('reset', 'the client is closed');
      const target = targetOf(request, this.#options.proxy);
      const refused = this.#refusal(target.endpoint);
      if (refused !== undefined) throw new FetchError('address-refused', refused);
      const startedAt = this.#clock.now();
      const secrets = this.#hasSecrets
        ? secretHeaders(this.#options, request, target, startedAt)
        : NO_SECRETS;
      const flight: Flight = {
        request,
        endpoint: target.endpoint,
        bytes: requestBytes(request, target, this.#constantLines, secrets),
        startedAt,
        endsBy: this.#tickAfter(this.#limits.total),
        latestEnd: this.#tickAfter(2 * this.#limits.total),
        resolve,
        reject,
        parser: this.#parserFor(request),
        charged: 0,
        measuredFrom: this.#tick,
        measuredBytes: 0,
        isSlow: false,
      };
      this.#launch(
        flight,
        this.#pool.take(target.endpoint.key) ?? new Connection(target.endpoint, this),
      );
    });
  }

  /** A proxy resolves names out of our sight, but an address in the URL itself can be checked. */
  #refusal({ address, proxied, host }: Endpoint): string | undefined {
    const refused = this.#guard.allows(address.ip)
      ? undefined
      : (this.#guard.reason(address.ip) ?? address.ip);
    if (refused !== undefined || !proxied) return refused;
    const [literal] = literalAddresses(host) ?? [];
    return literal && this.#guard.reason(literal.ip);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of this.#pool.connections()) {
      this.#pool.remove(connection);
      connection.destroy();
    }
    for (const connection of [...this.#busy.keys()]) {
      connection.destroy();
      this.#land(connection, (flight) =>
        flight.reject(new FetchError('reset', 'the client was closed')),
      );
    }
    this.#cancelTick?.();
    this.#cancelTick = undefined;
  }

  #parserFor({ method = 'GET', leastBody = 0, wantsBody }: FetchRequest): ResponseParser {
    const { maxBodyBytes } = this.#limits;
    const limits =
      leastBody <= maxBodyBytes ? this.#limits : { ...this.#limits, maxBodyBytes: leastBody };
    return new ResponseParser(method, limits, this.#bodies, wantsBody);
  }

  #launch(flight: Flight, connection: Connection): void {
    this.#busy.set(connection, flight);
    connection.carry(flight.bytes.sent, flight.parser);
    this.#keepTicking();
  }

  /**
   * Detaches the flight from its connection, returns its share of the memory and ends it. An error
   * of our own on the way is the flight's failure: otherwise its caller would wait for ever.
   */
  #land(connection: Connection, end: (flight: Flight) => void): void {
    const flight = this.#busy.get(connection);
    if (flight === undefined) return;
    this.#busy.delete(connection);
    this.#paused.delete(connection);
    const { charged } = flight;
    flight.charged = 0;
    try {
      this.#budget.refund(charged);
      this.#resumeSome();
      end(flight);
    } catch (error) {
      flight.reject(error);
      connection.destroy();
    }
  }

  // Calls from connections.

  arrived(connection: Connection): void {
    this.#land(connection, (flight) => {
      const { parser, endpoint } = flight;
      if (parser.keepsConnection && !this.#closed && !this.#isSpent(flight)) {
        connection.rest();
        this.#honourKeepAlive(connection, parser);
        this.#pool.put(connection)?.destroy();
      } else {
        connection.destroy();
      }
      if (endpoint.proxied && !endpoint.secure && parser.response?.status === 407)
        throw new FetchError('proxy-failed', 'the proxy answered with status 407');
      if (this.#options.jar) this.#keepCookies(flight, this.#options.jar);
      flight.resolve(exchangeOf(flight, this.#clock.now()));
    });
  }

  #keepCookies({ request, endpoint, parser }: Flight, jar: CookieJar): void {
    const lines = parser.response?.headers.all('set-cookie') ?? [];
    if (lines.length === 0) return;
    const { host, secure } = endpoint;
    jar.take(lines, { host, secure, path: pathOf(request.url) }, this.#clock.now());
  }

  /**
   * Whether to close an idle connection, which takes kilobytes. A TLS connection is always kept:
   * its handshake was expensive.
   */
  #isSpent({ request, endpoint }: Flight): boolean {
    return request.isLast === true && !endpoint.secure && this.#pool.size >= this.#keepAlive.plenty;
  }

  failed(connection: Connection, fault: FetchFault, message: string, cause?: Error): void {
    this.#land(connection, (flight) => {
      const stale = connection.carried > 0 && flight.parser.bytesReceived === 0;
      const again = stale && (fault === 'reset' || fault === 'empty-response');
      if (again || (NO_ROOM.has(systemCode(cause)) && this.#makeRoom())) {
        flight.parser = this.#parserFor(flight.request);
        this.#launch(flight, new Connection(flight.endpoint, this));
        return;
      }
      flight.reject(new FetchError(fault, message, { cause }));
    });
  }

  broke(connection: Connection, error: unknown): void {
    this.#pool.remove(connection);
    this.#land(connection, (flight) => flight.reject(error));
  }

  /** Closes idle connections, so that no fetch fails for lack of sockets. */
  #makeRoom(): boolean {
    const oldest = [...this.#pool.connections()].slice(0, ROOM);
    for (const connection of oldest) {
      this.#pool.remove(connection);
      connection.destroy();
    }
    return oldest.length > 0;
  }

  gone(connection: Connection): void {
    this.#pool.remove(connection);
  }

  mayReadOn(connection: Connection): boolean {
    const flight = this.#busy.get(connection);
    if (flight === undefined) return true;
    const held = flight.parser.bodyBytes;
    this.#budget.charge(held - flight.charged);
    flight.charged = held;
    if (!this.#budget.isFull || !flight.parser.inBody || !this.#anotherArrives(connection))
      return true;
    this.#paused.add(connection);
    return false;
  }

  /** Whether a body other than the connection's makes progress. */
  #anotherArrives(connection?: Connection): boolean {
    for (const [other, { parser, isSlow }] of this.#busy) {
      if (other !== connection && parser.inBody && !other.paused && !isSlow) return true;
    }
    return false;
  }

  /** Resumes connections while there is room, and always one if none reads: every pause ends. */
  #resumeSome(): void {
    for (const connection of this.#paused) {
      if (this.#budget.isFull && this.#anotherArrives()) return;
      this.#paused.delete(connection);
      const flight = this.#busy.get(connection)!;
      this.#measureFromNow(flight);
      flight.isSlow = false;
      connection.resume();
    }
  }

  /**
   * Notes whether a body is slow. A connection that we paused keeps what was found before: it is
   * not the server that is slow now.
   */
  #measure(connection: Connection, flight: Flight): void {
    const span = (this.#tick - flight.measuredFrom) * this.#tickLength;
    if (connection.paused || !flight.parser.inBody) this.#measureFromNow(flight);
    else if (span >= RATE_SPAN) {
      const received = flight.parser.bytesReceived - flight.measuredBytes;
      flight.isSlow = received < (this.#limits.minRate * span) / 1000;
      this.#measureFromNow(flight);
    }
  }

  #measureFromNow(flight: Flight): void {
    flight.measuredFrom = this.#tick;
    flight.measuredBytes = flight.parser.bytesReceived;
  }

  /** Cuts slow bodies that hold memory, the oldest first, until there is room. */
  #cutSlow(): void {
    for (const [connection, { isSlow, charged, parser }] of this.#busy) {
      if (!this.#budget.isFull) return;
      if (isSlow && parser.inBody && charged >= LEAST_CUT) connection.expire();
    }
  }

  // Time.

  deadline(phase: Phase): number {
    switch (phase) {
      case 'connecting':
      case 'tunnelling':
        return this.#tickAfter(this.#limits.connect);
      case 'securing':
        return this.#tickAfter(this.#limits.tlsHandshake);
      case 'waiting':
        return this.#tickAfter(this.#limits.firstByte);
      case 'receiving':
        return this.#tickAfter(this.#limits.idle);
      case 'idle':
        return this.#tickAfter(this.#keepAlive.idle);
      case 'closed':
        return Number.POSITIVE_INFINITY;
    }
  }

  /** The first tick that is at least `span` from now; the current tick is already partly over. */
  #tickAfter(span: Millis): number {
    return this.#tick + 1 + Math.ceil(span / this.#tickLength);
  }

  /**
   * If a server states how long it keeps a connection, we close it shortly before. The margin is
   * small: many servers state 5 s, and a delay of 4 s must fit in. If the server closes first, the
   * request is sent again.
   */
  #honourKeepAlive(connection: Connection, parser: ResponseParser): void {
    const stated = /(?:^|[\s,])timeout=(\d{1,6})/i.exec(
      parser.response?.headers.get('keep-alive') ?? '',
    );
    if (stated === null) return;
    const span = Math.max(0, Number(stated[1]) * 1000 - LEAVE_BEFORE);
    connection.phaseEnds = Math.min(connection.phaseEnds, this.#tickAfter(span));
  }

  #keepTicking(): void {
    this.#cancelTick ??= this.#clock.after(this.#tickLength, this.#sweep);
  }

  readonly #sweep = (): void => {
    this.#cancelTick = undefined;
    const tick = ++this.#tick;
    try {
      this.#endLate(tick);
    } finally {
      // Without the next tick, no exchange would have a time limit any more.
      if (this.#busy.size + this.#pool.size > 0) this.#keepTicking();
    }
  };

  #endLate(tick: number): void {
    if (this.#options.fence?.cut) this.#cutAll();
    for (const [connection, flight] of this.#busy) {
      // The server must not pay for a pause of ours.
      if (connection.paused) flight.endsBy = Math.min(flight.endsBy + 1, flight.latestEnd);
      if (tick >= connection.phaseEnds || tick >= flight.endsBy) connection.expire();
      else this.#measure(connection, flight);
    }
    if (this.#budget.isFull) this.#cutSlow();
    this.#resumeSome();
    for (const connection of this.#pool.connections()) {
      if (tick >= connection.phaseEnds) connection.expire();
    }
  }

  #cutAll(): void {
    for (const connection of [...this.#busy.keys(), ...this.#pool.connections()]) connection.cut();
  }

  // TLS.

  tlsOptions(endpoint: Endpoint): tls.ConnectionOptions {
    const { tls: { ca } = {}, insecure = false } = this.#options;
    this.#secureContext ??= tls.createSecureContext(
      ca === undefined
        ? {}
        : { ca: [...tls.rootCertificates, ...(typeof ca === 'string' ? [ca] : ca)] },
    );
    const session = this.#sessions.get(endpoint.key);
    return {
      secureContext: this.#secureContext,
      rejectUnauthorized: !insecure,
      ALPNProtocols: ['http/1.1'],
      ...(isName(endpoint.host) ? { servername: endpoint.host } : {}),
      ...(session === undefined ? {} : { session }),
    };
  }

  keepSession(endpoint: Endpoint, session: Buffer): void {
    this.#sessions.delete(endpoint.key);
    if (this.#sessions.size >= MAX_SESSIONS)
      this.#sessions.delete(this.#sessions.keys().next().value!);
    this.#sessions.set(endpoint.key, session);
  }
}

/** SNI carries names only, never addresses. */
function isName(host: string): boolean {
  return !host.startsWith('[') && !/^[\d.]+$/.test(host);
}

function exchangeOf(flight: Flight, now: Millis): Exchange {
  const { parser, request } = flight;
  const { response, head, truncated } = parser;
  if (response === undefined || head === undefined)
    throw new Error('a response arrived without a head');
  return {
    url: request.url,
    ip: flight.endpoint.address.ip,
    startedAt: flight.startedAt,
    elapsed: Math.max(0, now - flight.startedAt),
    requestBytes: flight.bytes.archived,
    head,
    wireBody: parser.wireBody,
    payload: parser.payload,
    status: response.status,
    headers: response.headers,
    ...(truncated === undefined ? {} : { truncated }),
    defects: response.defects,
    bytesReceived: parser.bytesReceived,
    release: () => parser.release(),
  };
}
