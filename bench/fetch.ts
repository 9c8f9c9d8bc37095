/**
 * What it costs to fetch a page: microseconds of CPU for 25 KB over loopback, on fresh and on kept
 * connections; ours against undici and node:http, with a bare socket as the lower bound.
 *
 *   npm run bench -- fetch [--pages 1500] [--rounds 5] [--concurrency 16] [--hosts 1000]
 *
 * The last part is like a polite crawl: each page is from another host, whose connection was idle
 * while all others were requested, or is new.
 *
 * The server is another process, so only the client's CPU is counted (user and system, as the
 * kernel does). The subjects take turns within each round, so that other work on the machine
 * affects all of them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { createHttpClient } from '../src/fetch/http-client.ts';
import { createIdentity } from '../src/fetch/identity.ts';
import { createAddressGuard } from '../src/net/address-guard.ts';

const PAGE_BYTES = 25_000;

/** Answers every request with the same page; closes on request. */
const SERVER = `
  const page = Buffer.alloc(${PAGE_BYTES}, 'lorem ipsum ');
  const head = 'HTTP/1.1 200 OK\\r\\nServer: bench\\r\\nDate: Thu, 01 Jan 2026 00:00:00 GMT\\r\\n' +
    'Content-Type: text/html; charset=utf-8\\r\\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\\r\\n' +
    'Content-Length: ' + page.length + '\\r\\n\\r\\n';
  const response = Buffer.concat([Buffer.from(head), page]);
  const server = require('node:net').createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      socket.write(response);
      if (/^connection: close/im.test(bytes.toString('latin1'))) socket.end();
    });
  });
  server.listen(0, '127.0.0.1', 1024, () => process.stdout.write(server.address().port + '\\n'));
  process.stdin.on('end', () => process.exit()).resume();
`;

interface Subject {
  readonly name: string;
  /** Fetches one page and returns the length of its body. */
  readonly fetch: () => Promise<number>;
  readonly close: () => unknown;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '1500' },
      rounds: { type: 'string', default: '5' },
      concurrency: { type: 'string', default: '16' },
      hosts: { type: 'string', default: '1000' },
    },
  });
  const pages = Number(values.pages);
  const rounds = Number(values.rounds);
  const concurrency = Number(values.concurrency);
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data').then(([bytes]) => [Number(bytes)]);
  try {
    const compare = async (title: string, subjects: readonly Subject[]) => {
      console.log(`${PAGE_BYTES} bytes over ${title}, ${concurrency} at once, CPU a page`);
      const costs = await measure(subjects, pages, rounds, concurrency);
      for (const { name, close } of subjects) {
        console.log(`  ${name.padEnd(12)} ${summary(costs.get(name) ?? [])}`);
        await close();
      }
      console.log();
    };
    for (const kept of [false, true]) {
      await compare(`${kept ? 'kept' : 'fresh'} connections`, [
        ours(port, kept, concurrency),
        undici(port, kept),
        nodeHttp(port, kept),
        bareSocket(port, kept),
      ]);
    }
    const hosts = Number(values.hosts);
    await compare(`${hosts} hosts in turn`, [
      oursInTurn(port, hosts, true),
      oursInTurn(port, hosts, false),
    ]);
  } finally {
    server.stdin.end();
    await once(server, 'exit');
  }
}

/**
 * Microseconds of CPU a page, by subject and round; the first round is a warm-up and does not
 * count.
 */
async function measure(
  subjects: readonly Subject[],
  pages: number,
  rounds: number,
  concurrency: number,
): Promise<Map<string, number[]>> {
  const costs = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, fetch } of subjects) {
      const before = process.cpuUsage();
      let left = pages;
      const worker = async () => {
        while (left-- > 0) {
          const length = await fetch();
          if (length !== PAGE_BYTES) throw new Error(`${name} got ${length} bytes`);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, worker));
      const { user, system } = process.cpuUsage(before);
      if (round > 0) costs.get(name)?.push((user + system) / pages);
    }
  }
  return costs;
}

