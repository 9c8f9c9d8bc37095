/**
 * One TCP or TLS connection: carries one exchange at a time, and says at every moment what it is waiting for.
 *
 * Idea      The socket reads into a buffer that all connections share (`onread`), the parser copies from there to where the bytes
 *           stay: no stream machinery, no allocation per read. Time limits are a number, the tick by which the present phase must end;
 *           the owner compares it as it sweeps, so there is no timer per connection.
 * Requires  `carry` is only called when the connection is new or idle.
 * Ensures   the owner hears exactly one of `arrived` or `failed` for each exchange carried, and `gone` once for an idle
 *           connection that ended. After `destroy` it hears nothing.
 */
import net from 'node:net';
import tls from 'node:tls';
import { systemCode } from '../base/errors.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import type { FetchFault } from './exchange.ts';
import type { ResponseParser } from './response-parser.ts';
import { openTunnel } from './tunnel.ts';

/** Where a connection leads: connections to the same key are interchangeable. */
export interface Endpoint {
  readonly key: string;
  /** Where the socket goes: the origin, or a proxy. */
  readonly address: ResolvedAddress;
  readonly port: number;
  readonly secure: boolean;
  /** The name for SNI and certificate checks, as it stands in the URL. */
  readonly host: string;
  readonly proxied?: boolean;
  /** What a proxy is told before TLS begins. */
  readonly tunnel?: Buffer;
}

/** What a connection does now; each has its own time limit. */
export type Phase =
  | 'connecting'
  | 'tunnelling'
  | 'securing'
  | 'waiting'
  | 'receiving'
  | 'idle'
  | 'closed';

export interface ConnectionOwner {
  /** The tick by which a phase that begins now must be over. */
  deadline(phase: Phase): number;
  /** Where reads go. Shared by all connections: valid only until the callback returns. */
  readonly readBuffer: Buffer | (() => Buffer);
  /** Options for TLS connections to the endpoint. */
  tlsOptions(endpoint: Endpoint): tls.ConnectionOptions;
  /** A ticket with which the next handshake is cheaper. */
  keepSession(endpoint: Endpoint, session: Buffer): void;
  /** The parser of the exchange under way has all it will get. */
  arrived(connection: Connection): void;
  /** The exchange under way ended without a response. */
  failed(connection: Connection, fault: FetchFault, message: string, cause?: Error): void;
  /** Something of a body came. False when the connection should pause. */
  mayReadOn(connection: Connection): boolean;
  /** An idle connection ended. */
  gone(connection: Connection): void;
}

export class Connection {
  readonly endpoint: Endpoint;
  phase: Phase = 'connecting';
  phaseEnds: number;
  /** Exchanges carried before the present one. */
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
    // Half-open, so that the end of the response does not make the stream machinery say farewell on our behalf.
    if (tunnel !== undefined) {
      this.#socket = net.connect({ host: address.ip, port, allowHalfOpen: true });
      this.#socket.on('connect', () => this.#enterTunnel(tunnel));
    } else if (secure) {
      const where = { host: address.ip, port, allowHalfOpen: true, onread: this.#onread() };
      const socket = tls.connect({ ...owner.tlsOptions(endpoint), ...where });
      socket.on('connect', () => this.#enter('securing'));
      this.#socket = socket;
      this.#secured(socket);
    } else {
      this.#socket = net.connect({
        host: address.ip,
        port,
        allowHalfOpen: true,
        onread: this.#onread(),
      });
      this.#socket.on('connect', () => this.#stands());
    }
    this.#listen(this.#socket);
  }

  #onread(): net.OnReadOpts {
    return {
      buffer: this.#owner.readBuffer as Buffer,
      // Node passes on the buffer it was given.
      callback: (length: number, bytes: Uint8Array) => this.#received(bytes as Buffer, length),
    };
  }

  #listen(socket: net.Socket): void {
    socket.on('error', (error) => this.#broke(error));
    socket.on('end', () => this.#ended());
  }

  #secured(socket: tls.TLSSocket): void {
    socket.on('secureConnect', () => this.#stands());
    socket.on('session', (session) => this.#owner.keepSession(this.endpoint, session));
  }

  /** The proxy is there: first the way through it, then TLS as with any origin. */
  #enterTunnel(request: Buffer): void {
    this.#enter('tunnelling');
    openTunnel(this.#socket, request, {
      opened: () => this.#secureTunnel(),
      refused: (status) => this.#fail(...refusalOf(status)),
    });
  }

  #secureTunnel(): void {
    if (this.phase === 'closed') return;
    this.#enter('securing');
    // An error may now be heard from both sockets; whichever comes second finds nothing left to do.
    const socket = tls.connect({ ...this.#owner.tlsOptions(this.endpoint), socket: this.#socket });
    this.#socket = socket;
    this.#secured(socket);
    this.#listen(socket);
    // A socket within a socket takes no buffer of ours.
    socket.on('data', (bytes: Buffer) => {
      if (!this.#received(bytes, bytes.length)) socket.pause();
    });
  }

  /** Sends a request, at once or as soon as the connection stands; the response goes to the parser. */
  carry(request: Buffer, parser: ResponseParser): void {
    this.#parser = parser;
    this.carried++;
    if (this.phase === 'idle') this.#send(request);
    else this.#request = request; // nothing leaves before the certificate is checked
  }

  /** The exchange is over and another may follow. */
  rest(): void {
    this.#parser = undefined;
    this.#enter('idle');
  }

  resume(): void {
    this.paused = false;
    this.#enter('receiving');
    this.#socket.resume();
  }

  destroy(): void {
    this.#parser = undefined;
    this.phase = 'closed';
    this.#socket.destroy();
  }

  /** The present phase, or the whole exchange, has taken too long. */
  expire(): void {
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

  #stands(): void {
    if (this.#request !== undefined) this.#send(this.#request);
    this.#request = undefined;
  }

  #send(request: Buffer): void {
    this.#enter('waiting');
    if (this.phase === 'waiting') this.#socket.write(request);
  }

  #enter(phase: Phase): void {
    if (this.phase === 'closed') return;
    this.phase = phase;
    this.phaseEnds = this.#owner.deadline(phase);
  }

  /** Returns false to pause the socket. */
  #received(bytes: Buffer, length: number): boolean {
    const parser = this.#parser;
    if (parser === undefined) {
      if (this.phase === 'idle') this.#drop(); // nobody asked: whatever it is, it answers no request
      return true;
    }
    this.#enter('receiving');
    if (parser.push(bytes, length)) {
      this.#arrived(parser);
      return true;
    }
    this.paused = !this.#owner.mayReadOn(this);
    // A pause is our doing: only the limit on the whole exchange goes on.
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

const TIMED_OUT = {
  connecting: ['connect-timeout', 'no connection within the time limit'],
  tunnelling: ['connect-timeout', 'no way through the proxy within the time limit'],
  securing: ['connect-timeout', 'no TLS handshake within the time limit'],
  waiting: ['response-timeout', 'no response within the time limit'],
  receiving: ['response-timeout', 'no whole response head within the time limit'],
} as const;

/** Wrong credentials and nonsense are the proxy's; any other status tells that the origin cannot be reached through it. */
function refusalOf(status: number): [fault: FetchFault, message: string] {
  if (status === 0) return ['proxy-failed', 'the proxy gave no answer that makes sense'];
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
