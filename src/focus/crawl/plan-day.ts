/**
 * What a day crawls, by policy:
 *
 *   whitelist   parents of the list, each followed only into its own domain
 *   hybrid      the same seeds, followed anywhere
 *   blacklist   the seeds of a broad crawl, followed anywhere but to the blacklist
 *   adaptive    parents of all domains by the new useful documents that a request is expected to
 *               find; a tenth of the seeds outside the list
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Book } from '../book/book.ts';
import { domainOf } from '../book/keys.ts';
import { domainIn } from '../book/values.ts';
import { type RankOptions, rankBook } from '../rank/rank-book.ts';
import { expectedRate, type Prior, PriorEstimate } from './expected.ts';
import { explore } from './explore.ts';
import { chooseSeeds } from './seeds.ts';

export const POLICIES = ['whitelist', 'blacklist', 'hybrid', 'adaptive'] as const;
export type Policy = (typeof POLICIES)[number];

/** The largest share of the seeds from one domain. */
const SPREAD = 0.1;
/** The share of the seeds that `adaptive` takes outside the list. */
const EXPLORED = 0.1;

interface PlanOptions extends RankOptions {
  readonly policy: Policy;
  /** How many seeds. */
  readonly count: number;
  /** As in the paper: any number of seeds from one domain. */
  readonly isSpread: boolean;
  /** The seeds of a broad crawl. */
  readonly broad: readonly string[];
  /** In seconds. */
  readonly now: number;
}

interface DayPlan {
  readonly seeds: readonly string[];
  /** Domains that the seeds were chosen from. */
  readonly listed: number;
  /** When the round began that the seeds belong to. */
  readonly round: number;
}

type Places = Pick<ReadonlyMap<string, number>, 'get' | 'has' | 'size'>;

export async function planDay(disk: Disk, book: Book, options: PlanOptions): Promise<DayPlan> {
  const { policy, broad } = options;
  if (policy === 'blacklist') {
    if (broad.length === 0) throw noSeeds();
    return { seeds: broad.slice(0, options.count), listed: 0, round: book.round };
  }
  if (policy !== 'adaptive') {
    const { domains } = await rankBook(disk, book, options);
    const places = new Map(domains.map(({ name, place }) => [name, place]));
    return { ...(await inRounds(book, places, options, options.count)), listed: places.size };
  }
  const { places, prior } = await byExpectation(book, options.top);
  const outside = Math.floor(options.count * EXPLORED);
  const isListed = (domain: string) => places.has(domain);
  const requests = Math.max(1, prior.requests);
  const { now } = options;
  const explored = await explore(book, { count: outside, isListed, requests, now });
  const { seeds, round } = await inRounds(book, places, options, options.count - explored.length);
  const all = [...new Set([...seeds, ...explored])];
  return { seeds: all, round, listed: new Set(all.map(domainOf)).size };
}

/** At most a tenth from one domain. */
async function inRounds(
  book: Book,
  places: Places,
  { isSpread, now }: PlanOptions,
  count: number,
): Promise<Pick<DayPlan, 'seeds' | 'round'>> {
  const perDomain = isSpread ? Math.max(1, Math.floor(count * SPREAD)) : count;
  const placeOf = (domain: string) => places.get(domain);
  const { round } = book;
  const { seeds, endsRound } = await chooseSeeds(book, { placeOf, count, perDomain, round });
  return { seeds, round: endsRound ? Math.max(now, round) : round };
}

/** The best domains by expected new useful documents per request. */
async function byExpectation(
  book: Book,
  top: number,
): Promise<{ readonly places: Places; readonly prior: Prior }> {
  const estimate = new PriorEstimate();
  await eachDomain(book, (_, value) => estimate.add(value));
  const prior = estimate.prior();
  let rates: { name: string; rate: number; useful: number }[] = [];
  const sort = () => {
    rates.sort((a, b) => b.rate - a.rate || b.useful - a.useful || (a.name < b.name ? -1 : 1));
    rates = rates.slice(0, top);
  };
  await eachDomain(book, (name, value) => {
    if (value.parents === 0) return;
    rates.push({ name, rate: expectedRate(value, prior), useful: value.useful });
    if (rates.length > 2 * top + 1024) sort();
  });
  sort();
  return { places: new Map(rates.map(({ name }, i) => [name, i + 1])), prior };
}

async function eachDomain(
  book: Book,
  look: (name: string, value: ReturnType<typeof domainIn>) => void,
): Promise<void> {
  const reader = await book.read('domains');
  try {
    while (await reader.next()) look(reader.keyText, domainIn(reader.value));
  } finally {
    await reader.close();
  }
}

const noSeeds = () =>
  new DrumlinError(
    'SEEDS',
    'The policy "blacklist" needs the seeds of a broad crawl.',
    'Give URLs, or a file of URLs, after the book.',
  );
