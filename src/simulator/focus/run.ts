/**
 * Repeats Table 2 of CiteSeerX' paper: the same web and history, a policy each, equal requests.
 *
 * The history is a broad crawl of the web at step 0. A day is a crawl of the web as it is then: it
 * gets a step older every few days, so that documents appear and vanish.
 */
import { webOf } from '../../lab/server/lab.ts';
import type { Web } from '../../lab/web.ts';
import { textHash } from '../../lab/words/random.ts';
import { hostOf } from '../../url/parts.ts';
import { type DayCounts, runDay } from './day.ts';
import { MemoryBook } from './memory-book.ts';
import { adaptiveSeeds, listedSeeds, listOf, type PolicyName, type Round } from './policies.ts';

export interface FocusOptions {
  readonly policies: readonly PolicyName[];
  readonly days: number;
  /** Requests of each policy, over all days. */
  readonly requests: number;
  /** Requests of the broad crawl that is the history. */
  readonly history: number;
  readonly depth: number;
  /** Seeds that a day takes at once; by default one for 60 of its requests, as in the paper. */
  readonly batch?: number;
  /** Days after which a known document is requested again; 0: always. */
  readonly recheck: number;
  readonly seed: number;
  readonly domains: number;
  readonly pages: number;
  readonly onDay?: (done: number) => void;
}

export interface FocusResult {
  readonly policy: PolicyName;
  readonly seed: number;
  readonly days: readonly DayCounts[];
  /** Domains of the whitelist before the first day and after the last one. */
  readonly listed: readonly [before: number, after: number];
  /** Rounds through the parents, the last one included; more than one: too few parents. */
  readonly rounds: number;
}

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
/** The web gets a step older after so many days. */
const DAYS_A_STEP = 5;
/** One seed for so many requests, as in the paper. */
const REQUESTS_A_SEED = 60;
/** A host with so many requests and no document is blacklisted, as far as there is room. */
const FRUITLESS = 40;
const MOST_BLACKLISTED = 1000;

export async function runFocus(options: FocusOptions): Promise<FocusResult[]> {
  const { seed, domains, pages, days } = options;
  const scenario = 'papers';
  const steps = Math.ceil(days / DAYS_A_STEP);
  const webs = Array.from({ length: steps + 1 }, (_, step) =>
    webOf({ seed, scenario, domains, pages, step }, PORTS),
  );
  const book = new MemoryBook();
  const history = { webs, book, broad: learnHistory(webs[0], book, options) };
  const results: FocusResult[] = [];
  let done = 0;
  for (const policy of options.policies)
    results.push(await runPolicy(policy, history, options, () => options.onDay?.(++done)));
  return results;
}

/** What all policies begin with. */
interface History {
  /** The web at each step. */
  readonly webs: readonly Web[];
  readonly book: MemoryBook;
  readonly broad: Broad;
}

async function runPolicy(
  policy: PolicyName,
  { webs, book: learned, broad }: History,
  options: FocusOptions,
  onDay: () => void,
): Promise<FocusResult> {
  const { seed, days, requests, recheck, depth } = options;
  const book = learned.copy();
  const before = (await listOf(book)).length;
  const round: Round = { number: 1, place: 0 };
  const counts: DayCounts[] = [];
  const { batch = Math.ceil(requests / days / REQUESTS_A_SEED) } = options;
  for (let day = 1; day <= days; day++) {
    const web = webs[Math.ceil(day / DAYS_A_STEP)];
    const seeds = await seedsOf(policy, book, round, batch, broad.pages);
    const isBlacklisted = policy === 'blacklist' ? broad.isFruitless : () => false;
    const leaves = policy === 'blacklist' || policy === 'hybrid';
    const daily = Math.floor((requests * day) / days) - Math.floor((requests * (day - 1)) / days);
    const plan = { web, book, day, depth, batch, seeds, leaves, isBlacklisted, recheck };
    counts.push(runDay({ ...plan, requests: daily }));
    onDay();
  }
  const listed = [before, (await listOf(book)).length] as const;
  return { policy, seed, days: counts, listed, rounds: round.number };
}

function seedsOf(
  policy: PolicyName,
  book: MemoryBook,
  round: Round,
  batch: number,
  broad: readonly string[],
): Promise<Iterator<string>> | Iterator<string> {
  if (policy === 'adaptive') return adaptiveSeeds(book, round, batch);
  return policy === 'blacklist' ? broadSeeds(broad, round) : listedSeeds(book, round, batch);
}

/** The pages of the broad crawl in an order of chance, from where the last day ended. */
function* broadSeeds(pages: readonly string[], round: Round): Generator<string> {
  for (let i = 0; i < pages.length; i++) {
    yield pages[round.place++ % pages.length];
  }
}

interface Broad {
  readonly pages: readonly string[];
  readonly isFruitless: (host: string) => boolean;
}

function learnHistory(web: Web, book: MemoryBook, { history }: FocusOptions): Broad {
  const { pages } = runDay({
    ...{ web, book, day: 0, requests: history, recheck: 0, leaves: true, batch: 10 },
    depth: Number.POSITIVE_INFINITY,
    seeds: web.seeds(10)[Symbol.iterator](),
    isBlacklisted: () => false,
  });
  const fruitful = new Set(Array.from(book.documents.keys(), hostOf));
  const requests = new Map<string, number>();
  for (const url of pages) requests.set(hostOf(url), (requests.get(hostOf(url)) ?? 0) + 1);
  const fruitless = [...requests]
    .filter(([host, count]) => count >= FRUITLESS && !fruitful.has(host))
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MOST_BLACKLISTED)
    .map(([host]) => host);
  const blacklist = new Set(fruitless);
  const shuffled = pages
    .map((url) => ({ url, order: textHash(url) }))
    .sort((a, b) => a.order - b.order || (a.url < b.url ? -1 : 1))
    .map(({ url }) => url);
  return { pages: shuffled, isFruitless: (host) => blacklist.has(host) };
}
