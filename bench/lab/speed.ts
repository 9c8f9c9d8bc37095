/**
 * How many pages a second one core serves: `drumlin web` in its own process, and here a client that
 * does as little as possible.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { urlOf } from '../../src/lab/paths.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { Random } from '../../src/lab/words/random.ts';

const DOMAINS = 100_000;
const ROUNDS = 10;

export interface Load {
  readonly connections: number;
  /** Requests sent at once on a connection. */
  readonly depth: number;
  /** Pages of one domain in a row, as a crawler requests them while a connection is open. */
  readonly burst: number;
}

export async function measureSpeed(requests: number, load: Load): Promise<void> {
  const server = spawn(
    process.execPath,
    ['bin/drumlin', 'web', '--json', '--domains', `${DOMAINS}`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const failed = once(server, 'exit').then(() =>
      Promise.reject(new Error('drumlin web did not start')),
    );
    const [line] = (await Promise.race([once(createInterface(server.stdout), 'line'), failed])) as [
      string,
    ];
    failed.catch(() => {});
    const { http } = JSON.parse(line) as { http: number };
    const wanted = randomRequests(http, 20_000, load.burst);
    await fetchAll(http, wanted, 10_000, load); // Warm-up: text tapes, compiled code.
    process.stdout.write('round      pages/s   CPU µs/page   bytes/page   server RSS MB\n');
    for (let round = 1; round <= ROUNDS; round++) {
      const before = cpuMicros(server);
      const start = performance.now();
      const bytes = await fetchAll(http, wanted, Math.ceil(requests / ROUNDS), load);
      const seconds = (performance.now() - start) / 1000;
      const count = Math.ceil(requests / ROUNDS);
      const cpu = (cpuMicros(server) - before) / count;
      const row = [
        `${round}`,
        (count / seconds).toFixed(0),
        cpu.toFixed(1),
        (bytes / count).toFixed(0),
        rssMegabytes(server),
      ];
      process.stdout.write(`${row.map((cell) => cell.padStart(11)).join(' ')}\n`);
    }
  } finally {
    if (server.exitCode === null) {
      server.kill('SIGINT');
      await once(server, 'exit');
    }
  }
}

function randomRequests(port: number, count: number, burst: number): string[] {
  const web = webOf({ domains: DOMAINS }, { http: port, https: 0, dns: 0, control: 0 });
  const random = new Random(9, 9, 9, 9);
  let domain = web.domains.at(0);
  return Array.from({ length: count }, (_, i) => {
    if (i % burst === 0) domain = web.domains.at(random.below(DOMAINS));
    const { host, pathname, search } = new URL(urlOf(domain, random.below(domain.pages)));
    return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`;
  });
}

/**
 * Fetches `count` pages over kept connections, `depth` requests at a time on each. Returns the
 * bytes received.
 */
async function fetchAll(
  port: number,
  wanted: readonly string[],
  count: number,
  load: Load,
): Promise<number> {
  let started = 0;
  let total = 0;
  const one = (): Promise<void> =>
    new Promise((done, failed) => {
      let answers = 0;
      const counter = new ResponseCounter(() => {
        if (--answers === 0) next();
      });
      const next = (): void => {
        const batch = Math.min(load.depth, count - started);
        if (batch <= 0) {
          socket.destroy();
          done();
          return;
        }
        let text = '';
        for (; answers < batch; answers++) text += wanted[started++ % wanted.length];
        socket.write(text, 'latin1');
      };
      const socket = connect({
        port,
        host: '127.0.0.1',
        onread: {
          buffer: Buffer.allocUnsafe(256 * 1024),
          callback(bytes, buffer) {
            total += bytes;
            counter.take((buffer as Buffer).subarray(0, bytes));
            return true;
          },
        },
      });
      socket.once('connect', next);
      socket.once('error', failed);
    });
  await Promise.all(Array.from({ length: load.connections }, one));
  return total;
}

/**
 * Finds the ends of responses in a stream of bytes by their Content-Length, and reads as little as
 * possible.
 */
class ResponseCounter {
  readonly #ended: () => void;
  /** Bytes of the current response still to come. */
  #missing = 0;
  /** The beginning of a head whose end has not come yet. */
  #head: Buffer = Buffer.alloc(0);

  constructor(ended: () => void) {
    this.#ended = ended;
  }

  take(chunk: Buffer): void {
    let rest = this.#head.length > 0 ? Buffer.concat([this.#head, chunk]) : chunk;
    this.#head = Buffer.alloc(0);
    while (rest.length > 0) {
      if (this.#missing === 0) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0) {
          this.#head = Buffer.from(rest);
          return;
        }
        this.#missing =
          end + 4 + Number(/Content-Length: (\d+)/.exec(rest.toString('latin1', 0, end))?.[1]);
      }
      const taken = Math.min(this.#missing, rest.length);
      this.#missing -= taken;
      rest = rest.subarray(taken);
      if (this.#missing === 0) this.#ended();
    }
  }
}

/** User and system time of a process, from the system's own account (Linux). */
function cpuMicros({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function rssMegabytes({ pid }: ChildProcess): string {
  return (
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  ).toFixed(0);
}
