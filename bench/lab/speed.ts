/**
 * How many pages a second one core serves: `drumlin web` in a process of its own, and here a client that does as little as it can.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { webOf } from '../../src/lab/index.ts';
import { urlOf } from '../../src/lab/paths.ts';
import { Random } from '../../src/lab/random.ts';

const DOMAINS = 100_000;
const ROUNDS = 10;

export async function measureSpeed(requests: number, connections: number): Promise<void> {
  const server = spawn(process.execPath, ['bin/drumlin', 'web', '--json', '--domains', `${DOMAINS}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const { http } = JSON.parse(line) as { http: number };
    const wanted = randomRequests(http, 20_000);
    await fetchAll(http, wanted, 10_000, connections); // Warm-up: text tapes, compiled code.
    process.stdout.write('round      pages/s   CPU µs/page   bytes/page   server RSS MB\n');
    for (let round = 1; round <= ROUNDS; round++) {
      const before = cpuMicros(server);
      const start = performance.now();
      const bytes = await fetchAll(http, wanted, Math.ceil(requests / ROUNDS), connections);
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
    server.kill('SIGINT');
    await once(server, 'exit');
  }
}

function randomRequests(port: number, count: number): string[] {
  const web = webOf({ domains: DOMAINS }, { http: port, https: 0, dns: 0, control: 0 });
  const random = new Random(9, 9, 9, 9);
  return Array.from({ length: count }, () => {
    const domain = web.domains.at(random.below(DOMAINS));
    const { host, pathname, search } = new URL(urlOf(domain, random.below(domain.pages)));
    return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`;
  });
}

/** Fetches `count` pages over kept connections, one request at a time on each; gives the bytes received. */
async function fetchAll(
  port: number,
  wanted: readonly string[],
  count: number,
  connections: number,
): Promise<number> {
  let started = 0;
  let total = 0;
  const one = (): Promise<void> =>
    new Promise((done, failed) => {
      let missing = 0;
      const next = (): void => {
        if (started >= count) {
          socket.destroy();
          done();
        } else socket.write(wanted[started++ % wanted.length], 'latin1');
      };
      const socket = connect({
        port,
        host: '127.0.0.1',
        onread: {
          buffer: Buffer.allocUnsafe(256 * 1024),
          callback(bytes, buffer) {
            total += bytes;
            missing = (missing || messageLength(buffer as Buffer)) - bytes;
            if (missing === 0) next();
            return true;
          },
        },
      });
      socket.once('connect', next);
      socket.once('error', failed);
    });
  await Promise.all(Array.from({ length: connections }, one));
  return total;
}

/** Head and body, from the head at the start of the buffer. */
function messageLength(buffer: Buffer): number {
  const head = buffer.indexOf('\r\n\r\n') + 4;
  const at = buffer.indexOf('Content-Length: ') + 16;
  let length = 0;
  for (let i = at; buffer[i] !== 13; i++) length = length * 10 + buffer[i] - 48;
  return head + length;
}

/** User and system time of a process, from the system's own account (Linux). */
function cpuMicros({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function rssMegabytes({ pid }: ChildProcess): string {
  return (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024).toFixed(0);
}
