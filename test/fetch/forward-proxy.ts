/**
 * A proxy: it forwards requests for absolute URLs, and CONNECT opens a tunnel. Every name resolves
 * to 127.0.0.1.
 */
import { once } from 'node:events';
import net from 'node:net';
import type { HttpProxy } from '../../src/fetch/proxy.ts';

export interface ForwardProxy {
  readonly proxy: HttpProxy;
  readonly port: number;
  /** Heads of the requests to the proxy itself. */
  readonly heads: string[];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** `answer` may answer a request on behalf of the proxy. */
export async function forwardProxy(
  answer: (head: string) => string | undefined = () => undefined,
): Promise<ForwardProxy> {
  const open = new Set<net.Socket>();
  const heads: string[] = [];
  let connections = 0;
  const track = (socket: net.Socket) => {
    open.add(socket.on('error', () => {}));
    socket.on('close', () => open.delete(socket));
    return socket;
  };
  const server = net.createServer((client) => {
    connections++;
    track(client);
    let pending = '';
    const onData = (bytes: Buffer) => {
      pending += bytes.toString('latin1');
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = pending.slice(0, end + 4);
      pending = pending.slice(end + 4);
      heads.push(head);
      const own = answer(head);
      if (own !== undefined) {
        client.write(own);
        return;
      }
      const [, method, port, path] = /^(\S+) (?:http:\/\/)?[^:/ ]+:(\d+)(\S*)/.exec(head)!;
      const upstream = track(net.connect(Number(port), '127.0.0.1'));
      if (method === 'CONNECT') {
        client.off('data', onData);
        upstream.on('connect', () => {
          client.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n');
          client.pipe(upstream).pipe(client);
        });
      } else {
        upstream.write(head.replace(/^(\S+) \S+/, `$1 ${path}`), 'latin1');
        upstream.pipe(client, { end: false });
      }
    };
    client.on('data', onData);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  return {
    proxy: { address: { ip: '127.0.0.1', family: 4 }, port },
    port,
    heads,
    connections: () => connections,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
