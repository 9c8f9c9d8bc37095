/**
 * Writes an answer to the wire, well or badly. Each behaviour writes to the socket itself and
 * reports when, and whether, the connection can be used again.
 *
 * Ensures   endless answers are written only as fast as the client reads, and stop with the
 *           connection; so do timers.
 */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Answer, REASONS, validatorsOf } from '../answer.ts';
import type { BehaviourName } from '../behaviour.ts';
import { headerOf, type Request } from './request.ts';

interface Delivery {
  readonly socket: Socket;
  readonly request: Request;
  readonly answer: Answer;
  /** The client asks to keep the connection. */
  readonly keepAlive: boolean;
  /** How long slow servers wait, in milliseconds. */
  readonly patience: number;
  /** The response is complete: continue with the next request, or close. */
  done(keepAlive: boolean): void;
}

type Deliver = (delivery: Delivery) => void;

const CHUNK = 4096;
const RESET_MILLIS = 25;
const FILLER = `${'all work and no play makes a dull page '.repeat(100)}\n`;

/** Status line and headers; `framing` has the lines that give the length of the body. */
function headOf({ answer }: Delivery, framing: string): string {
  const status = `HTTP/1.1 ${answer.status} ${REASONS[answer.status]}\r\n`;
  return `${status}Server: drumlin-web\r\n${answer.headers}${validatorsOf(answer)}${framing}\r\n`;
}

const lengthOf = (bytes: number): string => `Content-Length: ${bytes}\r\n`;
const connectionOf = (keepAlive: boolean): string =>
  `Connection: ${keepAlive ? 'keep-alive' : 'close'}\r\n`;

/** Calls `write` again and again, as fast as the client reads, until the connection ends. */
function forever(socket: Socket, write: () => boolean): void {
  const turn = (): void => {
    if (socket.destroyed) return;
    if (write()) setImmediate(turn);
    else socket.once('drain', turn);
  };
  turn();
}

/** A timer that does not outlive the connection. */
function later(socket: Socket, millis: number, act: () => void): void {
  const timer = setTimeout(() => {
    socket.off('close', cancel);
    if (!socket.destroyed) act();
  }, millis);
  const cancel = (): void => clearTimeout(timer);
  socket.once('close', cancel);
}

/** The whole response at once. */
function plainly(delivery: Delivery, extra = '', body = delivery.answer.body): void {
  const { socket, keepAlive } = delivery;
  socket.write(
    headOf(delivery, extra + lengthOf(body.length) + connectionOf(keepAlive)) + body,
    'latin1',
  );
  delivery.done(keepAlive);
}

function encoded(coding: string, compress: (body: Buffer) => Buffer): Deliver {
  return (delivery) => {
    const accepted = headerOf(delivery.request, 'accept-encoding') ?? '';
    if (!new RegExp(`(?:^|[\\s,])${coding}(?:$|[\\s,;])`, 'i').test(accepted)) {
      plainly(delivery, 'Vary: Accept-Encoding\r\n');
      return;
    }
    const body = compress(Buffer.from(delivery.answer.body, 'latin1')).toString('latin1');
    plainly(delivery, `Vary: Accept-Encoding\r\nContent-Encoding: ${coding}\r\n`, body);
  };
}

function chunksOf(body: string): string {
  let chunks = '';
  for (let at = 0; at < body.length; at += CHUNK) {
    const chunk = body.slice(at, at + CHUNK);
    chunks += `${chunk.length.toString(16)};part=${at / CHUNK}\r\n${chunk}\r\n`;
  }
  return chunks;
}

/** Headers that announce a whole body, then a part of it, and the end. */
function cutShort(framing: (delivery: Delivery) => string, end: (socket: Socket) => void): Deliver {
  return (delivery) => {
    const { socket, answer } = delivery;
    const half = answer.body.slice(0, Math.ceil(answer.body.length / 2));
    socket.write(headOf(delivery, framing(delivery)) + half, 'latin1', () => end(socket));
  };
}

/**
 * Resets a moment later: a client that receives the half body and the reset together takes them for
 * an orderly end (libuv's short cut for a hang-up), and would not see the fault. Over TLS Node
 * cannot reset, so there the connection is closed without a shutdown message.
 */
