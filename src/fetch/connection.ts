/**
 * One TCP or TLS connection. It carries one exchange at a time and always has a phase with a time
 * limit.
 *
 * Idea      The socket reads into a buffer that all connections share (`onread`). The parser copies
 *           the bytes from there to their final place: no streams, no allocation per read. A time
 *           limit is a number: the tick by which the current phase must end. The owner compares it
 *           in its sweep, so there is no timer per connection.
 * Requires  `carry` is called only when the connection is new or idle.
 * Ensures   For each exchange the owner gets exactly one call of `arrived`, `failed` or `broke`,
 *           and one call of `gone` for an idle connection that ended. After `destroy` it gets
 *           none. An error of our own in the handling of an event never leaves it: it breaks the
 *           connection.
 */
import net from 'node:net';
import tls from 'node:tls';
import { systemCode } from '../base/errors.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import type { Connect } from './client-options.ts';
import type { FetchFault } from './exchange.ts';
import type { ResponseParser } from './response-parser.ts';
import { openTunnel } from './tunnel.ts';

/** Where a connection leads. Connections with the same key are interchangeable. */
export interface Endpoint {
  readonly key: string;
  /** The address of the socket: the origin's or a proxy's. */
  readonly address: ResolvedAddress;
  readonly port: number;
  readonly secure: boolean;
  /** The name for SNI and certificate checks, as written in the URL. */
  readonly host: string;
  readonly proxied?: boolean;
  /** The request that opens a tunnel through a proxy, sent before TLS begins. */
  readonly tunnel?: Buffer;
}

/** The current activity of a connection; each has its own time limit. */
export type Phase =
  | 'connecting'
  | 'tunnelling'
  | 'securing'
  | 'waiting'
  | 'receiving'
  | 'idle'
  | 'closed';

export interface ConnectionOwner {
  /** Whether a request may be sent at this moment. */
  readonly maySend: () => boolean;
  /** Opens the socket of a connection without TLS. */
  readonly connect: Connect;
  /** The tick by which a phase that begins now must end. */
  deadline(phase: Phase): number;
  /** The target of reads. All connections share it: it is valid only until the callback returns. */
  readonly readBuffer: Buffer | (() => Buffer);
  /** The options of TLS connections to the endpoint. */
  tlsOptions(endpoint: Endpoint): tls.ConnectionOptions;
  /** Stores a session ticket that makes the next handshake cheaper. */
  keepSession(endpoint: Endpoint, session: Buffer): void;
  /** The current response is complete, or as complete as it will be. */
  arrived(connection: Connection): void;
  /** The current exchange ended without a response. */
  failed(connection: Connection, fault: FetchFault, message: string, cause?: Error): void;
  /** An error of our own ended the connection, and the exchange if there is one. */
  broke(connection: Connection, error: unknown): void;
  /** Reports that body bytes arrived. False means: pause the connection. */
  mayReadOn(connection: Connection): boolean;
  /** An idle connection ended. */
  gone(connection: Connection): void;
}

export class Connection {
  readonly endpoint: Endpoint;
  phase: Phase = 'connecting';
  phaseEnds: number;
  /** Exchanges carried before the current one. */
  carried = -1;
  paused = false;

  readonly #owner: ConnectionOwner;
  #socket: net.Socket;
  #request: Buffer | undefined;
  #parser: ResponseParser | undefined;

  constructor(endpoint: Endpoint, owner: ConnectionOwner) {
    this.endpoint = endpoint;
    this.#owner = owner;
    this.phaseEnds = owner.deadline('connecting');
    const { address, port, secure, tunnel } = endpoint;
    // Half-open, so that Node does not close our side when the response ends.
    if (tunnel !== undefined) {
      this.#socket = net.connect({ host: address.ip, port, allowHalfOpen: true });
      this.#socket.on('connect', () => this.#handle(() => this.#enterTunnel(tunnel)));
    } else if (secure) {
      const where = { host: address.ip, port, allowHalfOpen: true, onread: this.#onread() };
      const socket = tls.connect({ ...owner.tlsOptions(endpoint), ...where });
      socket.on('connect', () => this.#handle(() => this.#enter('securing')));
      this.#socket = socket;
      this.#secured(socket);
    } else {
      this.#socket = owner.connect({
        host: address.ip,
        port,
        allowHalfOpen: true,
        onread: this.#onread(),
      });
      this.#socket.on('connect', () => this.#handle(() => this.#stands()));
    }
    this.#listen(this.#socket);
  }

