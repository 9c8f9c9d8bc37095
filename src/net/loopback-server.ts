/**
 * A small HTTP server for the operator of this machine: pages of text, on loopback only, unless the
 * operator names another address.
 *
 * Idea      Every program, and every page in the operator's browser, can send any bytes to a port
 *           on loopback. So the servers of ours that speak to people and monitors share this front,
 *           and write only their pages.
 * Ensures   No request throws: a target in no known form gets 400, a page that cannot be made 500.
 *           Only GET and HEAD are answered and, on loopback, only under a loopback name: no page in
 *           a browser can read the answers (DNS rebinding). A client that is slow to send or to read holds one of
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
  readonly headers?: Readonly<Record<string, string>>;
}

/** What makes a page of a path and the query behind it ('' if there is none). */
type Replier = (path: string, query: string) => Reply | Promise<Reply>;

export interface LoopbackServer {
  readonly port: number;
  close(): Promise<void>;
}

export const LOOPBACK = '127.0.0.1';
const NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
/** A path and a query: no control character, space or fragment, and whole percent escapes. */
const ORIGIN_FORM =
  /^(\/(?:[^\x00-\x20\x7f-\uffff?#%]|%[0-9a-f]{2})*)(?:\?((?:[^\x00-\x20\x7f-\uffff#%]|%[0-9a-f]{2})*))?$/i;
const ABSOLUTE_FORM = /^http:\/\/([^/?#]*)(.*)$/i;

const MOST_CONNECTIONS = 64;
const MOST_HEADER_BYTES = 16 * 1024;
const REQUEST_TIME: Millis = 5000;
const SILENCE: Millis = 10_000;
const CHECK_EVERY: Millis = 1000;

/**
 * Serves what `reply` returns for a path. Port 0 takes a free one. Throws the system's error if the
 * port cannot be listened on. With a `host` that is not loopback, any name is answered. A server
 * that `stays` keeps the process alive.
 */
export async function serveLoopback(
  port: number,
  reply: Replier,
  { host = LOOPBACK, stays = false } = {},
): Promise<LoopbackServer> {
  const isOpen = !NAMES.test(host);
  const server = createServer(
    {
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: REQUEST_TIME,
      requestTimeout: REQUEST_TIME,
      keepAliveTimeout: REQUEST_TIME,
      connectionsCheckingInterval: CHECK_EVERY,
    },
    (request, response) => {
      void replyTo(request, reply, isOpen).then((answer) => send(request, response, answer));
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.timeout = SILENCE;
  await listen(server, port, host);
  // An open server must not keep the process of an ended crawl alive.
  if (!stays) server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function replyTo(request: IncomingMessage, reply: Replier, isOpen: boolean): Promise<Reply> {
  const isOurs = (name: string) => isOpen || NAMES.test(name);
  if (!isOurs(request.headers.host ?? LOOPBACK)) return FOREIGN;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, text: 'Method not allowed. Use GET.\n' };
  const [, authority, rest] = ABSOLUTE_FORM.exec(request.url ?? '') ?? [];
  if (authority !== undefined && !isOurs(authority)) return FOREIGN;
  const [, path, query = ''] = ORIGIN_FORM.exec(rest ?? request.url ?? '') ?? [];
  if (path === undefined) return { status: 400, text: 'Bad request.\n' };
  try {
    return await reply(path, query);
  } catch (error) {
    return { status: 500, text: `Internal error: ${(error as Error)?.message}\n` };
  }
}

const FOREIGN: Reply = {
  status: 403,
  text: 'Forbidden host name. Use 127.0.0.1 or localhost.\n',
};

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { status, text, type = 'text/plain; charset=utf-8', headers } = reply;
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
      ...headers,
    })
    .end(text);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((listening, failed) => {
    // Stays for good: the system may refuse a single connection later, and the server continues.
    server.on('error', failed);
    server.listen(port, host, listening);
  });
}
