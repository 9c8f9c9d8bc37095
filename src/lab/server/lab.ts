/**
 * The lab: a deterministic synthetic web with real HTTP and real DNS on loopback.
 *
 * `startLab` listens in this process, `startLabThread` in a thread of its own. `lab.expected(url)`
 * is the pure function behind both, so a test can compare what was archived with the web's answer.
 * docs/lab.md explains how the web is made.
 *
 * The web's hosts have addresses all over 127.0.0.0/8, so the server listens on 0.0.0.0 and drops,
 * unread, every connection that did not come over loopback.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Answer, htmlAnswer, validatorsOf } from '../answer.ts';
import { BEHAVIOURS } from '../behaviour.ts';
import { type Truth, truthOf } from '../judge/truth.ts';
import { type Scenario, scenarioOf } from '../scenario.ts';
import { Web } from '../web.ts';
import { AccessLog } from './access-log.ts';
import { Authority } from './certificates.ts';
import { startControl, statusOf } from './control.ts';
import { startDns } from './dns-server.ts';
import { type Service, serve } from './http-server.ts';
import { listening } from './listening.ts';
import { headerOf, type Request, visitorOf } from './request.ts';
import { resolveName } from './resolve.ts';
import { createTlsServer } from './tls-server.ts';

export type { Truth } from '../judge/truth.ts';

export interface LabOptions {
  seed?: number;
  /** clean, mixed, spam, attack, hostile, site or papers; or one made with `scenarioOf`. */
  scenario?: string | Scenario;
  /** Shares of kinds and behaviours that differ from the scenario's. */
  mix?: Readonly<Record<string, number>>;
  step?: number;
  domains?: number;
  /** Mean number of pages per domain; exactly that many with the scenario `site`. */
  pages?: number;
  /** 0, the default, chooses a free port. */
  httpPort?: number;
  /** TLS is served if the scenario has domains that use it. */
  httpsPort?: number;
  dnsPort?: number;
  /** Port of the control page; absent for none. */
  controlPort?: number;
  /** A file to which every request is appended as a line of JSON. */
  log?: string;
  /** How long slow or late servers wait, in milliseconds. */
  patience?: number;
  /** Every host resolves to 127.0.0.1: for systems where the rest of 127.0.0.0/8 does not exist. */
  oneAddress?: boolean;
  /** Spreads hosts evenly over this many addresses, instead of as on the real web. */
  addresses?: number;
  realSuffixes?: boolean;
  /** Where requests are counted: shared memory if the lab runs in a thread. */
  counter?: Uint32Array;
}

export interface Ports {
  readonly http: number;
  /** 0 if TLS is not served. */
  readonly https: number;
  readonly dns: number;
  /** 0 if there is no control page. */
  readonly control: number;
}

export interface Expected {
  readonly status: number;
  /**
   * Names in lower case, without the headers of the connection (Connection, Content-Length, Server,
   * content coding).
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The body before any content coding. */
  readonly body: Uint8Array;
}

export interface Lab {
  /** URLs at which a crawl can start. */
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
  /** The truth about the domain of this host. */
  truth(hostName: string): Truth | undefined;
  /**
   * The answer to a URL of this web; undefined if there is no such host, or never a complete
   * response.
   */
  expected(url: string): Expected | undefined;
  close(): Promise<void>;
}

const DEFAULT_DOMAINS = 10_000;
const DEFAULT_PAGES = 460;
const DEFAULT_PATIENCE = 5000;
export const NO_PORTS: Ports = { http: 0, https: 0, dns: 0, control: 0 };

export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { world } = webOf(options, NO_PORTS); // Refuses bad settings before anything listens.
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await openAll(
      options,
      (world.scenario.behaviours.get('tls')?.size ?? 0) > 0,
      closers,
      closeAll,
    );
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/**
 * Opens one part after another; each adds how to close it, so that a failure leaves nothing open.
 */
async function openAll(
  options: LabOptions,
  secure: boolean,
  closers: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<Lab> {
  const { patience = DEFAULT_PATIENCE, oneAddress = false, addresses } = options;
  const interfaceAddress = oneAddress ? '127.0.0.1' : '0.0.0.0';
  const server = createServer({ highWaterMark: 64 * 1024 });
  const authority = secure ? new Authority(Date.now()) : undefined;
  const tlsServer = authority && createTlsServer(() => web, authority);
  const http = await listen(server, options.httpPort ?? 0, interfaceAddress, closers);
  const https = tlsServer
    ? await listen(tlsServer, options.httpsPort ?? 0, interfaceAddress, closers)
    : 0;
  const web = webOf(options, { ...NO_PORTS, http, https });

  const counter = options.counter ?? new Uint32Array(1);
  const log = options.log === undefined ? undefined : await AccessLog.open(options.log);
  if (log) closers.unshift(() => log.close());
  const service = serviceOf(web, patience, counter, log);
  serve(server, service, false);
  if (tlsServer) serve(tlsServer, service, true);

  const dns = await startDns(options.dnsPort ?? 0, (name) =>
    resolveName(web, name, { oneAddress, addresses, patience }),
  );
  closers.push(dns.close);
  const ports = { http, https, dns: dns.port, control: 0 };
  if (options.controlPort !== undefined) {
    const control = await startControl(options.controlPort, () => statusOf(web, counter[0], ports));
    closers.push(control.close);
    ports.control = control.port;
  }
  return labHandle(web, ports, authority?.pem, counter, close);
}

const MISDIRECTED: Answer = htmlAnswer(421, 'Misdirected Request', 'No such site is here.');

function serviceOf(
  web: Web,
  patience: number,
  counter: Uint32Array,
  log: AccessLog | undefined,
): Service {
  return {
    patience,
    answer: (request, secure) =>
      web.answer(request.host, request.target, secure, visitorOf(request)) ?? MISDIRECTED,
    served(socket, request, status, bytes) {
      counter[0]++;
      if (!log) return;
      const { method = '', host = '', target: path = '' } = request ?? {};
      const address = socket.localAddress ?? '';
      const condition = request && conditionOf(request);
      const asked = { method, path, ...(condition !== undefined && { condition }) };
      log.add({ time: Date.now(), host, address, ...asked, status, bytes });
    },
  };
}

/** The validators that a request names, as the access log writes them. */
function conditionOf(request: Request): string | undefined {
  const named = [
    headerOf(request, 'if-none-match') !== undefined && 'etag',
    headerOf(request, 'if-modified-since') !== undefined && 'date',
  ].filter(Boolean);
  return named.length > 0 ? named.join(',') : undefined;
}

/** The web that the options describe, after the ports are known. */
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

/** The caller's handle, wherever the servers run. */
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
    truth: (hostName) => truthOf(web, hostName),
    expected: (url) => expectedOf(web, url),
    close,
  };
}

function expectedOf(web: Web, url: string): Expected | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const answer =
    parsed &&
    web.answer(parsed.hostname, parsed.pathname + parsed.search, parsed.protocol === 'https:');
  if (!answer || (answer.behaviour && BEHAVIOURS[answer.behaviour].spoils)) return undefined;
  const lines = (answer.headers + validatorsOf(answer)).split('\r\n').filter(Boolean);
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

/** Listens, drops connections from outside, and adds how to close. */
async function listen(
  server: Server,
  port: number,
  address: string,
  closers: (() => Promise<void>)[],
): Promise<number> {
  const sockets = new Set<Socket>();
  server.prependListener('connection', (socket: Socket) => {
    if (!socket.localAddress?.startsWith('127.')) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, address);
  await listening(server, port);
  closers.push(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const bound = server.address();
  return typeof bound === 'object' && bound ? bound.port : port;
}
