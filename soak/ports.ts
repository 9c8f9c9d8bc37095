/**
 * Random and damaged requests to every port that Drumlin listens on: does a process end, hang or
 * leak?
 *
 *   npm run soak -- ports [requests per port] [minutes per port] [seed] [part of a port's name]
 *
 * Two real processes on loopback: `drumlin web` (HTTP, TLS, DNS, the page about itself) and a crawl
 * of it with `--metrics-port`. Each port gets its requests by the grammar of test/fuzz. After each
 * fifth, the process collects its garbage, and its open sockets and memory are noted: `live` is
 * what is in use then, `resident` what the system has given it. Resident memory grows with the
 * garbage between two collections, so only live memory shows a leak. Then both must stop as usual.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount } from '../src/base/units.ts';
import { webOf } from '../src/lab/server/lab.ts';
import { labTargets, probe } from '../test/fuzz/lab-targets.ts';
import { randomFrom } from '../test/fuzz/mutation.ts';
import { fuzzDns, fuzzHttp, fuzzTls } from '../test/fuzz/port-fuzzer.ts';
import type { Known } from '../test/fuzz/requests.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const WEB = { scenario: 'hostile', domains: 60, pages: 6 };
const ROUNDS = 5;
const AT_ONCE = 48;
/** Sockets that may come and go by themselves: a look-up, a connection of the crawl. */
const FEW_SOCKETS = 3;
/** Megabytes by which live memory may grow between the first and the last round. */
const FEW_MEGABYTES = 4;
const LIVE_MEMORY = join(import.meta.dirname, 'ports/live-memory.mjs');
const LOCAL: Known = {
  hosts: ['localhost', '127.0.0.1'],
  paths: ['/', '/metrics', '/healthz', '/status.json', '/metrics?x=%41'],
};

interface Measured {
  readonly sockets: number;
  /** Megabytes in use after a collection of garbage. */
  readonly live: number;
  /** Megabytes that the system has given the process. */
  readonly resident: number;
}

interface Round {
  readonly requests: number;
  readonly statuses?: Readonly<Record<string, number>>;
  /** What must not happen: answers that are no HTTP, or report an internal error. */
  readonly faults?: readonly string[];
}

interface Port {
  readonly name: string;
  readonly process: Running;
  fuzz(requests: number, until: number): Promise<Round>;
}

