/**
 * Birth, change and death, each computed from a hash of the object. A step is a month.
 *
 * Idea      A page's lifetime is exponential, with a rate that depends partly on its community,
 *           partly on its domain and partly on itself. Communities link within themselves, so
 *           liveness is correlated along links, as LiveRank (Huynh, Mathieu, Viennot, WAW 2014)
 *           assumes. The mixture of rates gives the long tail of survivors that its two datasets
 *           show: 36% of the pages after 11 months, 6% after 11 years.
 * Ensures   a dead page stays dead; home pages and section fronts live as long as their domain.
 * Cost      O(log step) for birth and death of a page, O(step) for its last change.
 */
import type { Domain } from './domain.ts';
import { exp, hash, ln, normalOf, TAG, unit } from './words/random.ts';
import type { World } from './world.ts';

const NEVER = 1_000_000;
/** 1 January 2026, and a month of 30 days: the lab's calendar. */
const EPOCH_SECONDS = 1_767_225_600;
const STEP_SECONDS = 30 * 86_400;

/** Death rate of a typical page, per step. */
const PAGE_RATE = 0.1;
/** Death rate of a typical domain, per step. */
const DOMAIN_RATE = 0.0015;
/**
 * Share of its first pages that a typical domain adds per step: pages that die young are replaced
 * fast.
 */
const GROWTH = 0.04;

export function secondsOf(step: number): number {
  return EPOCH_SECONDS + step * STEP_SECONDS;
}

/** How short the lives of this community's pages are: normal, mean 0. */
function communityFrailty(world: World, community: number): number {
  return normalOf(hash(world.seed, TAG.community, community));
}

/**
 * The step at which the domain stops answering. Giants never do, and the last honest host of a
 * small web stays.
 */
export function domainDeath(
  world: World,
  index: number,
  community: number,
  immortal: boolean,
): number {
  if (immortal || world.scenario.exactPages) return NEVER;
  const own = normalOf(hash(world.seed, TAG.domainFrailty, index));
  const rate = DOMAIN_RATE * exp(0.9 * communityFrailty(world, community) + 0.6 * own);
  return world.birthOf(index) + lifetime(hash(world.seed, TAG.domainDeath, index), rate);
}

export function pageDeath(world: World, domain: Domain, page: number): number {
  if (page < domain.fixedPages || world.scenario.exactPages) return NEVER;
  const own = normalOf(hash(world.seed, TAG.pageFrailty, domain.index, page));
  const frailty =
    1.1 * communityFrailty(world, domain.community) + 0.7 * domain.frailty + 0.5 * own;
  const draw = hash(world.seed, TAG.pageDeath, domain.index, page);
  return pageBirth(world, domain, page) + lifetime(draw, PAGE_RATE * exp(frailty));
}

/** The step at which the page appears; pages of step 0 are older than the web's first day. */
export function pageBirth(world: World, domain: Domain, page: number): number {
  let low = world.birthOf(domain.index);
  if (page < domain.initialPages) return low;
  let high = world.step;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pagesAt(world, domain, middle) > page) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The number of pages born by a step: a steady share a month, three times as many when the topic is
 * in the news.
 */
export function pagesAt(
  world: World,
  domain: Pick<Domain, 'index' | 'topic' | 'initialPages' | 'frailty'>,
  step: number,
): number {
  if (step === 0 || world.scenario.exactPages) return domain.initialPages;
  const months =
    world.growth(domain.topic, step) - world.growth(domain.topic, world.birthOf(domain.index));
  return (
    domain.initialPages +
    Math.floor(domain.initialPages * GROWTH * exp(0.5 * domain.frailty) * months)
  );
}

/** Whether a topic is in the news: its pages change and multiply, and use a new name. */
function isBurst(world: World, topic: number, step: number): boolean {
  return world.growth(topic, step) - world.growth(topic, step - 1) > 1;
}

/** The last burst of a topic at or before a step and at most three steps old, or -1. */
export function recentBurst(world: World, topic: number, step: number): number {
  for (let s = step; s > 0 && s > step - 3; s--) if (isBurst(world, topic, s)) return s;
  return -1;
}

const CHANGE_RATES = [0, 0, 0.02, 0.02, 0.05, 0.1, 0.1, 0.3, 0.6, 0.9];

interface Edition {
  /** The step at which the text was last rewritten. */
  readonly text: number;
  /** The step at which its links were last chosen. */
  readonly links: number;
}

/** The last change of a page: each page has its own rate, fronts a high one. */
export function editionOf(world: World, domain: Domain, page: number): Edition {
  const birth = pageBirth(world, domain, page);
  const rateClass = hash(world.seed, TAG.changeRate, domain.index, page) % CHANGE_RATES.length;
  const rate = page < domain.fixedPages ? 0.6 : CHANGE_RATES[rateClass];
  let text = birth;
  let links = birth;
  for (let step = birth + 1; step <= world.step; step++) {
    const draw = hash(world.seed, TAG.change, domain.index, page, step);
    if (unit(draw) >= rate * (isBurst(world, domain.topic, step) ? 2 : 1)) continue;
    text = step;
    if ((draw & 1) === 0) links = step;
  }
  return { text, links };
}

/** Whole steps of an exponential life, at least one. */
function lifetime(draw: number, rate: number): number {
  const u = (draw + 1) / 4294967297;
  return 1 + Math.min(NEVER, Math.floor(-ln(u) / rate));
}
