/**
 * Serves the web over sockets: HTTP/1.1 with keep-alive and pipelining, and every way of misbehaving.
 *
 * Idea      node:http would hide the bytes that the behaviours need to spoil, and costs more than the pages do.
 * Ensures   responses in the order of the requests; at most one response is in the making a connection, and none while the
 *           client is not reading, so that memory is bounded by the number of connections; connections that reach a
 *           local address outside 127.0.0.0/8 are dropped unread.
 * Cost      about 30 µs a request beside the page itself.
 */
import type { Server, Socket } from 'node:net';
import { type Answer, htmlAnswer, REASONS } from './answer.ts';
import { headerOf, MAX_HEAD, parseRequest, type Request } from './request.ts';

/** What the server needs to know; the web gives the answers, the observer hears of each. */
export interface Service {
  answer(request: Request): Answer;
  served(socket: Socket, request: Request | undefined, status: number, bytes: number): void;
}

/** Makes every connection of a server speak HTTP. */
export function serve(server: Server, service: Service, event: 'connection' | 'secureConnection'): void {
  server.on(event, (socket: Socket) => {
    if (!socket.localAddress?.startsWith('127.')) {
      socket.destroy();
      return;
    }
    new Connection(socket, service).start();
  });
}

class Connection {
  readonly #socket: Socket;
  readonly #service: Service;
  #unread = '';
  #busy = false;
  #ended = false;

  constructor(socket: Socket, service: Service) {
    this.#socket = socket;
    this.#service = service;
  }

  start(): void {
    const socket = this.#socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#unread += chunk.toString('latin1');
      if (!this.#busy) this.#next();
    });
    socket.on('end', () => {
      this.#ended = true;
      if (!this.#busy) socket.end();
    });
    // A client may leave at any moment; that is its right and no fault of ours.
    socket.on('error', () => socket.destroy());
  }

  /** Answers what was asked so far, one request at a time. */
  #next(): void {
    while (!this.#busy && !this.#socket.destroyed) {
      const end = this.#unread.indexOf('\r\n\r\n');
      if (end < 0) break;
      const head = this.#unread.slice(0, end);
      this.#unread = this.#unread.slice(end + 4);
      this.#handle(head.startsWith('\r\n') ? head.slice(2) : head);
    }
    if (this.#busy || this.#socket.destroyed) return;
    if (this.#unread.length > MAX_HEAD) this.#refuse(431);
    else if (this.#ended) this.#socket.end();
  }

  #handle(head: string): void {
    const request = head.length > MAX_HEAD ? 431 : parseRequest(head);
    if (typeof request === 'number') {
      this.#refuse(request);
      return;
    }
    const answer = this.#answerTo(request);
    const keepAlive = request.keepAlive && !hasBody(request);
    this.#write(headOf(answer, keepAlive), request.method === 'HEAD' ? '' : answer.body, keepAlive);
    this.#service.served(this.#socket, request, answer.status, answer.body.length);
  }

  #answerTo(request: Request): Answer {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return htmlAnswer(
        405,
        'Method Not Allowed',
        'Only GET and HEAD are known here.',
        'Allow: GET, HEAD\r\n',
      );
    const answer = this.#service.answer(request);
    return isUnchanged(request, answer) ? { ...answer, status: 304, body: '' } : answer;
  }

  /** Sends the response; goes on with the next request once the client has taken it. */
  #write(head: string, body: string, keepAlive: boolean): void {
    const socket = this.#socket;
    this.#busy = true;
    if (!keepAlive) {
      socket.end(head + body, 'latin1');
      return;
    }
    const taken = socket.write(head + body, 'latin1');
    if (taken) this.#busy = false;
    else
      socket.once('drain', () => {
        this.#busy = false;
        this.#next();
      });
  }

  #refuse(status: number): void {
    this.#busy = true;
    this.#service.served(this.#socket, undefined, status, 0);
    const answer = htmlAnswer(status, REASONS[status], 'This request cannot be understood.');
    this.#socket.end(headOf(answer, false) + answer.body, 'latin1');
  }
}

function headOf(answer: Answer, keepAlive: boolean): string {
  let head = `HTTP/1.1 ${answer.status} ${REASONS[answer.status]}\r\nServer: drumlin-web\r\n${answer.headers}`;
  if (answer.etag) head += `ETag: ${answer.etag}\r\n`;
  if (answer.modified) head += `Last-Modified: ${new Date(answer.modified * 1000).toUTCString()}\r\n`;
  if (answer.status !== 304) head += `Content-Length: ${answer.body.length}\r\n`;
  return `${head}Connection: ${keepAlive ? 'keep-alive' : 'close'}\r\n\r\n`;
}

/** The client already has this state of the page. */
function isUnchanged({ head }: Request, { status, etag, modified }: Answer): boolean {
  if (status !== 200 || etag === undefined || modified === undefined || !/\r\nif-/i.test(head)) return false;
  const known = headerOf(head, 'if-none-match');
  if (known !== undefined) return known === '*' || known.split(/\s*,\s*/).includes(etag);
  const since = Date.parse(headerOf(head, 'if-modified-since') ?? '');
  return since >= modified * 1000;
}

/** Nothing here takes a body, so the connection cannot be used after one. */
function hasBody({ head }: Request): boolean {
  return /\r\n(?:content-length:\s*[1-9]|transfer-encoding:)/i.test(head);
}
