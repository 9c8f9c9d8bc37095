/** A plain client for the tests: sockets and node:dns, nothing of the crawler. */
import { Resolver } from 'node:dns/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { BehaviourName } from '../../src/lab/behaviour.ts';
import { urlOf } from '../../src/lab/paths.ts';
import { type Lab, type LabOptions, startLab } from '../../src/lab/server/lab.ts';

export interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Fetches a URL of the lab through its own name server, and follows no redirect. */
export async function get(
  lab: Pick<Lab, 'dns'>,
  url: string,
  headers: Record<string, string> = {},
): Promise<Got> {
  const parsed = new URL(url);
  const host = await resolve(lab, parsed.hostname);
  const path = parsed.pathname + parsed.search;
  return new Promise((done, failed) => {
    const sent = request(
      { host, port: parsed.port, path, headers: { Host: parsed.host, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', failed);
        response.on('end', () =>
          done({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    sent.on('error', failed);
    sent.end();
  });
}

export async function resolve(
  lab: Pick<Lab, 'dns'>,
  name: string,
  timeout = 2000,
): Promise<string> {
  const resolver = new Resolver({ timeout, tries: 1 });
  resolver.setServers([lab.dns]);
  const [address] = await resolver.resolve4(name);
  return address;
}

export interface Raw {
  bytes: Buffer;
  /** How the connection ended: by the server (`end`), by a reset, or by us after `enough`. */
  ended: 'end' | 'reset' | 'enough';
}

/**
 * Sends bytes unchanged and returns everything received, until the server ends it or `enough` has
 * come.
 */
export function exchange(
  lab: Lab,
  bytes: string | Buffer,
  enough: (received: Buffer) => boolean = () => false,
): Promise<Raw> {
  return new Promise((done) => {
    const socket: Socket = connect(lab.httpPort, '127.0.0.1');
    let received = Buffer.alloc(0);
    const finish = (ended: Raw['ended']): void => {
      socket.destroy();
      done({ bytes: received, ended });
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (enough(received)) finish('enough');
    });
    socket.on('end', () => finish('end'));
    socket.on('error', () => finish('reset'));
    socket.write(bytes);
  });
}

/** A request for a URL, its header lines as given. */
export function requestFor(url: string, ...lines: string[]): string {
  const { host, pathname, search } = new URL(url);
  return [`GET ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...lines, '', ''].join('\r\n');
}

/** The head (status line and header lines) and the rest. */
export function split(bytes: Buffer): { head: string; body: Buffer } {
  const end = bytes.indexOf('\r\n\r\n');
  return { head: bytes.toString('latin1', 0, end), body: bytes.subarray(end + 4) };
}

/** The addresses a page's HTML links to, resolved. */
export function linksOf(url: string, html: string): string[] {
  const hrefs = Array.from(html.matchAll(/<a href="([^"]*)"/g), (match) =>
    match[1].replaceAll('&amp;', '&'),
  );
  return hrefs.map((href) => new URL(href, url).href);
}

/**
 * Runs `use` against a lab in which the second of two six-page sites has the behaviour, with the
 * URL of an affected page.
 */
export async function withBehaviour<T>(
  behaviour: BehaviourName,
  use: (lab: Lab, url: string, home: string) => Promise<T>,
  options: LabOptions = {},
): Promise<T> {
  const lab = await startLab({
    scenario: 'site',
    domains: 2,
    pages: 6,
    patience: 80,
    mix: { [behaviour]: 1 },
    ...options,
  });
  try {
    const domain = lab.web.domains.at(1);
    return await use(lab, urlOf(domain, 1), urlOf(domain, 0));
  } finally {
    await lab.close();
  }
}
