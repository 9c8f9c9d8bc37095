/** A site of a few pages, written out in a test, that records each request and its time. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;
/** A string is an HTML page; a handler answers as it likes. */
export type Pages = Readonly<Record<string, string | Handler>>;

export interface SmallSite {
  readonly origin: string;
  /** Requested paths, in order. */
  readonly asked: string[];
  /** Times at which requests came, by the clock of performance.now. */
  readonly times: number[];
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

export async function startSmallSite(pages: Pages, ip = '127.0.0.1', port = 0): Promise<SmallSite> {
  const asked: string[] = [];
  const times: number[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    response.on('close', () => atOnce--);
    const path = request.url ?? '/';
    asked.push(path);
    times.push(performance.now());
    const page = pages[path];
    if (typeof page === 'function') return page(request, response);
    if (page === undefined)
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
    else response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, ip, listening);
  });
  return {
    origin: `http://${ip.includes(':') ? `[${ip}]` : ip}:${(server.address() as AddressInfo).port}`,
    asked,
    times,
    get mostAtOnce() {
      return mostAtOnce;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** An HTML page that links to the references given. */
export const linking = (...references: string[]): string =>
  `<!doctype html><title>page</title>${references.map((href) => `<a href="${href}">x</a>`).join('\n')}`;
