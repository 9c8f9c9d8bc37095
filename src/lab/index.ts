/**
 * The lab: a deterministic synthetic web with real HTTP and real DNS on loopback, started in-process.
 *
 * `startLab` listens; `lab.expected(url)` is the pure function behind it, so that a test can compare what was archived with
 * what the web says. docs/lab.md tells how the web is made.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { DrumlinError, EXIT, systemCode } from '../errors.ts';
import { addressOf } from './addresses.ts';
import { type Answer, htmlAnswer } from './answer.ts';
import { RCODE } from './dns-message.ts';
import { type Resolution, startDns } from './dns-server.ts';
import { type Service, serve } from './http-server.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { Web } from './web.ts';

export interface LabOptions {
  seed?: number;
  /** clean, site, …, or one made with `scenarioOf`. */
  scenario?: string | Scenario;
  /** Shares of kinds that differ from the scenario's. */
  mix?: Readonly<Record<string, number>>;
  step?: number;
  domains?: number;
  /** Mean pages a domain; exactly that many with the scenario `site`. */
  pages?: number;
  /** 0, the default, takes a free one. */
  httpPort?: number;
  dnsPort?: number;
  /** Every host resolves to 127.0.0.1: for systems where the rest of 127.0.0.0/8 does not exist. */
  oneAddress?: boolean;
  realSuffixes?: boolean;
  /** Where to count requests: shared memory when the lab runs in a thread. */
  counter?: Uint32Array;
}

export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly dns: number;
  readonly control: number;
}

const NO_PORTS: Ports = { http: 0, https: 0, dns: 0, control: 0 };

export { startLabThread } from './thread.ts';

export interface Expected {
  readonly status: number;
  /** Names in lower case; what the connection adds (Connection, Content-Length, Server) is left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Lab {
  /** URLs at which a crawl may start. */
  readonly seeds: string[];
  /** The name server, `127.0.0.1:port`. */
  readonly dns: string;
  readonly httpPort: number;
  readonly ports: Ports;
  /** The lab's certificate authority in PEM, when it serves TLS. */
  readonly ca?: string;
  readonly web: Web;
  /** HTTP requests so far. */
  readonly requests: number;
  /** What a URL of this web is answered; undefined when there is no such host. */
  expected(url: string): Expected | undefined;
  close(): Promise<void>;
}

const DEFAULT_DOMAINS = 10_000;
const DEFAULT_PAGES = 460;

export async function startLab(options: LabOptions = {}): Promise<Lab> {
  webOf(options, NO_PORTS); // Refuses bad settings before anything listens.
  const server = createServer({ highWaterMark: 64 * 1024 });
  const http = await listen(server, options.httpPort ?? 0, options.oneAddress ? '127.0.0.1' : '0.0.0.0');
  const sockets = trackSockets(server);
  const web = webOf(options, { ...NO_PORTS, http });
  const counter = options.counter ?? new Uint32Array(1);
  const service: Service = {
    answer: ({ host, target }) => web.answer(host, target) ?? MISDIRECTED,
    served: () => {
      counter[0]++;
    },
  };
  serve(server, service, 'connection');
  const dns = await startDns(options.dnsPort ?? 0, (name) => resolve(web, name, options.oneAddress ?? false));
  return labHandle(web, { ...NO_PORTS, http, dns: dns.port }, undefined, counter, async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await Promise.all([closed, dns.close()]);
  });
}

/** The web that the options describe, once the ports are known. */
export function webOf(options: LabOptions, ports: Ports): Web {
  const { scenario: name = 'clean' } = options;
  const scenario = typeof name === 'object' ? name : scenarioOf(name, options.mix);
  return new Web({
    seed: options.seed ?? 1,
    scenario,
    step: options.step ?? 0,
    domains: options.domains ?? (scenario.exactPages ? 1 : DEFAULT_DOMAINS),
    pages: options.pages ?? (scenario.exactPages ? 100 : DEFAULT_PAGES),
    httpPort: ports.http,
    httpsPort: ports.https,
    realSuffixes: options.realSuffixes ?? false,
  });
}

/** What a caller holds, wherever the servers run. */
export function labHandle(
  web: Web,
  ports: Ports,
  ca: string | undefined,
  counter: Uint32Array,
  close: () => Promise<void>,
): Lab {
  return {
    seeds: web.seeds(),
    dns: `127.0.0.1:${ports.dns}`,
    httpPort: ports.http,
    ports,
    ...(ca && { ca }),
    web,
    get requests() {
      return counter[0];
    },
    expected: (url) => expectedOf(web, url),
    close,
  };
}

const MISDIRECTED: Answer = htmlAnswer(421, 'Misdirected Request', 'No such site is here.');

function resolve(web: Web, name: string, oneAddress: boolean): Resolution {
  const place = web.placeOf(name);
  if (!place?.domain.alive) return { rcode: RCODE.nameError };
  return {
    rcode: RCODE.noError,
    address: oneAddress ? '127.0.0.1' : addressOf(web.world, place.domain, Math.max(0, place.host)),
  };
}

function expectedOf(web: Web, url: string): Expected | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const answer = parsed && web.answer(parsed.hostname, parsed.pathname + parsed.search);
  if (!answer) return undefined;
  const lines = answer.headers.split('\r\n').filter(Boolean);
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 2),
  ]);
  return {
    status: answer.status,
    headers: Object.fromEntries(headers),
    body: Buffer.from(answer.body, 'latin1'),
  };
}

async function listen(server: Server, port: number, address: string): Promise<number> {
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = systemCode(error);
    throw new DrumlinError(
      'LAB_PORT',
      `Port ${port} cannot be listened on (${code}).`,
      'Choose another port, or 0 for a free one.',
      {
        exitCode: EXIT.usage,
        cause: error,
      },
    );
  }
  const bound = server.address();
  return typeof bound === 'object' && bound ? bound.port : port;
}

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
