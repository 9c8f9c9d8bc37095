/**
 * Opens a tunnel through a proxy to one origin (CONNECT, RFC 9110, section 9.3.6): one request, and
 * a response head. Everything after that is between us and the origin.
 *
 * Ensures   Exactly one of `opened` and `refused` is called, unless the socket fails or is
 *           destroyed first, which is for its owner to handle. After `opened` there is no listener
 *           for the socket's data.
 */
import type net from 'node:net';

interface TunnelEnds {
  opened(): void;
  /** Called with the proxy's status, or 0 if its answer was malformed. */
  refused(status: number): void;
}

const MAX_HEAD_BYTES = 16 * 1024;

/** Requires a connected socket from which nothing was read. */
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
    // In TLS the client speaks first: bytes after the head are not the origin's.
    if (status >= 200 && status < 300 && nothingFollows) ends.opened();
    else ends.refused(status >= 200 && status < 300 ? 0 : status);
  };
  socket.on('data', onData);
  socket.write(request);
}
