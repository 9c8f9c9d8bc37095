/**
 * The rules of the lab's robots.txt files in virtual time: read by the real parser, kept with the host, obeyed as in a real crawl.
 *
 * An inquiry is one request in a turn of the host, tried again as the retry table says. Redirects are followed within it, also to another
 * host, whose delays are not held against it: that is not modelled.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { Host } from '../frontier/host.ts';
import type { Answer } from '../lab/answer.ts';
import type { Web } from '../lab/web.ts';
import { type RetryCause, retryRule, statusFault } from '../politeness/retry-table.ts';
import { type RobotsRules, robotsFromResponse, UNREACHABLE } from '../robots/parse-robots.ts';
import { canonicalise } from '../url/canonical.ts';
import { hostOf, originOf, pathOf } from '../url/parts.ts';
import type { Network } from './network.ts';

const PRODUCT = 'drumlin';
const FRESH_FOR: Millis = 24 * 3600_000;
const UNREACHABLE_FOR: Millis = 3600_000;
const MAX_REDIRECTS = 5;

interface Inquiry {
  readonly takes: Millis;
  readonly requests: number;
  readonly outcome: Answer | RetryCause;
}

export class VirtualRobots {
  readonly #web: Web;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #maxCrawlDelay: Millis;

  constructor(web: Web, network: Network, clock: Clock, maxCrawlDelay: Millis) {
    this.#web = web;
    this.#network = network;
    this.#clock = clock;
    this.#maxCrawlDelay = maxCrawlDelay;
  }

  /** The rules for a URL's origin, or undefined when they must be asked for first. */
  lookUp(host: Host, url: string): RobotsRules | undefined {
    const known = host.robots.get(originOf(url));
    return known && known.expiresAt > this.#clock.now() ? known.rules : undefined;
  }

  /** Asks for the rules of a URL's origin. */
  ask(url: string): Inquiry {
    let at = `${originOf(url)}/robots.txt`;
    let takes = 0;
    for (let requests = 1; ; requests++) {
      const hostName = hostOf(at);
      const secure = at.startsWith('https:');
      const domain = this.#web.placeOf(hostName)?.domain;
      const answer = this.#web.answer(hostName, pathOf(at), secure);
      takes += this.#network.takes(hostName, answer?.behaviour);
      if (!domain || !answer) return { takes, requests, outcome: 'dns-not-found' };
      if (secure && domain.behaviour('tls') !== 'tls')
        return { takes, requests, outcome: 'tls-failed' };
      const target = answer.location && canonicalise(answer.location, { base: at });
      if (!target || target === at || requests > MAX_REDIRECTS)
        return { takes, requests, outcome: statusFault(answer.status) ?? answer };
      at = target;
    }
  }

  /** Keeps what came of an inquiry with the host; returns how long that is left alone. */
  keep(host: Host, url: string, outcome: Inquiry['outcome']): Millis {
    const origin = originOf(url);
    if (typeof outcome !== 'string') {
      const rules = robotsFromResponse(
        outcome.status,
        Buffer.from(outcome.body, 'latin1'),
        PRODUCT,
      );
      this.#set(host, origin, rules, FRESH_FOR);
      return 0;
    }
    const { retries, wait } = retryRule(outcome);
    const failures = host.robots.get(origin)?.inquiry.failures ?? 0;
    if (failures < retries) this.#set(host, origin, undefined, 0, failures + 1);
    else this.#set(host, origin, UNREACHABLE, UNREACHABLE_FOR);
    return wait;
  }

  #set(
    host: Host,
    origin: string,
    rules: RobotsRules | undefined,
    freshFor: Millis,
    failures = 0,
  ): void {
    const crawlDelay = Math.min(rules?.crawlDelay ?? 0, this.#maxCrawlDelay);
    const inquiry = { url: `${origin}/robots.txt`, hops: 0, failures };
    host.robots.set(origin, {
      rules,
      expiresAt: this.#clock.now() + freshFor,
      crawlDelay,
      inquiry,
    });
  }
}
