/** A plain client for the tests: sockets and node:dns, nothing of the crawler. */
import { Resolver } from 'node:dns/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Lab } from '../../src/lab/index.ts';

export interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Fetches a URL of the lab through its own name server, following nothing. */
export async function get(lab: Lab, url: string, headers: Record<string, string> = {}): Promise<Got> {
  const parsed = new URL(url);
  const address = await resolve(lab, parsed.hostname);
  return new Promise((done, failed) => {
    const sent = request(
      {
        host: address,
        port: parsed.port,
        path: parsed.pathname + parsed.search,
        headers: { Host: parsed.host, ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', failed);
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', failed);
    sent.end();
  });
}

export async function resolve(lab: Lab, name: string): Promise<string> {
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([lab.dns]);
  const [address] = await resolver.resolve4(name);
  return address;
}

/** Sends bytes as they are and gives all bytes that come back before the server closes, or before `until` is met. */
export function exchange(
  lab: Lab,
  bytes: string | Buffer,
  until: (received: Buffer) => boolean = () => false,
): Promise<Buffer> {
  return new Promise((done) => {
    const socket = connect(lab.httpPort, '127.0.0.1');
    const chunks: Buffer[] = [];
    const finish = (): void => {
      socket.destroy();
      done(Buffer.concat(chunks));
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (until(Buffer.concat(chunks))) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

/** The addresses a page's HTML links to, resolved, fragments dropped. */
export function linksOf(url: string, html: string): string[] {
  const found: string[] = [];
  for (const match of html.matchAll(/<a href="([^"]*)"/g)) {
    const resolved = new URL(match[1].replaceAll('&amp;', '&'), url);
    resolved.hash = '';
    found.push(resolved.href);
  }
  return found;
}
