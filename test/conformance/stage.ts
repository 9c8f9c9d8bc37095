/**
 * A folder, a web of small sites with names of their own, and the built program: what the rows of
 * the tables run on. Used by the suite and by `npm run soak -- flags`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pages } from '../crawl/small-site.ts';
import { CERTIFICATE, KEY } from '../fetch/certificates.ts';
import { type NameServer, nameServer } from '../net/name-server.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Asked {
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly time: number;
}

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Called once with what a server of the program prints first; then the program is ended. */
  readonly once?: (printed: string) => Promise<void>;
}

/** The addresses of the sites. The third speaks TLS for lab.test and the names below it. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.1'] as const;
const TLS = 2;

export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'drumlin-conformance-'));
  readonly asked: Asked[] = [];
  readonly #program: string;
  readonly #pages = new Map<string, Pages>();
  readonly #servers: Server[];
  readonly #names: NameServer;
  readonly #running = new Set<ChildProcess>();
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(program: string, names: NameServer) {
    this.#program = program;
    this.#names = names;
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response);
    this.#servers = ADDRESSES.map((_, i) =>
      i === TLS ? createTlsServer({ key: KEY, cert: CERTIFICATE }, answer) : createServer(answer),
    );
  }

  static async open(program: string): Promise<Stage> {
    const stage = new Stage(program, await nameServer({}));
    await Promise.all(
      stage.#servers.map(
        (server, i) => new Promise<void>((done) => server.listen(0, ADDRESSES[i], done)),
      ),
    );
    return stage;
  }

  get dns(): string {
    return this.#names.address;
  }

  /** Puts a site on the web, at one of the addresses; returns its origin. */
  site(host: string, pages: Pages, at = 0): string {
    this.#pages.set(host, pages);
    this.#names.table.set(host, { a: [ADDRESSES[at]] });
    return this.origin(host, at);
  }

  origin(host: string, at = 0): string {
    const { port } = this.#servers[at].address() as AddressInfo;
    return `http${at === TLS ? 's' : ''}://${host}:${port}`;
  }

  /** The address of a server that accepts connections and says nothing. */
  async silent(): Promise<string> {
    const open = new Set<Socket>();
    const server = createSocketServer((socket) => open.add(socket.on('error', () => {})));
    await new Promise<void>((listening) => server.listen(0, ADDRESSES[0], listening));
    this.later(async () => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    return `${ADDRESSES[0]}:${(server.address() as AddressInfo).port}`;
  }

  /** A port that nothing listens on. */
  async freePort(): Promise<number> {
    const server = createSocketServer();
    await new Promise<void>((listening) => server.listen(0, ADDRESSES[0], listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    return port;
  }

  /** What to do at the end. */
  later(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  /** A file in the folder; returns its path. */
  write(name: string, text: string, mode = 0o600): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode });
    return path;
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  read(...names: string[]): string {
    return readFileSync(this.path(...names), 'utf8');
  }

  /** Runs the program in the folder. */
  async run(words: readonly string[], given: Given = {}): Promise<Ended> {
    const child = spawn(process.execPath, [this.#program, ...words], {
      cwd: this.folder,
      env: { ...process.env, ...given.env },
    });
    this.#running.add(child);
    const texts = { out: '', err: '' };
    let used: Promise<void> | undefined;
    const use = () => {
      if (given.once === undefined || used !== undefined) return;
      if (!/\n/.test(texts.out + texts.err)) return;
      used = given.once(texts.out + texts.err).finally(() => child.kill('SIGINT'));
      used.catch(() => {}); // awaited below
    };
    child.stdout.on('data', (data) => {
      texts.out += data;
      use();
    });
    child.stderr.on('data', (data) => {
      texts.err += data;
      use();
    });
    child.stdin.on('error', () => {}); // a program that does not read its input
    child.stdin.end(given.input ?? '');
    const code = await new Promise<number | null>((ended) => child.on('close', ended));
    this.#running.delete(child);
    await used;
    return { code, ...texts };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const path = request.url ?? '/';
    const { method = '', headers } = request;
    this.asked.push({ host, path, method, headers, time: performance.now() });
    const pages = this.#pages.get(host);
    const page = pages?.[path] ?? pages?.['*'];
    if (typeof page === 'function') page(request, response);
    else if (page === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('-');
    else response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  }

  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    for (const close of this.#closing) await close();
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
    await this.#names.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
