/**
 * A small HTTP server for the operator of this machine: pages of text, on loopback only.
 *
 * Idea      Every program, and every page in the operator's browser, can send any bytes to a port
 *           on loopback. So the servers of ours that speak to people and monitors share this front,
 *           and write only their pages.
 * Ensures   No request throws: a target in no known form gets 400, a page that cannot be made 500.
 *           Only GET and HEAD of a loopback name are answered, so that no page in a browser can
 *           read the answers (DNS rebinding). A client that is slow to send or to read holds one of
 *           `MOST_CONNECTIONS` sockets for about ten seconds at most.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Millis } from '../base/units.ts';

/** A page, or the refusal of one. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  /** The content type; plain text by default. */
  readonly type?: string;
}

export interface LoopbackServer {
  readonly port: number;
  close(): Promise<void>;
}

export const LOOPBACK = '127.0.0.1';
const NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
/** A path and a query: no control character, space or fragment, and whole percent escapes. */
const ORIGIN_FORM =
  /^(\/(?:[^\x00-\x20\x7f-\uffff?#%]|%[0-9a-f]{2})*)(?:\?(?:[^\x00-\x20\x7f-\uffff#%]|%[0-9a-f]{2})*)?$/i;
const ABSOLUTE_FORM = /^http:\/\/([^/?#]*)(.*)$/i;

const MOST_CONNECTIONS = 64;
const MOST_HEADER_BYTES = 16 * 1024;
const REQUEST_TIME: Millis = 5000;
const SILENCE: Millis = 10_000;
const CHECK_EVERY: Millis = 1000;

/**
 * Serves what `reply` returns for a path. Port 0 takes a free one. Throws the system's error if the
 * port cannot be listened on.
 */
export async function serveLoopback(
  port: number,
  reply: (path: string) => Reply,
): Promise<LoopbackServer> {
  const server = createServer(
    {
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: REQUEST_TIME,
      requestTimeout: REQUEST_TIME,
      keepAliveTimeout: REQUEST_TIME,
      connectionsCheckingInterval: CHECK_EVERY,
    },
    (request, response) => send(request, response, replyTo(request, reply)),
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.timeout = SILENCE;
  await listen(server, port);
  // An open server must not keep the process of an ended crawl alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function replyTo(request: IncomingMessage, reply: (path: string) => Reply): Reply {
  if (!NAMES.test(request.headers.host ?? LOOPBACK)) return FOREIGN;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, text: 'Method not allowed. Use GET.\n' };
  const [, authority, rest] = ABSOLUTE_FORM.exec(request.url ?? '') ?? [];
  if (authority !== undefined && !NAMES.test(authority)) return FOREIGN;
  const path = ORIGIN_FORM.exec(rest ?? request.url ?? '')?.[1];
  if (path === undefined) return { status: 400, text: 'Bad request.\n' };
  try {
    return reply(path);
  } catch (error) {
    return { status: 500, text: `Internal error: ${(error as Error)?.message}\n` };
  }
}

const FOREIGN: Reply = {
  status: 403,
  text: 'Forbidden host name. Use 127.0.0.1 or localhost.\n',
};

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { status, text, type = 'text/plain; charset=utf-8' } = reply;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  // The client may be gone; then the answer does not matter.
  response.on('error', () => {});
  // No page accepts a body, and reading one to its end could take for ever.
  if (length !== '0' || coding !== undefined) response.shouldKeepAlive = false;
  response
    .writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .end(text);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((listening, failed) => {
    // Stays for good: the system may refuse a single connection later, and the server continues.
    server.on('error', failed);
    server.listen(port, LOOPBACK, listening);
  });
}
