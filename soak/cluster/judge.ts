/**
 * Judges a crawl of the lab by a cluster: from the lab's log of requests and from the bucket, read
 * by an independent WARC reader. It knows nothing that Drumlin says of itself.
 *
 *   npx tsx soak/cluster/judge.ts case.json
 *
 * Verdict   missing: pages of the web that are not in the archive. twice: pages that are in it more
 *           than once. torn: files that do not consist of whole members. unconfirmed: records whose
 *           digest is wrong. index: entries of the index that are wrong or lacking. tooSoon:
 *           requests closer to the one before than the delay of the host, of robots.txt or of the
 *           address, robots.txt included. repeats: pages asked for again; mayRepeat: pages that an
 *           agent's former owners had asked for and not committed when it changed hands. unowned:
 *           the longest time that an agent had no owner, in milliseconds.
 */
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';
import { ownerOfHost } from '../../src/cluster/worker/sharing.ts';
import { type LabOptions, type Ports, webOf } from '../../src/lab/server/lab.ts';
import { openObjects } from '../../src/objects/open-objects.ts';
import { readWithWarcio } from '../../test/archive/warc/fixtures.ts';
import { indexFaults } from '../../test/archive/warc/true-index.ts';
import type { Change } from './owners.ts';

/** A fault, as the harness made it. */
export interface Fault {
  readonly kind: string;
  /** By the clock of the lab. */
  readonly from: number;
  readonly to: number;
}

export interface Case {
  readonly web: LabOptions;
  readonly ports: Ports;
  /** The lab's log of requests. */
  readonly log: string;
  readonly objects: string;
  /** Milliseconds. */
  readonly delay: number;
  readonly addressDelay: number;
  readonly maxCrawlDelay: number;
  readonly agents: number;
  readonly faults: readonly Fault[];
  readonly changes: readonly Change[];
  /** The limit of pages; absent without one. */
  readonly maxPages?: number;
}

interface Requested {
  readonly time: number;
  readonly host: string;
  readonly address: string;
  readonly path: string;
}

/** The log has whole milliseconds. */
const ROUNDING = 1;

export interface Verdict {
  readonly web: number;
  readonly archived: number;
  readonly files: number;
  readonly missing: string[];
  readonly twice: string[];
  readonly torn: string[];
  readonly unconfirmed: string[];
  readonly index: string[];
  readonly requests: number;
  readonly tooSoon: string[];
  readonly repeats: number;
  readonly mayRepeat: number;
  readonly takeovers: number;
  readonly unowned: number;
}

