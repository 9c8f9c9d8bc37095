/**
 * A small HTTP server for the operator of this machine: pages of text, on loopback only, unless the
 * operator names another address.
 *
 * Idea      Every program, and every page in the operator's browser, can send any bytes to a port
 *           on loopback. So the servers of ours that speak to people and monitors share this front,
 *           and write only their pages.
 * Ensures   No request throws: a target in no known form gets 400, a page that cannot be made 500.
 *           Only GET and HEAD are answered, unless the server names other methods, and, on
 *           loopback, only under a loopback name: no page in a browser can read the answers (DNS
 *           rebinding). A body is read only where the server accepts one, and only up to its limit.
 *           A client that is slow to send or to read holds one of `MOST_CONNECTIONS` sockets for
 *           about ten seconds at most; one that reads a stream, until it is silent for so long; one
 *           that downloads a body, until nothing moves for five minutes.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bytes, Millis } from '../base/units.ts';

/** A page, or the refusal of one. */
export interface Reply {
  readonly status: number;
  readonly text: string | Uint8Array;
  /** The content type; plain text by default. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent after the text: for what is too large for memory. If it fails, the connection breaks. */
  readonly body?: AsyncIterable<Uint8Array>;
  /** Called after the text was sent, for a reply that continues until the client leaves. */
  readonly stream?: (client: StreamClient) => void;
}

/** The reader of a reply that continues. */
export interface StreamClient {
  /** Sends more; false if the client reads too slowly: then the text was dropped. */
  send(text: string): boolean;
  onClose(act: () => void): void;
}

/** What a request says beside its path and query. */
export interface RequestFacts {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty where no body is accepted. */
  readonly body: Uint8Array;
}

/** What makes a page of a path and the query behind it ('' if there is none). */
type Replier = (path: string, query: string, request: RequestFacts) => Reply | Promise<Reply>;

export interface LoopbackServer {
  readonly port: number;
  close(): Promise<void>;
}

interface LoopbackOptions {
  readonly host?: string;
  /** The server keeps the process alive. */
  readonly stays?: boolean;
  /** Beside GET and HEAD. */
  readonly methods?: readonly string[];
  /** The longest body of a request with another method. */
  readonly mostBody?: Bytes;
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
/** A body may have to be made first. */
const BODY_SILENCE: Millis = 300_000;

/** Whether a server at this address is reachable from this machine only. */
export const isLoopback = (host: string): boolean => NAMES.test(host);

/** Whether a page of another site made the request: browsers say so. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  if (origin === undefined) return false;
  const [, name] = /^https?:\/\/([^/]+)$/.exec(origin) ?? [];
  return name === undefined || name.toLowerCase() !== host?.toLowerCase();
}

/**
 * Serves what `reply` returns for a path. Port 0 takes a free one. Throws the system's error if the
 * port cannot be listened on. With a `host` that is not loopback, any name is answered.
 */
export async function serveLoopback(
  port: number,
  reply: Replier,
  { host = LOOPBACK, stays = false, methods = [], mostBody = 0 }: LoopbackOptions = {},
): Promise<LoopbackServer> {
  const front: Front = { isOpen: !isLoopback(host), methods, mostBody };
  const server = createServer(
    {
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: REQUEST_TIME,
      requestTimeout: REQUEST_TIME,
      keepAliveTimeout: REQUEST_TIME,
      connectionsCheckingInterval: CHECK_EVERY,
    },
    (request, response) => {
      void replyTo(request, reply, front).then((answer) => send(request, response, answer));
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

interface Front {
  /** Any host name is answered. */
  readonly isOpen: boolean;
  readonly methods: readonly string[];
  readonly mostBody: Bytes;
}

async function replyTo(
  request: IncomingMessage,
  reply: Replier,
  { isOpen, methods, mostBody }: Front,
): Promise<Reply> {
  const isOurs = (name: string) => isOpen || NAMES.test(name);
  const { method = 'GET', headers, url = '' } = request;
  if (!isOurs(headers.host ?? LOOPBACK)) return FOREIGN;
  const reads = method === 'GET' || method === 'HEAD';
  if (!reads && !methods.includes(method)) {
    const known = ['GET', ...methods].join(', ');
    return { status: 405, text: `Method not allowed. Use ${known}.\n` };
  }
  const [, authority, rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority !== undefined && !isOurs(authority)) return FOREIGN;
  const [, path, query = ''] = ORIGIN_FORM.exec(rest ?? url) ?? [];
  if (path === undefined) return { status: 400, text: 'Bad request.\n' };
  try {
    const body = reads ? NOTHING : await bodyOf(request, mostBody);
    if (body === undefined)
      return { status: 413, text: `The body is longer than ${mostBody} bytes.\n` };
    return await reply(path, query, { method, headers, body });
  } catch (error) {
    return { status: 500, text: `Internal error: ${(error as Error)?.message}\n` };
  }
}

const FOREIGN: Reply = {
  status: 403,
  text: 'Forbidden host name. Use 127.0.0.1 or localhost.\n',
};
const NOTHING = new Uint8Array();

/** Undefined if the body is too long. */
async function bodyOf(request: IncomingMessage, most: Bytes): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { status, text, type = 'text/plain; charset=utf-8', headers, body, stream } = reply;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  // The client may be gone; then the answer does not matter.
  response.on('error', () => {});
  // A body that is not read to its end could take for ever.
  if (!request.complete && (length !== '0' || coding !== undefined))
    response.shouldKeepAlive = false;
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  if ((stream === undefined && body === undefined) || request.method === 'HEAD') {
    response.end(text);
    return;
  }
  if (body !== undefined) {
    request.socket.setTimeout(BODY_SILENCE);
    response.flushHeaders();
    // A body that fails has broken the connection: the client sees that it is not whole.
    pipeline(Readable.from(body), response).catch(() => {});
    return;
  }
  response.write(text);
  stream?.({
    send: (more) => {
      if (response.writableNeedDrain || response.destroyed) return false;
      response.write(more);
      return true;
    },
    onClose: (act) => void response.on('close', act),
  });
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((listening, failed) => {
    // Stays for good: the system may refuse a single connection later, and the server continues.
    server.on('error', failed);
    server.listen(port, host, listening);
  });
}