export async function run(args: string[]): Promise<void> {
  const [requests = 100_000, minutes = 20, seed = 1] = args.slice(0, 3).map(Number);
  const only = args[3] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-ports-'));
  spawnSync(process.execPath, [DRUMLIN, '--version']); // compiles changed sources
  const started: Running[] = [];
  const failures: string[] = [];
  try {
    for (const port of await startAll(folder, seed, started)) {
      if (!port.name.includes(only)) continue;
      const { row, faults } = await attack(port, requests, minutes * 60_000);
      failures.push(...faults.map((fault) => `${port.name}: ${fault}`));
      console.log(JSON.stringify({ port: port.name, ...row }));
    }
    for (const one of started.reverse()) failures.push(...(await one.stop()));
  } finally {
    for (const { child } of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  for (const failure of failures) console.log(`FAILED ${failure}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

async function startAll(folder: string, seed: number, started: Running[]): Promise<Port[]> {
  const flags = [
    '--scenario',
    WEB.scenario,
    '--domains',
    `${WEB.domains}`,
    '--pages',
    `${WEB.pages}`,
  ];
  const web = new Running(['web', ...flags, '--patience', '20ms', '--json'], 0);
  started.push(web);
  const { http, https, dns, control, seeds } = JSON.parse(await web.firstLine());
  const dnsPort = Number(String(dns).split(':')[1]);
  const { known, plainProbe, secureProbe } = labTargets(
    webOf(WEB, { http, https, dns: dnsPort, control }),
  );
  const metricsPort = await freePort();
  const crawl = new Running(
    [
      ...['crawl', seeds[0], '--dir', join(folder, 'crawl'), '--dns', dns, '--allow-private'],
      // One page, then an hour of waiting: all that the process does is to answer.
      ...['--scope', 'host', '--delay', '1h', '--agents', '1'],
      ...['--metrics-port', `${metricsPort}`, '--quiet'],
    ],
    130,
  );
  started.push(crawl);
  await answering(metricsPort);
  const random = randomFrom(seed);
  const http1 = (
    name: string,
    process: Running,
    port: number,
    good: string,
    names = LOCAL,
  ): Port => ({
    ...{ name, process },
    fuzz: async (requests, until) =>
      roundOf(
        await fuzzHttp({
          port,
          known: names,
          random,
          requests,
          atOnce: AT_ONCE,
          probe: good,
          until,
        }),
      ),
  });
  return [
    http1('metrics and healthz', crawl, metricsPort, probe('/metrics')),
    http1('page of the web', web, control, probe('/')),
    http1('web, HTTP', web, http, plainProbe, known),
    {
      ...{ name: 'web, TLS', process: web },
      fuzz: async (requests, until) =>
        roundOf(
          await fuzzTls({
            ...{ port: https, known, random, requests, atOnce: AT_ONCE, until },
            probe: secureProbe,
          }),
        ),
    },
    {
      ...{ name: 'web, DNS', process: web },
      fuzz: (packets, until) =>
        fuzzDns({ port: dnsPort, names: [...known.hosts, '', 'x.test'], random, packets, until }),
    },
  ];
}

function roundOf({
  requests,
  statuses,
  odd,
  internal,
}: Awaited<ReturnType<typeof fuzzHttp>>): Round {
  return { requests, statuses, faults: [...odd, ...internal] };
}

/** Rounds of requests to one port, each followed by a look at its process. */
async function attack({ name, process: owner, fuzz }: Port, requests: number, time: number) {
  const until = performance.now() + time;
  const seen: Measured[] = [await owner.measure()];
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  let sent = 0;
  for (let round = 0; round < ROUNDS && performance.now() < until; round++) {
    try {
      const result = await fuzz(Math.ceil(requests / ROUNDS), until);
      sent += result.requests;
      for (const [status, n] of Object.entries(result.statuses ?? {}))
        statuses[status] = (statuses[status] ?? 0) + n;
      faults.push(...(result.faults ?? []));
    } catch (error) {
      faults.push(String((error as Error).message));
    }
    if (owner.ended) {
      faults.push(`the process ended: ${owner.printed}`);
      break;
    }
    seen.push(await owner.settled(seen[0].sockets));
    process.stderr.write(`${name}: ${formatCount(sent)} ${JSON.stringify(seen.at(-1))}\n`);
  }
  const [before, first, last] = [seen[0], seen[1] ?? seen[0], seen.at(-1) ?? seen[0]];
  if (last.sockets > before.sockets + FEW_SOCKETS)
    faults.push(`${last.sockets} open sockets, ${before.sockets} before`);
  if (last.live > first.live + FEW_MEGABYTES)
    faults.push(`${last.live} MB after the last round, ${first.live} after the first`);
  const sockets = `${before.sockets} -> ${last.sockets}`;
  const live = seen.map((one) => one.live).join(' ');
  const resident = seen.map((one) => one.resident).join(' ');
  const memory = { live, resident };
  return { row: { requests: sent, sockets, ...memory, statuses, faults: faults.length }, faults };
}

/** One of our processes. */
class Running {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #exitCode: number;
  printed = '';

  constructor(args: string[], exitCode: number) {
    const node = ['--expose-gc', '--import', LIVE_MEMORY];
    this.child = spawn(process.execPath, [...node, DRUMLIN, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#exitCode = exitCode;
    this.child.stderr?.on('data', (chunk) => {
      this.printed += chunk;
    });
    this.#lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async firstLine(): Promise<string> {
    return (await this.#lines.next()).value;
  }

  async measure(): Promise<Measured> {
    const { pid } = this.child;
    const answer = once(this.child, 'message') as Promise<[number]>;
    this.child.send('measure');
    const [live] = await answer;
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return {
      sockets: socketsOf(pid),
      live: Math.round(live / 1e5) / 10,
      resident: Math.round(Number(resident) / 1024),
    };
  }

  /** Waits until the server has noticed that its clients are gone, for some seconds at most. */
  async settled(sockets: number): Promise<Measured> {
    for (let i = 0; i < 60; i++) {
      const now = await this.measure();
      if (now.sockets <= sockets + FEW_SOCKETS) return now;
      await sleep(250);
    }
    return this.measure();
  }

  /** Returns what is wrong with how it ends. */
  async stop(): Promise<string[]> {
    if (this.ended) return [];
    const gone = once(this.child, 'exit') as Promise<[number | null]>;
    this.child.kill('SIGTERM');
    const [code] = await gone;
    const complaints = this.printed.replace(/^drumlin: compiling.*\n/m, '');
    return [
      ...(code === this.#exitCode ? [] : [`exit code ${code} instead of ${this.#exitCode}`]),
      ...(/^\s+at /m.test(complaints) ? [`a stack was printed: ${complaints}`] : []),
    ];
  }
}

/** Open sockets of a process. The files of a crawl come and go by themselves. */
function socketsOf(pid: number | undefined): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).startsWith('socket:');
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Waits until the crawl has begun. */
async function answering(port: number): Promise<void> {
  for (let i = 0; i < 400; i++) {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error('the crawl does not serve its metrics');
}
