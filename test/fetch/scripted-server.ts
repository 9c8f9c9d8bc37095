/**
 * A server for tests that does anything to a client: it parses only the end of a request, and
 * writes raw bytes.
 *
 * A script states what happens after a request. `drip` lets the event loop turn between pieces, so
 * that they arrive separately as far as the kernel allows. Nothing here waits on a timer.
 */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import type { ResolvedAddress } from '../../src/net/dns.ts';

export interface Conversation {
  readonly socket: net.Socket;
  /** The head of the request, as text. */
  readonly request: string;
  /** Requests before this one on the same connection. */
  readonly earlier: number;
  /** Connections before this one. */
  readonly connection: number;
}

export type Script = (conversation: Conversation) => void;

export interface ScriptedServer {
  readonly port: number;
  readonly address: ResolvedAddress;
  url(path?: string): string;
  /** Heads of the requests so far. */
  readonly requests: string[];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

export async function serve(
  script: Script,
  secure?: { readonly key: string; readonly cert: string },
): Promise<ScriptedServer> {
  const open = new Set<net.Socket>();
  const requests: string[] = [];
  let connections = 0;
  const onConnection = (socket: net.Socket) => {
    const connection = connections++;
    let earlier = 0;
    let pending = '';
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      pending += bytes.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        const request = pending.slice(0, end + 4);
        pending = pending.slice(end + 4);
        requests.push(request);
        script({ socket, request, earlier: earlier++, connection });
      }
    });
  };
  const server = secure ? tls.createServer(secure, onConnection) : net.createServer(onConnection);
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    address: { ip: '127.0.0.1', family: 4 },
    url: (path = '/') => `${secure ? 'https' : 'http'}://lab.test:${port}${path}`,
    requests,
    connections: () => connections,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends and keeps the connection open. */
export const send =
  (...pieces: (string | Uint8Array)[]): Script =>
  ({ socket }) => {
    for (const piece of pieces) socket.write(bytesOf(piece));
  };

/** Sends and closes in an orderly way. */
export const sendAndClose =
  (...pieces: (string | Uint8Array)[]): Script =>
  ({ socket }) => {
    for (const piece of pieces) socket.write(bytesOf(piece));
    socket.end();
  };

/** Sends, and resets the connection after the bytes are sent. */
export const sendAndReset =
  (piece: string): Script =>
  ({ socket }) => {
    if (piece === '') socket.resetAndDestroy();
    else socket.write(bytesOf(piece), () => socket.resetAndDestroy());
  };

/** One piece per turn of the event loop, forever or to the end. */
export const drip =
  (pieces: Iterable<string>, first = ''): Script =>
  ({ socket }) => {
    const iterator = pieces[Symbol.iterator]();
    const next = () => {
      const { value, done } = iterator.next();
      if (done || socket.destroyed) return;
      socket.write(bytesOf(value), () => setImmediate(next));
    };
    if (first === '') next();
    else socket.write(bytesOf(first), () => setImmediate(next));
  };

export function* forever(piece: string): Iterable<string> {
  for (;;) yield piece;
}

export const silence: Script = () => {};

function bytesOf(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
}
