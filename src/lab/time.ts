/**
 * Birth, change and death, each computed from a hash of the object. A step is a month.
 *
 * Idea      Pages seldom die alone: a site, or a section of it, is rebuilt, and all its pages end
 *           together. The rate of rebuilding depends on the community and on the domain (and on the
 *           section). Communities link within themselves, so liveness is correlated along links, as
 *           LiveRank (Huynh, Mathieu, Viennot, WAW 2014) assumes. The mixture of rates gives the
 *           long tail of survivors that its two datasets show: 36% of the pages after 11 months, 6%
 *           after 11 years.
 * Ensures   a dead page stays dead; home pages live as long as their domain.
 * Cost      O(log step) for birth and death of a page, O(step) for its last change. The rebuilds of
 *           a domain are drawn once.
 */
import type { Domain } from './domain.ts';
import type { Told } from './stories/story-book.ts';
import { exp, hash, ln, normalOf, TAG, unit } from './words/random.ts';
import type { World } from './world.ts';

const NEVER = 1_000_000;
/** 1 January 2026, and a month of 30 days: the lab's calendar. */
const EPOCH_SECONDS = 1_767_225_600;
const STEP_SECONDS = 30 * 86_400;

/**
 * Rates per step: of a typical site to be rebuilt, of one of its sections, of a page to end alone.
 */
const SITE_RATE = 0.18;
const SECTION_RATE = 0.01;
const PAGE_RATE = 0.002;
/**
 * A giant is many sites: it is never rebuilt as a whole, its sections are more often, and less of
 * their rate is common to all.
 */
const GIANT_SECTION_RATE = 0.025;
const GIANT_SPREAD = 0.3;
/** Sections of a small site; larger sites have sections of at most `SECTION_PAGES` pages. */
const SECTIONS = 8;
const SECTION_PAGES = 256;
const LEAST_SECTION_PAGES = 16;
/** The site itself, among its sections. */
const WHOLE_SITE = -1;
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

/** The step from which the page no longer answers, if that is not after the web's. */
export function pageDeath(world: World, domain: Domain, page: number): number {
  if (page < domain.hosts || world.scenario.exactPages) return NEVER;
  const birth = pageBirth(world, domain, page);
  const draw = hash(world.seed, TAG.pageDeath, domain.index, page);
  return Math.min(
    birth + lifetime(draw, PAGE_RATE * exp(0.5 * domain.frailty)),
    firstAfter(rebuildsOf(world, domain, WHOLE_SITE), birth),
    firstAfter(rebuildsOf(world, domain, sectionOf(domain, page)), birth),
  );
}

/** A run of pages that ended together, and the step at which they did. */
interface Ended {
  /** The first page after them. */
  readonly until: number;
  readonly step: number;
}

/**
 * The pages from this one on that the last rebuild of the site or of the section ended; undefined
 * if this page is not one of them. (It may be dead all the same.)
 */
export function endedFrom(world: World, domain: Domain, page: number): Ended | undefined {
  if (page <= Math.max(domain.sections, domain.hosts) || world.scenario.exactPages)
    return undefined;
  const section = sectionOf(domain, page);
  const after = Math.min(domain.pages, (section + 1) * sectionPages(domain));
  for (const [rebuilt, end] of [
    [WHOLE_SITE, domain.pages],
    [section, after],
  ]) {
    const step = rebuildsOf(world, domain, rebuilt).at(-1);
    if (step === undefined) continue;
    const until = Math.min(end, pagesAt(world, domain, step - 1));
    if (page < until) return { until, step };
  }
  return undefined;
}

function sectionPages({ initialPages }: Domain): number {
  const share = Math.ceil(initialPages / SECTIONS);
  return Math.min(SECTION_PAGES, Math.max(LEAST_SECTION_PAGES, share));
}

/** The first pages are the fronts of the first sections; then sections are runs of pages. */
function sectionOf(domain: Domain, page: number): number {
  return page <= domain.sections ? page - 1 : Math.floor(page / sectionPages(domain));
}

const REBUILDS = new WeakMap<Domain, Map<number, readonly number[]>>();

