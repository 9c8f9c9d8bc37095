/**
 * The policies of a focused crawl, as orders of seeds.
 *
 *   blacklist   the pages of the broad crawl; links lead anywhere but to some hosts
 *   whitelist   parents in the order of their domains; links stay in the domain
 *   hybrid      the same seeds; links lead anywhere
 *   adaptive    domains by expected new useful documents a request; a tenth of the seeds for
 *               domains that are hardly tried
 */
import { expectedRate, type Prior, PriorEstimate } from '../../focus/crawl/expected.ts';
import { whitelist } from '../../focus/rank/whitelist.ts';
import { originOf } from '../../url/parts.ts';
import type { MemoryBook } from './memory-book.ts';

export const POLICIES = ['blacklist', 'whitelist', 'hybrid', 'adaptive'] as const;
export type PolicyName = (typeof POLICIES)[number];

const TOP = 8000;
/** At most one seed in so many is from one domain. */
const SPREAD = 10;
/** One seed in so many of `adaptive` explores. */
const EXPLORE = 10;

/** What the policies remember from day to day. */
export interface Round {
  /** The current round through the parents, from 1. */
  number: number;
  /** How many pages of the broad crawl were seeds. */
  place: number;
}

/** The seeds of a day for a ranked list: parents that were no seeds in this round. */
export async function listedSeeds(
  book: MemoryBook,
  round: Round,
  batch: number,
): Promise<Iterator<string>> {
  const list = await listOf(book);
  return inOrder(book, round, list, Math.ceil(batch / SPREAD));
}

/** The whitelist of a book. */
export async function listOf(book: MemoryBook): Promise<string[]> {
  const { domains } = await whitelist(book.domains.values(), TOP);
  return domains.map(({ name }) => name);
}

/** Parents by domain, the ones with the most useful documents first. */
function parentsByDomain(book: MemoryBook): Map<string, string[]> {
  const byDomain = new Map<string, string[]>();
  for (const [url, { domain }] of book.parents) {
    const urls = byDomain.get(domain);
    if (urls) urls.push(url);
    else byDomain.set(domain, [url]);
  }
  const useful = (url: string) => book.parents.get(url)?.useful ?? 0;
  for (const urls of byDomain.values())
    urls.sort((a, b) => useful(b) - useful(a) || (a < b ? -1 : 1));
  return byDomain;
}

/**
 * At most `most` parents of each domain, then the next ones, until all were seeds in this round;
 * then the next round. Each once.
 */
function* inOrder(
  book: MemoryBook,
  round: Round,
  domains: readonly string[],
  most: number,
): Generator<string> {
  const parents = parentsByDomain(book);
  const given = new Set<string>();
  for (let idle = 0; idle < 2; ) {
    let taken = 0;
    for (const domain of domains) {
      const fresh = (parents.get(domain) ?? []).filter(
        (url) => !given.has(url) && (book.parents.get(url)?.round ?? 0) < round.number,
      );
      for (const url of fresh.slice(0, most)) {
        const parent = book.parents.get(url);
        if (parent) parent.round = round.number;
        taken++;
        given.add(url);
        yield url;
      }
    }
    if (taken > 0) idle = 0;
    else {
      idle++;
      round.number++;
    }
  }
}

/** The seeds of a day for `adaptive`: nine of the best domains, then one to explore. */
export async function adaptiveSeeds(
  book: MemoryBook,
  round: Round,
  batch: number,
): Promise<Iterator<string>> {
  return adapted(book, round, batch, new Set(await listOf(book)));
}

function* adapted(
  book: MemoryBook,
  round: Round,
  batch: number,
  listed: ReadonlySet<string>,
): Generator<string> {
  const prior = priorOf(book);
  const rate = (name: string) => expectedRate(book.domain(name), prior);
  const best = [...book.domains.values()]
    .filter(({ parents }) => parents > 0)
    .map(({ name }) => name)
    .sort((a, b) => rate(b) - rate(a) || (a < b ? -1 : 1));
  const exploit = inOrder(book, round, best, Math.ceil(batch / SPREAD));
  const explore = untried(book, listed, prior.requests);
  for (let i = 1; ; i++) {
    const next = (i % EXPLORE === 0 ? explore.next().value : undefined) ?? exploit.next().value;
    if (next === undefined) return;
    yield next;
  }
}

function priorOf(book: MemoryBook): Prior {
  const estimate = new PriorEstimate();
  for (const counts of book.domains.values()) estimate.add(counts);
  return estimate.prior();
}

/**
 * Homes of domains outside of the list that are hardly tried: first those whose documents useful
 * ones cite.
 */
function* untried(book: MemoryBook, listed: ReadonlySet<string>, most: number): Generator<string> {
  const homes = new Map<string, string>();
  for (const { url, domain } of book.pending()) homes.set(domain, `${originOf(url)}/`);
  for (const [url, { domain }] of book.parents)
    if (!homes.has(domain)) homes.set(domain, `${originOf(url)}/`);
  const hardly = [...book.domains.values()].filter(
    ({ name, requests }) => requests < most && !listed.has(name) && homes.has(name),
  );
  hardly.sort(
    (a, b) => b.wanted - a.wanted || b.documents - a.documents || (a.name < b.name ? -1 : 1),
  );
  for (const { name } of hardly) yield homes.get(name) ?? '';
}
