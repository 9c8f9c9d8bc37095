/**
 * Was a crawl polite? Judged from the server's log, with another project's robots.txt parser,
 * without using the crawler.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import robotsParserModule from 'robots-parser';
import { type LabOptions, labHandle, type Ports, webOf } from '../../src/lab/server/lab.ts';

/** A CommonJS module whose types are wrong about that. */
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

export interface Verdict {
  readonly requests: number;
  readonly hosts: number;
  readonly addresses: number;
  /** Requests that came too soon after the last one to the same host. */
  readonly hostViolations: number;
  /** Requests that came too soon after the last one to the same address. */
  readonly addressViolations: number;
  readonly crawlDelayViolations: number;
  /** Pages that robots.txt forbids, or of hosts whose robots.txt was never answered. */
  readonly disallowed: number;
  readonly shortestHostGap: number;
  readonly shortestAddressGap: number;
  readonly hostsWithCrawlDelay: number;
  readonly examples: readonly string[];
}

interface Request {
  readonly time: number;
  readonly host: string;
  readonly address: string;
  readonly path: string;
}

/** Timers and the server's own clock are read in whole milliseconds. */
const TOLERANCE = 1;

export async function judge(
  log: string,
  options: LabOptions,
  ports: Ports,
  delays: { readonly host: number; readonly address: number },
): Promise<Verdict> {
  const lab = labHandle(
    webOf(options, ports),
    ports,
    undefined,
    new Uint32Array(1),
    async () => {},
  );
  const lastOfHost = new Map<string, number>();
  const lastOfAddress = new Map<string, number>();
  const rules = new Map<string, Rules>();
  const examples: string[] = [];
  const counts = {
    requests: 0,
    hostViolations: 0,
    addressViolations: 0,
    crawlDelayViolations: 0,
    disallowed: 0,
  };
  let shortestHostGap = Infinity;
  let shortestAddressGap = Infinity;
  let hostsWithCrawlDelay = 0;
  const blame = (what: keyof typeof counts, request: Request, fact: string) => {
    counts[what]++;
    if (examples.length < 20)
      examples.push(`${what}: ${request.host}${request.path} at ${request.address}: ${fact}`);
  };

  for await (const line of createInterface({ input: createReadStream(log) })) {
    const request = JSON.parse(line) as Request;
    if (request.host === undefined) continue;
    counts.requests++;
    const host = request.host.replace(/:\d+$/, '');
    const hostGap = request.time - (lastOfHost.get(host) ?? -Infinity);
    const addressGap = request.time - (lastOfAddress.get(request.address) ?? -Infinity);
    lastOfHost.set(host, request.time);
    lastOfAddress.set(request.address, request.time);
    shortestHostGap = Math.min(shortestHostGap, hostGap);
    shortestAddressGap = Math.min(shortestAddressGap, addressGap);
    if (hostGap + TOLERANCE < delays.host) blame('hostViolations', request, `${hostGap} ms`);
    if (addressGap + TOLERANCE < delays.address)
      blame('addressViolations', request, `${addressGap} ms`);
    let rule = rules.get(request.host);
    if (!rule) {
      rule = rulesOf(lab.expected, request.host, ports);
      if (rule.delay > 0) hostsWithCrawlDelay++;
      rules.set(request.host, rule);
    }
    // While a robots.txt is being requested, its rules are not known.
    if (isRobots(request.path)) continue;
    if (rule.delay > 0 && hostGap + TOLERANCE < rule.delay)
      blame('crawlDelayViolations', request, `${hostGap} ms`);
    if (!rule.allows(request.path)) blame('disallowed', request, 'robots.txt forbids it');
  }
  return {
    ...counts,
    hosts: lastOfHost.size,
    addresses: lastOfAddress.size,
    shortestHostGap,
    shortestAddressGap,
    hostsWithCrawlDelay,
    examples,
  };
}

interface Rules {
  readonly delay: number;
  allows(path: string): boolean;
}

const isRobots = (path: string) => path === '/robots.txt' || path === '/rules.txt';

/** The rules of the host's robots.txt, by another parser. */
function rulesOf(
  expected: (
    url: string,
  ) => { status: number; headers: Readonly<Record<string, string>>; body: Uint8Array } | undefined,
  host: string,
  ports: Ports,
): Rules {
  const scheme = host.endsWith(`:${ports.https}`) ? 'https' : 'http';
  const origin = `${scheme}://${host}`;
  let answer = expected(`${origin}/robots.txt`);
  const moved = answer?.headers.location;
  if (answer && answer.status >= 300 && answer.status < 400 && moved) answer = expected(moved);
  if (!answer || answer.status >= 500) return { delay: 0, allows: () => false };
  if (answer.status >= 400) return { delay: 0, allows: () => true };
  // A parser need not read beyond 500 KiB.
  const text = Buffer.from(answer.body.subarray(0, 500 * 1024)).toString('utf8');
  const robots = robotsParser(`${origin}/robots.txt`, text);
  return {
    delay: 1000 * (robots.getCrawlDelay('drumlin') ?? 0),
    allows: (path) => robots.isAllowed(origin + path, 'drumlin') !== false,
  };
}