export async function judge(given: Case, env: NodeJS.ProcessEnv): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-judge-'));
  try {
    const archive = await judgeArchive(given, env, folder);
    return { ...archive, ...judgeRequests(given) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function holds(verdict: Verdict): boolean {
  const { missing, twice, torn, unconfirmed, index, tooSoon, repeats, mayRepeat } = verdict;
  const faults = [missing, twice, torn, unconfirmed, index, tooSoon].flat();
  return faults.length === 0 && repeats <= mayRepeat;
}

async function judgeArchive(
  { objects, web, ports, maxPages }: Case,
  env: NodeJS.ProcessEnv,
  folder: string,
) {
  const files = await fetchArchive(objects, env, folder);
  const counts = new Map<string, number>();
  const [torn, unconfirmed]: [string[], string[]] = [[], []];
  for (const path of files) {
    if (!(await isWhole(path))) torn.push(basename(path));
    for (const { type, url, offset, blockConfirmed, payloadConfirmed } of await readWithWarcio(
      path,
    )) {
      if (!blockConfirmed || (type === 'response' && payloadConfirmed === false))
        unconfirmed.push(`${basename(path)} at ${offset}`);
      if ((type === 'response' || type === 'revisit') && url && !url.endsWith('/robots.txt'))
        counts.set(url, (counts.get(url) ?? 0) + 1);
    }
  }
  const pages = [...webOf(web, ports).allUrls()];
  const absent = pages.filter((url) => !counts.has(url));
  const lacking = counts.size === maxPages ? [] : [`${counts.size} of ${maxPages} pages`];
  return {
    web: pages.length,
    archived: counts.size,
    files: files.length,
    missing: maxPages === undefined ? absent : lacking,
    twice: [...counts].filter(([, count]) => count > 1).map(([url]) => url),
    torn,
    unconfirmed,
    index: await indexFaults(folder).catch((error) => [String(error.message)]),
  };
}

/** Copies the archive and its index to a folder; returns the paths of the WARC files. */
async function fetchArchive(
  objects: string,
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<string[]> {
  const store = await openObjects(objects, env);
  const files: string[] = [];
  for (const kind of ['archive', 'indexes']) {
    mkdirSync(join(folder, kind), { recursive: true });
    for await (const { key } of store.list(`${kind}/`)) {
      const path = join(folder, kind, basename(key));
      writeFileSync(path, (await store.get(key)) as Buffer);
      if (kind === 'archive') files.push(path);
    }
  }
  return files;
}

function judgeRequests(given: Case) {
  const lines = readFileSync(given.log, 'utf8').trimEnd().split('\n');
  const asked = lines.filter(Boolean).map((line) => JSON.parse(line) as Requested);
  const delays = crawlDelays(given);
  const byHost = tooSoon(asked, 'host', ({ host }) =>
    Math.max(given.delay, Math.min(delays(host), given.maxCrawlDelay)),
  );
  const byAddress = tooSoon(asked, 'address', () => given.addressDelay);
  return { requests: asked.length, tooSoon: [...byHost, ...byAddress], ...repeatsIn(asked, given) };
}

/** The Crawl-delay of a host, in milliseconds, by the web's own robots.txt. */
function crawlDelays({ web, ports }: Case): (host: string) => number {
  const truth = webOf(web, ports);
  const known = new Map<string, number>();
  return (host) => {
    const answer = () => truth.answer(host, '/robots.txt', false);
    const text = () => String(answer()?.body ?? '');
    const delay =
      known.get(host) ?? Number(/^Crawl-delay: *([\d.]+)/m.exec(text())?.[1] ?? 0) * 1000;
    known.set(host, delay);
    return delay;
  };
}

function tooSoon(
  asked: readonly Requested[],
  by: 'host' | 'address',
  delayOf: (request: Requested) => number,
): string[] {
  const last = new Map<string, Requested>();
  const found: string[] = [];
  for (const request of asked) {
    const before = last.get(request[by]);
    last.set(request[by], request);
    if (!before) continue;
    // The pause that the first answer of a host asks for counts from the second request on.
    const wanted = delayOf(request);
    const pause = request.time - before.time;
    const isFirst = by === 'host' && before.path === '/robots.txt';
    if (pause + ROUNDING < (isFirst ? Math.min(wanted, delayOf(before)) : wanted))
      found.push(
        `${by} ${request[by]} after ${pause} of ${wanted} ms at ${request.time}: ${request.host}${request.path} after ${before.host}${before.path}`,
      );
  }
  return found;
}

/**
 * Pages asked for again; and those that had been asked for and were in no commit whenever an agent
 * changed hands.
 */
function repeatsIn(asked: readonly Requested[], { agents, changes }: Case) {
  const pages = asked.filter(({ path }) => path !== '/robots.txt');
  const name = ({ host, path }: Requested) => host + path;
  const repeats = pages.length - new Set(pages.map(name)).size;
  const owners = new Map<string, number>();
  for (const { host } of pages) owners.set(host, owners.get(host) ?? ownerOfHost(host, agents));
  let mayRepeat = 0;
  for (const { agent, at, pages: committed } of changes) {
    const own = pages.filter(({ host, time }) => owners.get(host) === agent && time <= at);
    mayRepeat += Math.max(0, new Set(own.map(name)).size - committed);
  }
  const unowned = Math.max(0, ...changes.map(({ at, since }) => at - since));
  const takeovers = changes.filter(({ isTakeover }) => isTakeover).length;
  return { repeats, mayRepeat, takeovers, unowned };
}

/** The second reader tolerates a torn end; the system's decoder does not. */
async function isWhole(path: string): Promise<boolean> {
  try {
    await pipeline(createReadStream(path), createGunzip(), async (bytes) => {
      for await (const _ of bytes);
    });
    return true;
  } catch {
    return false;
  }
}

/** Lists by their lengths. */
export function figuresOf(verdict: Verdict): Record<string, number> {
  const entries = Object.entries(verdict) as [string, string[] | number][];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.length : value]),
  );
}

export function printVerdict(verdict: Verdict): void {
  const lists = Object.entries(verdict).filter(([, value]) => Array.isArray(value));
  console.table(figuresOf(verdict));
  for (const [what, names] of lists)
    for (const name of (names as string[]).slice(0, 10)) console.log(`${what} ${name}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const verdict = await judge(JSON.parse(readFileSync(process.argv[2], 'utf8')), process.env);
  printVerdict(verdict);
  process.exitCode = holds(verdict) ? 0 : 1;
}
