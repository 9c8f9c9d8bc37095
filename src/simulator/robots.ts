/**
 * The lab's robots.txt files in virtual time: read by the real parser, kept with the host, obeyed
 * and retried by the crawler's own `RobotsInquiry`.
 *
 * Each request is made in a turn of the host. A redirect to another host is followed too; the
 * delays of that host are not modelled.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import {
  freshRules,
  inquiryAt,
  type RobotsCost,
  RobotsInquiry,
} from '../crawl/hosts/robots-inquiry.ts';
import type { Host } from '../frontier/host.ts';
import type { Answer } from '../lab/answer.ts';
import type { Web } from '../lab/web.ts';
import {
  type RetryCause,
  type RetryPolicy,
  statusFault,
} from '../politeness/retries-and-pauses.ts';
import { type RobotsRules, robotsFromResponse } from '../robots/parse-robots.ts';
import { canonicalise } from '../url/canonical.ts';
import { hostOf, originOf, pathOf } from '../url/parts.ts';
import type { Network } from './network.ts';

const PRODUCT = 'drumlin';

interface Request {
  readonly takes: Millis;
  readonly outcome: Answer | RetryCause;
}

interface VirtualRobotsParts {
  readonly web: Web;
  readonly network: Network;
  readonly clock: Clock;
  readonly retries: RetryPolicy;
}

export class VirtualRobots {
  readonly #web: Web;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #maxCrawlDelay: Millis;
  readonly #retries: RetryPolicy;

  constructor(
    { web, network, clock, retries }: VirtualRobotsParts,
    { maxCrawlDelay }: Pick<CrawlConfig, 'maxCrawlDelay'>,
  ) {
    this.#retries = retries;
    this.#web = web;
    this.#network = network;
    this.#clock = clock;
    this.#maxCrawlDelay = maxCrawlDelay;
  }

  /** The rules for a URL's origin; undefined when they must be requested first. */
  lookUp(host: Host, url: string): RobotsRules | undefined {
    return freshRules(host, originOf(url), this.#clock.now());
  }

  /** When they may be requested. */
  askAt(host: Host, url: string): Millis {
    return inquiryAt(host, originOf(url));
  }

  /** Makes the next request for the robots.txt of a URL's origin. */
  ask(host: Host, url: string): Request {
    const { url: at } = new RobotsInquiry(host, originOf(url));
    const hostName = hostOf(at);
    const isSecure = at.startsWith('https:');
    const domain = this.#web.placeOf(hostName)?.domain;
    const answer = this.#web.answer(hostName, pathOf(at), isSecure);
    const takes = this.#network.takes(hostName, answer?.behaviour);
    if (!domain || !answer) return { takes, outcome: 'dns-not-found' };
    if (isSecure && domain.behaviour('tls') !== 'tls') return { takes, outcome: 'tls-failed' };
    return { takes, outcome: statusFault(answer.status) ?? answer };
  }

  /** Keeps the outcome of the request with the host. */
  keep(host: Host, url: string, outcome: Request['outcome']): RobotsCost {
    const inquiry = new RobotsInquiry(host, originOf(url));
    if (typeof outcome === 'string') {
      const now = this.#clock.now();
      const { retries, wait } = this.#retries.rule(outcome);
      const pause = this.#retries.pauseAfter(outcome, ++host.errorsInRow);
      if (!inquiry.retries(retries, false, now + wait)) inquiry.gaveUp(now);
      return { requested: true, pause, cause: outcome };
    }
    const { status, location, body } = outcome;
    const target =
      location === undefined ? undefined : canonicalise(location, { base: inquiry.url });
    if (!inquiry.redirected(target)) {
      const rules = robotsFromResponse(status, Buffer.from(body, 'latin1'), PRODUCT);
      const crawlDelay = Math.min(rules.crawlDelay ?? 0, this.#maxCrawlDelay);
      inquiry.learned(rules, crawlDelay, this.#clock.now());
      host.errorsInRow = 0;
    }
    return { requested: true, pause: 0 };
  }
}
