/**
 * Turns of hosts in virtual time: what `visit` is to a real crawl, step by step the same, with a glimpse of the page in place of fetching,
 * parsing and storing it.
 *
 * A page that does not come whole counts as fetched and gives no links; a real crawl would read the part that came.
 */

import type { Millis } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import type { Admission } from '../crawl/agent/admission.ts';
import type { Frontier, HostTurn } from '../frontier/frontier.ts';
import type { Discovery } from '../frontier/queue/discovery.ts';
import { BEHAVIOURS } from '../lab/behaviour.ts';
import { type Glimpse, glimpseOf } from '../lab/judge/glimpse.ts';
import type { Web } from '../lab/web.ts';
import type { Politeness } from '../politeness/politeness.ts';
import { hostWait, retryRule, statusFault } from '../politeness/retry-table.ts';
import type { Reputation } from '../reputation/reputation.ts';
import { UNREACHABLE } from '../robots/parse-robots.ts';
import { pathOf } from '../url/parts.ts';
import type { VirtualClock } from './clock.ts';
import type { Network } from './network.ts';
import type { VirtualRobots } from './robots.ts';
import type { Tally } from './tally.ts';

/** How long a turn without delays may keep its host. */
const TURN_SLICE: Millis = 2000;
/** As in a real crawl: others of the host may come while some wait to be tried again. */
const LOOK_AGAIN: Millis = 1000;

export interface VisitParts {
  readonly web: Web;
  readonly clock: VirtualClock;
  readonly network: Network;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly politeness: Politeness;
  readonly robots: VirtualRobots;
  readonly config: CrawlConfig;
  readonly tally: Tally;
  /** Told who links to whom, where that matters. */
  readonly reputation: Pick<Reputation, 'page'> | undefined;
}

/** A turn, and what it owes its host afterwards. */
interface Visit {
  readonly turn: HostTurn;
  readonly until: Millis;
  /** A request was made, so the delays count from its end. */
  requested: boolean;
  /** More than the usual delay, after a failure. */
  penalty: Millis;
}

export class Visits {
  readonly #parts: VisitParts;

  constructor(parts: VisitParts) {
    this.#parts = parts;
  }

  begin(turn: HostTurn): void {
    this.#goOn({ turn, until: this.#parts.clock.now() + TURN_SLICE, requested: false, penalty: 0 });
  }

  /** Deals with the host's next URL; the turn ends when there is none. */
  #goOn(visit: Visit): void {
    const { frontier, robots, tally } = this.#parts;
    const { turn } = visit;
    while (!frontier.atLimit(turn)) {
      const discovery = frontier.take(turn);
      if (!discovery) {
        const left = turn.host.retryAt - this.#parts.clock.now();
        if (turn.host.queue.length > 0) visit.penalty = Math.min(left, LOOK_AGAIN);
        break;
      }
      const rules = robots.lookUp(turn.host, discovery.url);
      if (!rules) {
        frontier.putBack(turn, discovery);
        this.#askForRules(visit, discovery.url);
        return;
      }
      if (rules !== UNREACHABLE && rules.verdict(pathOf(discovery.url)).allowed) {
        this.#fetch(visit, discovery);
        return;
      }
      tally.refused++;
    }
    this.#release(visit);
  }

  #askForRules(visit: Visit, url: string): void {
    const { clock, robots, tally } = this.#parts;
    const { takes, requests, outcome } = robots.ask(url);
    clock.after(takes, () => {
      tally.robots += requests;
      visit.requested = true;
      visit.penalty = robots.keep(visit.turn.host, url, outcome);
      this.#afterRequest(visit);
    });
  }

  #fetch(visit: Visit, discovery: Discovery): void {
    const { web, clock, network } = this.#parts;
    const { host } = visit.turn;
    const glimpse = glimpseOf(web, discovery.url);
    if (!glimpse) throw new Error(`${host.name} has an address and is nobody's`);
    const takes = network.takes(host.name, glimpse.behaviour);
    clock.after(takes, () => {
      visit.requested = true;
      host.failures = 0;
      this.#parts.politeness.took(host, takes);
      this.#takeIn(visit, discovery, glimpse);
      this.#afterRequest(visit);
    });
  }

  #takeIn(visit: Visit, discovery: Discovery, glimpse: Glimpse): void {
    const { frontier, tally } = this.#parts;
    const fault = statusFault(glimpse.status);
    const attempts = (discovery.attempts ?? 0) + 1;
    const { host } = visit.turn;
    if (!fault) host.errorsInRow = 0;
    else if (attempts === 1) host.errorsInRow++;
    const rule = fault && retryRule(fault);
    visit.penalty = rule ? hostWait(rule, host.errorsInRow) : 0;
    if (rule && attempts <= rule.retries) {
      const again = { ...discovery, attempts };
      if (rule.pageOnly) frontier.postpone(visit.turn, again, this.#parts.clock.now() + rule.wait);
      else frontier.putBack(visit.turn, again);
      tally.retries++;
      return;
    }
    const isWhole = !glimpse.behaviour || !BEHAVIOURS[glimpse.behaviour].spoils;
    frontier.countPage(visit.turn);
    tally.page(glimpse.domain, glimpse.isPage && isWhole);
    if (glimpse.redirect !== undefined)
      this.#followRedirect(glimpse.redirect, visit.turn, discovery);
    else if (isWhole) this.#followLinks(glimpse.links, visit.turn, discovery);
  }

  #followRedirect(target: string, { host }: HostTurn, { url, depth, redirects }: Discovery): void {
    const { config, admission, reputation } = this.#parts;
    reputation?.page(host.domain.hash, url, [target]);
    if (redirects < config.maxRedirects) admission.discover([target], depth, redirects + 1);
  }

  #followLinks(links: readonly string[], { host }: HostTurn, { url, depth }: Discovery): void {
    const { admission, reputation } = this.#parts;
    if (links.length === 0) return;
    reputation?.page(host.domain.hash, url, links);
    admission.discover(links, depth + 1);
  }

  /** Another request in the same turn, if there are no delays to keep. */
  #afterRequest(visit: Visit): void {
    const { clock, politeness } = this.#parts;
    const pause = visit.penalty > 0 || politeness.wantsPause(visit.turn);
    if (pause || clock.now() >= visit.until) this.#release(visit);
    else this.#goOn(visit);
  }

  #release({ turn, requested, penalty }: Visit): void {
    const { clock, frontier, politeness } = this.#parts;
    const now = clock.now();
    const wait = Math.max(requested ? politeness.hostDelay(turn.host) : 0, penalty);
    const addressWait = requested ? politeness.delayAt(turn) : 0;
    frontier.release(turn, now + wait, now + addressWait);
  }
}
