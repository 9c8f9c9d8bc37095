/**
 * Everything that a page of the web depends on: seed, scenario, step, ports; and the tables made
 * from them.
 *
 * Nothing here changes after construction, except the caches, which only save time.
 */
import { DrumlinError } from '../base/errors.ts';
import { Layout } from './layout.ts';
import { deceives, type Scenario } from './scenario.ts';
import { MAX_DOMAINS, Names } from './words/names.ts';
import { hash, power, TAG } from './words/random.ts';
import { Texts } from './words/text.ts';
import { TOPICS } from './words/vocabulary.ts';

export interface WorldSettings {
  readonly seed: number;
  readonly scenario: Scenario;
  /** Months after the beginning. */
  readonly step: number;
  /** Domains at step 0. */
  readonly domains: number;
  /** Mean number of pages per domain at step 0. */
  readonly pages: number;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Names under real suffixes rather than `.test`. */
  readonly realSuffixes: boolean;
}

/**
 * Flattens the head of the ranking. In a web as large as IRLbot's, the first domain would have
 * about a twentieth of all domains as neighbours.
 */
export const RANK_SHIFT = 5;
/** New domains a step, per thousand of those at step 0. */
const DOMAIN_GROWTH = 20;
/** Chance that a topic is in the news in a step. */
const BURST_PERCENT = 7;

export class World {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly step: number;
  readonly initialDomains: number;
  /** Domains born by this step, including dead ones. */
  readonly domains: number;
  readonly meanPages: number;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Some domains are made to deceive; then sites differ in manner (tricks/manner.ts). */
  readonly deceitful: boolean;
  /** TLS is served: domains that draw it have https addresses. */
  readonly secure: boolean;
  readonly names: Names;
  readonly texts: Texts;
  readonly layout: Layout;
  /**
   * Domains with the same number modulo this share a community: they link to each other, and live
   * and die alike.
   */
  readonly communities: number;

  constructor(settings: WorldSettings) {
    checkSettings(settings);
    this.seed = settings.seed;
    this.scenario = settings.scenario;
    this.step = settings.step;
    this.initialDomains = settings.domains;
    this.domains = this.domainsAt(settings.step);
    this.meanPages = settings.pages;
    this.httpPort = settings.httpPort;
    this.httpsPort = settings.httpsPort;
    this.names = new Names(settings.seed, settings.realSuffixes);
    this.deceitful = deceives(settings.scenario);
    this.texts = Texts.of(settings.seed, this.deceitful);
    this.layout = new Layout(settings.seed, settings.domains, settings.scenario.kinds, 'ordinary');
    this.secure = settings.httpsPort > 0;
    this.#growth = TOPICS.map((_, topic) => growthOf(settings.seed, topic, settings.step));
    this.communities = evenlySpread(
      Math.max(1, Math.min(TOPICS.length * 10, Math.floor(settings.domains / 20))),
    );
  }

  domainsAt(step: number): number {
    if (this.scenario.exactPages) return this.initialDomains;
    return this.initialDomains + Math.floor((this.initialDomains * DOMAIN_GROWTH * step) / 1000);
  }

  /** The first step at which this domain exists. */
  birthOf(index: number): number {
    if (index < this.initialDomains) return 0;
    let step = Math.max(
      0,
      Math.floor(((index - this.initialDomains) * 1000) / (this.initialDomains * DOMAIN_GROWTH)) -
        1,
    );
    while (this.domainsAt(step) <= index) step++;
    return step;
  }

  /**
   * Months of growth of a topic's sites up to a step; a month in which the topic is in the news
   * counts three.
   */
  growth(topic: number, step: number): number {
    return this.#growth[topic][step];
  }

  /**
   * The tenth roots between which a draw by rank is uniform, for the number of domains at a step.
   */
  rankRoots(step: number): readonly [low: number, high: number] {
    let roots = this.#roots.get(step);
    if (roots === undefined) {
      roots = [power(RANK_SHIFT, 0.1), power(this.domainsAt(step) + RANK_SHIFT, 0.1)];
      this.#roots.set(step, roots);
    }
    return roots;
  }

  readonly #roots = new Map<number, readonly [number, number]>();
  readonly #growth: readonly Int32Array[];
}

function growthOf(seed: number, topic: number, steps: number): Int32Array {
  const sum = new Int32Array(steps + 1);
  for (let step = 1; step <= steps; step++) {
    const isBurst = hash(seed, TAG.burst, topic, step) % 100 < BURST_PERCENT;
    sum[step] = sum[step - 1] + (isBurst ? 3 : 1);
  }
  return sum;
}

function checkSettings({ seed, step, domains, pages }: WorldSettings): void {
  const whole = (value: number, least: number, most: number): boolean =>
    Number.isSafeInteger(value) && value >= least && value <= most;
  if (!whole(seed, 0, 0xffffffff))
    throw bad(
      `The seed ${seed} is not a whole number from 0 to 4294967295.`,
      'Choose another --seed, for example 1.',
    );
  if (!whole(step, 0, 1000))
    throw bad(
      `The step ${step} is not a whole number from 0 to 1000.`,
      'Steps are months: try --step 12.',
    );
  if (!whole(domains, 1, MAX_DOMAINS / 2))
    throw bad(
      `${domains} domains are not between 1 and ${MAX_DOMAINS / 2}.`,
      'Choose another --domains, for example 10000.',
    );
  if (!whole(pages, 1, 1_000_000))
    throw bad(
      `${pages} pages per domain are not between 1 and 1000000.`,
      'Choose another --pages, for example 460.',
    );
  if (domains * (1 + (DOMAIN_GROWTH * step) / 1000) > MAX_DOMAINS)
    throw bad(
      `${domains} domains grow beyond ${MAX_DOMAINS} by step ${step}.`,
      'Choose fewer --domains or an earlier --step.',
    );
}

function bad(fact: string, remedy: string): DrumlinError {
  return new DrumlinError('LAB_SETTING', fact, remedy);
}

/**
 * The next number at or below `most` that shares no factor with the layout's blocks. Otherwise a
 * kind that is rare in a block would always be in the same few communities, and so have the same
 * few topics.
 */
function evenlySpread(most: number): number {
  let count = most;
  while (count > 1 && (count % 2 === 0 || count % 5 === 0)) count--;
  return count;
}