function summary(costs: readonly number[]): string {
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  const sd = Math.sqrt(costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / costs.length);
  return `min ${Math.min(...costs)
    .toFixed(1)
    .padStart(6)} µs   mean ${mean.toFixed(1)} ± ${sd.toFixed(1)} µs`;
}

function ours(port: number, kept: boolean, concurrency: number): Subject {
  const client = createHttpClient({
    identity: createIdentity({ version: '0.0.0', contact: 'https://example.org/' }),
    guard: createAddressGuard({ allowPrivate: true }),
    keepAlive: { perOrigin: kept ? concurrency : 0 },
  });
  const target = {
    url: `http://127.0.0.1:${port}/page`,
    address: { ip: '127.0.0.1', family: 4 },
  } as const;
  return {
    name: 'drumlin',
    fetch: async () => (await client.fetch(target)).payload.length,
    close: () => client.close(),
  };
}

/** The hosts share an address and a server, but no connection. */
function oursInTurn(port: number, hosts: number, kept: boolean): Subject {
  const client = createHttpClient({
    identity: createIdentity({ version: '0.0.0', contact: 'https://example.org/' }),
    guard: createAddressGuard({ allowPrivate: true }),
    keepAlive: { perOrigin: kept ? 1 : 0, total: hosts, idle: 600_000 },
  });
  let turn = 0;
  return {
    name: kept ? 'kept' : 'fresh',
    fetch: async () => {
      const url = `http://h${turn++ % hosts}.test:${port}/page`;
      return (await client.fetch({ url, address: { ip: '127.0.0.1', family: 4 } })).payload.length;
    },
    close: () => client.close(),
  };
}

function undici(port: number, kept: boolean): Subject {
  const agent = new Agent(kept ? {} : { pipelining: 0 });
  return {
    name: 'undici',
    fetch: async () => {
      const { body } = await request(`http://127.0.0.1:${port}/page`, { dispatcher: agent });
      return (await body.arrayBuffer()).byteLength;
    },
    close: () => agent.close(),
  };
}

function nodeHttp(port: number, kept: boolean): Subject {
  const agent = new http.Agent({ keepAlive: kept });
  return {
    name: 'node:http',
    fetch: () =>
      new Promise((resolve, reject) => {
        const get = http.get({ host: '127.0.0.1', port, path: '/page', agent }, (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('end', () => resolve(Buffer.concat(pieces).length));
        });
        get.on('error', reject);
      }),
    close: () => agent.destroy(),
  };
}

/**
 * No parsing, no limits, no headers: the cost of the socket alone. It knows how many bytes to
 * expect.
 */
function bareSocket(port: number, kept: boolean): Subject {
  const bytes = Buffer.from(
    `GET /page HTTP/1.1\r\nHost: a\r\nConnection: ${kept ? 'keep-alive' : 'close'}\r\n\r\n`,
  );
  const buffer = Buffer.allocUnsafeSlow(65_536);
  const idle: { readonly socket: net.Socket; start: (done: (length: number) => void) => void }[] =
    [];
  const open = () => {
    let done: (length: number) => void = () => {};
    let body = Buffer.allocUnsafeSlow(0);
    let length = 0;
    const callback = (read: number, from: Uint8Array): boolean => {
      (from as Buffer).copy(body, length, 0, read);
      length += read;
      if (length > PAGE_BYTES) {
        if (kept) idle.push(connection);
        else socket.destroy();
        done(PAGE_BYTES);
      }
      return true;
    };
    const socket = net.connect({ host: '127.0.0.1', port, onread: { buffer, callback } });
    const connection = {
      socket,
      start: (finish: (length: number) => void) => {
        done = finish;
        length = 0;
        body = Buffer.allocUnsafeSlow(PAGE_BYTES + 1000);
        socket.write(bytes);
      },
    };
    return connection;
  };
  return {
    name: 'bare socket',
    fetch: () => new Promise((resolve) => (idle.pop() ?? open()).start(resolve)),
    close: () => {
      for (const { socket } of idle) socket.destroy();
    },
  };
}
