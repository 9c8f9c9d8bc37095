/**
 * Serves the web over sockets: HTTP/1.1 with keep-alive and pipelining, and all behaviours.
 *
 * Idea      node:http would hide the bytes that the behaviours must spoil, and costs more than the
 *           pages.
 * Ensures   responses in the order of the requests. At most one response per connection is under
 *           way, none while the client does not read, and only a few requests are read ahead. So
 *           memory is bounded by the number of connections. No request throws: one that the web
 *           cannot answer gets 500. A silent connection is closed.
 * Cost      about 20 µs a request in addition to the page and the system call that sends it.
 */
import type { Server, Socket } from 'node:net';
import { type Answer, htmlAnswer, REASONS, validatorsOf } from '../answer.ts';
import { headerOf, MAX_HEAD, parseRequest, type Request } from './request.ts';
import { send } from './sending.ts';
import { TRANSFERS } from './transfer.ts';

/** Milliseconds after which a connection without any traffic is closed, at least. */
const LEAST_IDLE = 300_000;

/** What the server needs: the web gives the answers, the observer sees each one. */
export interface Service {
  /** How long slow servers wait, in milliseconds. */
  readonly patience: number;
  answer(request: Request, secure: boolean): Answer;
  served(socket: Socket, request: Request | undefined, status: number, bytes: number): void;
}

/** Makes every connection of a server speak HTTP. */
export function serve(server: Server, service: Service, secure: boolean): void {
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) =>
    new Connection(socket, service, secure).start(),
  );
}

class Connection {
  readonly #socket: Socket;
  readonly #service: Service;
  readonly #secure: boolean;
  #unread = '';
  #busy = false;
  #ended = false;
  #looping = false;

  constructor(socket: Socket, service: Service, secure: boolean) {
    this.#socket = socket;
    this.#service = service;
    this.#secure = secure;
  }

  start(): void {
    const socket = this.#socket;
    socket.setNoDelay(true);
    socket.setTimeout(Math.max(LEAST_IDLE, 2 * this.#service.patience), () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      if (socket.writableEnded) return; // No further answer follows.
      this.#unread += chunk.toString('latin1');
      if (!this.#busy) this.#next();
      else if (this.#unread.length > MAX_HEAD) socket.pause();
    });
    // Anything after our last byte is read and dropped, so that the client's end is seen.
    socket.once('finish', () => socket.resume());
    socket.on('end', () => {
      this.#ended = true;
      if (!this.#busy) socket.end();
    });
    // A client may leave at any moment; that is not an error.
    socket.on('error', () => socket.destroy());
  }

  /** Answers the requests received so far, one at a time. */
  #next(): void {
    this.#looping = true;
    while (!this.#busy && !this.#socket.destroyed) {
      const end = this.#unread.indexOf('\r\n\r\n');
      if (end < 0) break;
      const head = this.#unread.slice(0, end);
      this.#unread = this.#unread.slice(end + 4);
      this.#handle(head.startsWith('\r\n') ? head.slice(2) : head);
    }
    this.#looping = false;
    if (this.#unread.length <= MAX_HEAD && this.#socket.isPaused()) this.#socket.resume();
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
    const isHead = request.method === 'HEAD';
    this.#service.served(this.#socket, request, answer.status, isHead ? 0 : answer.body.length);
    this.#busy = true;
    const { behaviour } = answer;
    const deliver =
      answer.status === 200 && !isHead && behaviour ? TRANSFERS[behaviour] : undefined;
    if (deliver) {
      const { patience } = this.#service;
      deliver({
        socket: this.#socket,
        request,
        answer,
        keepAlive,
        patience,
        done: (keep) => this.#done(keep),
      });
      return;
    }
    send(this.#socket, headOf(answer, keepAlive), isHead ? '' : answer.body);
    this.#done(keepAlive);
  }

  #answerTo(request: Request): Answer {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return htmlAnswer(
        405,
        'Method Not Allowed',
        'Only GET and HEAD are known here.',
        'Allow: GET, HEAD\r\n',
      );
    try {
      const answer = this.#service.answer(request, this.#secure);
      return isUnchanged(request, answer) ? { ...answer, status: 304, body: '' } : answer;
    } catch (error) {
      return htmlAnswer(500, REASONS[500], `This page cannot be made: ${escaped(error)}`);
    }
  }

  /** A response is on its way: the next request is answered after the client has read it. */
  #done(keepAlive: boolean): void {
    const socket = this.#socket;
    if (!keepAlive) {
      socket.end();
      return;
    }
    if (!socket.writableNeedDrain) {
      this.#busy = false;
      // Answers requests that came meanwhile; while `#next` handles one, its loop does that.
      if (this.#unread !== '' && !this.#looping) this.#next();
      return;
    }
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
  let head = `HTTP/1.1 ${answer.status} ${REASONS[answer.status]}\r\nServer: drumlin-web\r\n${answer.headers}${validatorsOf(answer)}`;
  if (answer.status !== 304) head += `Content-Length: ${answer.body.length}\r\n`;
  return `${head}Connection: ${keepAlive ? 'keep-alive' : 'close'}\r\n\r\n`;
}

/** The message of an error, as bytes of a page. */
function escaped(error: unknown): string {
  return String((error as Error)?.message).replace(/[^ -~]|[<&]/g, '?');
}

/** Whether the client already has this version of the page. */
function isUnchanged(request: Request, { status, etag, modified }: Answer): boolean {
  if (
    status !== 200 ||
    etag === undefined ||
    modified === undefined ||
    !request.lower.includes('\r\nif-')
  )
    return false;
  const known = headerOf(request, 'if-none-match');
  if (known !== undefined)
    return known === '*' || known.split(',').some((tag) => tag.trim() === etag);
  const since = Date.parse(headerOf(request, 'if-modified-since') ?? '');
  return since >= modified * 1000;
}

/** Whether the request has a body. No resource accepts one, so the connection cannot be reused. */
function hasBody({ lower }: Request): boolean {
  return lower.includes('\r\ntransfer-encoding:') || /\r\ncontent-length:\s*[1-9]/.test(lower);
}
