/**
 * A way through a proxy to one origin (CONNECT, RFC 9110, section 9.3.6): one request, and a head for an answer. What follows is between us
 * and the origin.
 *
 * Ensures   exactly one of `opened` and `refused` is called, unless the socket fails or is destroyed before: that is its owner's. After
 *           `opened` nobody listens for the socket's data any more.
 */
import type net from 'node:net';

export interface TunnelEnds {
  opened(): void;
  /** With the proxy's status, or 0 when its answer was none. */
  refused(status: number): void;
}

const MAX_HEAD_BYTES = 16 * 1024;

/** Requires a socket that stands and from which nothing was read. */
export function openTunnel(socket: net.Socket, request: Buffer, ends: TunnelEnds): void {
  let head = '';
  const onData = (bytes: Buffer) => {
    head += bytes.toString('latin1');
    const end = /\r?\n\r?\n/.exec(head);
    if (end === null && head.length < MAX_HEAD_BYTES) return;
    socket.off('data', onData);
    socket.pause();
    const status = Number(/^HTTP\/1\.\d (\d{3})\b/.exec(head)?.[1] ?? 0);
    const nothingFollows = end !== null && end.index + end[0].length === head.length;
    // The origin speaks second in TLS: bytes behind the head are not its.
    if (status >= 200 && status < 300 && nothingFollows) ends.opened();
    else ends.refused(status >= 200 && status < 300 ? 0 : status);
  };
  socket.on('data', onData);
  socket.write(request);
}