function resetSoon(socket: Socket): void {
  later(socket, RESET_MILLIS, () => {
    // After an end, Node may fail to reset, and would never close the socket.
    if (socket instanceof TLSSocket || socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  });
}

export const TRANSFERS: Partial<Record<BehaviourName, Deliver>> = {
  chunked(delivery) {
    const { socket, answer, keepAlive } = delivery;
    const framing = `Transfer-Encoding: chunked\r\nTrailer: X-Pages\r\n${connectionOf(keepAlive)}`;
    socket.write(
      `${headOf(delivery, framing)}${chunksOf(answer.body)}0\r\nX-Pages: 1\r\n\r\n`,
      'latin1',
    );
    delivery.done(keepAlive);
  },

  gzip: encoded('gzip', (body) => gzipSync(body, { level: 1 })),
  br: encoded('br', (body) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  ),

  close(delivery) {
    delivery.socket.write(headOf(delivery, connectionOf(false)) + delivery.answer.body, 'latin1');
    delivery.done(false);
  },

  'slow-start'(delivery) {
    later(delivery.socket, delivery.patience, () => plainly(delivery));
  },

  /** The head at once, then a hundred bytes every fortieth of the patience. */
  drip(delivery) {
    const { socket, answer, keepAlive, patience } = delivery;
    socket.write(
      headOf(delivery, lengthOf(answer.body.length) + connectionOf(keepAlive)),
      'latin1',
    );
    let sent = 0;
    const drop = (): void => {
      if (sent >= answer.body.length) {
        delivery.done(keepAlive);
        return;
      }
      socket.write(answer.body.slice(sent, sent + 100), 'latin1');
      sent += 100;
      later(socket, patience / 40, drop);
    };
    drop();
  },

  'bad-header'(delivery) {
    plainly(
      delivery,
      'no colon here\r\nX-Folded: one\r\n two\r\n: no name\r\nX-Odd: \xff\x01\r\nX Space : yes\r\n',
    );
  },

  'short-length'(delivery) {
    const { socket, answer } = delivery;
    const claimed = Math.floor(answer.body.length / 2);
    socket.write(headOf(delivery, lengthOf(claimed) + connectionOf(true)) + answer.body, 'latin1');
    delivery.done(true);
  },

  /** Announces a thousand bytes more; the connection stays open until the client leaves. */
  'long-length'(delivery) {
    const { socket, answer } = delivery;
    socket.write(
      headOf(delivery, lengthOf(answer.body.length + 1000) + connectionOf(true)) + answer.body,
      'latin1',
    );
  },

  'cut-off': cutShort(
    ({ answer }) => lengthOf(answer.body.length),
    (socket) => socket.end(),
  ),

  'cut-chunk'(delivery) {
    const { socket, answer } = delivery;
    const head = headOf(delivery, 'Transfer-Encoding: chunked\r\n');
    const half = answer.body.slice(0, Math.ceil(answer.body.length / 2));
    socket.end(`${head}${answer.body.length.toString(16)}\r\n${half}`, 'latin1');
  },

  reset: cutShort(({ answer }) => lengthOf(answer.body.length), resetSoon),

  'endless-body'(delivery) {
    const { socket, answer } = delivery;
    socket.write(headOf(delivery, connectionOf(false)) + answer.body, 'latin1');
    forever(socket, () => socket.write(FILLER, 'latin1'));
  },

  'endless-headers'({ socket }) {
    socket.write('HTTP/1.1 200 OK\r\n', 'latin1');
    let n = 0;
    forever(socket, () => socket.write(`X-Line-${n++}: ${'dull '.repeat(200)}\r\n`, 'latin1'));
  },

  bomb(delivery) {
    const { socket } = delivery;
    const member = bombMember();
    const framing = `Content-Encoding: gzip\r\n${lengthOf(member.length * BOMB_MEMBERS)}${connectionOf(false)}`;
    socket.write(headOf(delivery, framing), 'latin1');
    let left = BOMB_MEMBERS;
    forever(socket, () => {
      if (left-- > 0) return socket.write(member);
      delivery.done(false);
      return false;
    });
  },
};

const BOMB_MEMBERS = 128;
let member: Buffer | undefined;

/** Eight megabytes of zeros, in about eight kilobytes; gzip members may be concatenated. */
function bombMember(): Buffer {
  member ??= gzipSync(Buffer.alloc(8 * 1024 * 1024), { level: 9 });
  return member;
}