/** The steps up to now at which the site, or a section of it, was rebuilt. */
function rebuildsOf(world: World, domain: Domain, section: number): readonly number[] {
  let sections = REBUILDS.get(domain);
  if (!sections) {
    sections = new Map();
    REBUILDS.set(domain, sections);
  }
  let steps = sections.get(section);
  if (!steps) {
    steps = drawRebuilds(world, domain, section);
    sections.set(section, steps);
  }
  return steps;
}

function drawRebuilds(world: World, domain: Domain, section: number): number[] {
  const { index, community, frailty, kind } = domain;
  const isGiant = kind.name === 'giant';
  const steps: number[] = [];
  if (section === WHOLE_SITE && isGiant) return steps;
  const common = (isGiant ? GIANT_SPREAD : 1) * (communityFrailty(world, community) + frailty);
  const own = normalOf(hash(world.seed, TAG.sectionFrailty, index, section));
  const rate =
    section === WHOLE_SITE
      ? SITE_RATE * exp(1.6 * common)
      : (isGiant ? GIANT_SECTION_RATE : SECTION_RATE) * exp(common + 1.2 * own);
  let step = world.birthOf(index);
  for (let k = 0; ; k++) {
    step += lifetime(hash(world.seed, TAG.rebuild, index, section, k), rate);
    if (step > world.step) return steps;
    steps.push(step);
  }
}

function firstAfter(steps: readonly number[], birth: number): number {
  return steps.find((step) => step > birth) ?? NEVER;
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
export function isBurst(world: World, topic: number, step: number): boolean {
  return world.growth(topic, step) - world.growth(topic, step - 1) > 1;
}

/** The last burst of a topic at or before a step and at most three steps old, or -1. */
export function recentBurst(world: World, topic: number, step: number): number {
  for (let s = step; s > 0 && s > step - 3; s--) if (isBurst(world, topic, s)) return s;
  return -1;
}

const CHANGE_RATES = [0, 0, 0.02, 0.02, 0.05, 0.1, 0.1, 0.3, 0.6, 0.9];
/** One rewriting in so many expands the page: its author adds what was missing. */
const EXPANDED_ONE_IN = 3;
/** A step before all others. */
export const NOT_EXPANDED = -1;

interface Edition {
  /** The step at which the text was last rewritten. */
  readonly text: number;
  /** The step at which its links were last chosen. */
  readonly links: number;
  /** The step at which it was expanded, if that was its last rewriting; else `NOT_EXPANDED`. */
  readonly expanded: number;
  /** Whether it was rewritten since its birth. */
  readonly isRewritten: boolean;
  /** The story that it tells. */
  readonly story: Told | undefined;
}

/** The last change of a page: each page has its own rate, fronts a high one. */
export function editionOf(world: World, domain: Domain, page: number): Edition {
  const birth = pageBirth(world, domain, page);
  const rateClass = hash(world.seed, TAG.changeRate, domain.index, page) % CHANGE_RATES.length;
  const rate = page < domain.fixedPages ? 0.6 : CHANGE_RATES[rateClass];
  const { stories } = domain;
  let text = birth;
  let links = birth;
  let expanded = NOT_EXPANDED;
  let story = stories.toldAt(domain.topic, domain.index, page, birth);
  for (let step = birth + 1; step <= world.step; step++) {
    const told = stories.toldAt(domain.topic, domain.index, page, step);
    if (told) {
      story = told;
      text = step;
      links = step;
      expanded = NOT_EXPANDED;
      continue;
    }
    const draw = hash(world.seed, TAG.change, domain.index, page, step);
    if (unit(draw) >= rate * (isBurst(world, domain.topic, step) ? 2 : 1)) continue;
    text = step;
    story = undefined;
    expanded = (draw >>> 1) % EXPANDED_ONE_IN === 0 ? step : NOT_EXPANDED;
    if ((draw & 1) === 0) links = step;
  }
  return { text, links, expanded, story, isRewritten: text > birth };
}

/** Whole steps of an exponential life, at least one. */
function lifetime(draw: number, rate: number): number {
  const u = (draw + 1) / 4294967297;
  return 1 + Math.min(NEVER, Math.floor(-ln(u) / rate));
}