  #onread(): net.OnReadOpts {
    return {
      buffer: this.#owner.readBuffer as Buffer,
      // Node passes the buffer that it was given.
      callback: (length: number, bytes: Uint8Array) => this.#received(bytes as Buffer, length),
    };
  }

  #listen(socket: net.Socket): void {
    socket.on('error', (error) => this.#handle(() => this.#broke(error)));
    socket.on('end', () => this.#handle(() => this.#ended()));
  }

  #secured(socket: tls.TLSSocket): void {
    socket.on('secureConnect', () => this.#handle(() => this.#stands()));
    socket.on('session', (session) =>
      this.#handle(() => this.#owner.keepSession(this.endpoint, session)),
    );
  }

  /** The proxy is connected: open the tunnel, then start TLS as with any origin. */
  #enterTunnel(request: Buffer): void {
    this.#enter('tunnelling');
    openTunnel(this.#socket, request, {
      opened: () => this.#handle(() => this.#secureTunnel()),
      refused: (status) => this.#handle(() => this.#fail(...refusalOf(status))),
    });
  }

  #secureTunnel(): void {
    if (this.phase === 'closed') return;
    this.#enter('securing');
    // Both sockets may now report an error; the second report finds nothing to do.
    const socket = tls.connect({ ...this.#owner.tlsOptions(this.endpoint), socket: this.#socket });
    this.#socket = socket;
    this.#secured(socket);
    this.#listen(socket);
    // A TLS socket on top of another socket cannot use our buffer.
    socket.on('data', (bytes: Buffer) => {
      if (!this.#received(bytes, bytes.length)) socket.pause();
    });
  }

  /** Sends a request as soon as the connection is open; the response goes to the parser. */
  carry(request: Buffer, parser: ResponseParser): void {
    this.#parser = parser;
    this.carried++;
    if (this.phase === 'idle') this.#send(request);
    else this.#request = request; // send nothing before the certificate is checked
  }

  /** The exchange ended and another may follow. */
  rest(): void {
    this.#parser = undefined;
    this.#enter('idle');
  }

  resume(): void {
    this.#handle(() => {
      this.paused = false;
      this.#enter('receiving');
      this.#socket.resume();
    });
  }

  destroy(): void {
    this.#parser = undefined;
    this.phase = 'closed';
    this.#socket.destroy();
  }

  /** Ends the exchange whatever its phase: it may not go on. */
  cut(): void {
    this.#handle(() => {
      if (this.phase === 'idle') this.#drop();
      else if (this.phase !== 'closed') this.#fail('fenced', FENCED);
    });
  }

  /** The current phase, or the whole exchange, took too long. */
  expire(): void {
    this.#handle(() => this.#expire());
  }

  #expire(): void {
    if (this.phase === 'idle') {
      this.#drop();
    } else if (this.phase !== 'closed' && this.#parser?.inBody) {
      this.#parser.cut('time');
      this.#owner.arrived(this);
    } else if (this.phase !== 'closed') {
      const [fault, message] = TIMED_OUT[this.phase];
      const atProxy = this.endpoint.proxied && this.phase === 'connecting';
      this.#fail(atProxy ? 'proxy-failed' : fault, message);
    }
  }

  #handle(event: () => void): void {
    try {
      event();
    } catch (error) {
      this.#crash(error);
    }
  }

  /** An error of our own. */
  #crash(error: unknown): void {
    this.destroy();
    this.#owner.broke(this, error);
  }

  #stands(): void {
    if (this.#request !== undefined) this.#send(this.#request);
    this.#request = undefined;
  }

  #send(request: Buffer): void {
    this.#enter('waiting');
    if (this.phase !== 'waiting') return;
    // In the same step as the write.
    if (this.#owner.maySend()) this.#socket.write(request);
    else this.#fail('fenced', FENCED);
  }

  #enter(phase: Phase): void {
    if (this.phase === 'closed') return;
    this.phase = phase;
    this.phaseEnds = this.#owner.deadline(phase);
  }

  /** Returns false to pause the socket. Without `#handle`, because it runs for every read. */
  #received(bytes: Buffer, length: number): boolean {
    try {
      return this.#read(bytes, length);
    } catch (error) {
      this.#crash(error);
      return true;
    }
  }

  #read(bytes: Buffer, length: number): boolean {
    const parser = this.#parser;
    if (parser === undefined) {
      if (this.phase === 'idle') this.#drop(); // there is no request that it could answer
      return true;
    }
    this.#enter('receiving');
    if (parser.push(bytes, length)) {
      this.#arrived(parser);
      return true;
    }
    this.paused = !this.#owner.mayReadOn(this);
    // We caused the pause: the server has its time when it is over.
    if (this.paused) this.phaseEnds = Number.POSITIVE_INFINITY;
    return !this.paused;
  }

  #ended(): void {
    const parser = this.#parser;
    if (this.phase === 'tunnelling') {
      this.#fail(...refusalOf(0));
    } else if (parser !== undefined) {
      parser.end();
      this.#arrived(parser);
    } else if (this.phase === 'idle') {
      this.#drop();
    }
  }

  #broke(error: Error): void {
    const parser = this.#parser;
    if (parser?.inBody) {
      parser.cut('disconnect');
      this.#owner.arrived(this);
    } else if (parser !== undefined) {
      const atProxy =
        this.endpoint.proxied && (this.phase === 'connecting' || this.phase === 'tunnelling');
      this.#fail(
        atProxy ? 'proxy-failed' : faultOf(this.phase, systemCode(error)),
        error.message,
        error,
      );
    } else if (this.phase === 'idle') {
      this.#drop();
    }
  }

  #arrived(parser: ResponseParser): void {
    if (parser.failure === undefined) this.#owner.arrived(this);
    else this.#fail(parser.failure.fault, parser.failure.message);
  }

  #fail(fault: FetchFault, message: string, cause?: Error): void {
    this.destroy();
    this.#owner.failed(this, fault, message, cause);
  }

  #drop(): void {
    this.destroy();
    this.#owner.gone(this);
  }
}

const FENCED = 'the lease of the agent was not renewed in time';

const TIMED_OUT = {
  connecting: ['connect-timeout', 'not connected within the time limit'],
  tunnelling: ['connect-timeout', 'no tunnel through the proxy within the time limit'],
  securing: ['connect-timeout', 'no TLS handshake within the time limit'],
  waiting: ['response-timeout', 'no response within the time limit'],
  receiving: ['response-timeout', 'no complete response head within the time limit'],
} as const;

/**
 * Status 407 and malformed answers are faults of the proxy. Any other status means that the proxy
 * cannot reach the origin.
 */
function refusalOf(status: number): [fault: FetchFault, message: string] {
  if (status === 0) return ['proxy-failed', 'the proxy sent a malformed answer'];
  return [
    status === 407 ? 'proxy-failed' : 'connect-failed',
    `the proxy answered with status ${status}`,
  ];
}

function faultOf(phase: Phase, code: string): FetchFault {
  if (phase === 'connecting') {
    if (code === 'ECONNREFUSED') return 'connect-refused';
    return code === 'ETIMEDOUT' ? 'connect-timeout' : 'connect-failed';
  }
  return phase === 'securing' || /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code) ? 'tls-failed' : 'reset';
}
