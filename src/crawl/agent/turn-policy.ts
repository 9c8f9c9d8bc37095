/**
 * The policy of a host's turn: which URL is next, what follows each outcome, how long the host is
 * paused afterwards. It does no I/O and waits for nothing.
 *
 *   begin ─► next ─┬─ 'skip' ──────────────────────────────────────────┐
 *             ▲    ├─ 'ask-robots' ─► (request) ─► askedRobots ────────┤
 *             │    ├─ 'unreachable' ─► (report the URL as failed) ─────┤
 *             │    ├─ 'fetch' ─► (request) ─► answered or failed ──────┤
 *             │    ├─ (an error of our own in any step) ─► broke ──────┤
 *             │    └─ 'end' ─► release                                 ▼
 *             └──────────────────── yes ────────────────────────── continues? ── no ─► release
 *
 * Idea      The agent (`turn.ts`) awaits real requests between these steps; the simulator schedules
 *           events of a virtual clock between the same steps. So both crawl by one policy.
 * Requires  the steps of one turn in this order, by one caller.
 * Ensures   a URL that `next` takes out of the queue is fetched, counted as skipped, or put back.
 *           Where delays are set a turn makes one request; where they are zero it continues for
 *           `TURN_SLICE`, so that a kept connection is used while it is open.
 * Cost      one object a turn.
 */

import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import type { Politeness } from '../../politeness/politeness.ts';
import {
  backOff,
  pauseAfter,
  type RetryCause,
  retryRule,
  statusFault,
} from '../../politeness/retries-and-pauses.ts';
import { type RobotsRules, UNREACHABLE } from '../../robots/parse-robots.ts';
import { pathOf } from '../../url/parts.ts';
import type { RobotsCost } from '../hosts/robots-inquiry.ts';
import type { Counters } from '../record/counters.ts';

/** How long a turn without delays may keep its host: long enough to use a connection, and fair. */
const TURN_SLICE: Millis = 2000;
/** Failures in a row after which a host that seems not to be there is given up. */
const HOST_FAILURES = 3;
/** The pause of a host while the last pages of its domain's page limit are being fetched. */
const PAUSE_FOR_DOMAIN: Millis = 1000;
/** The longest pause of a host that has only URLs to retry later: new ones may come meanwhile. */
const PAUSE_FOR_NEW_URLS: Millis = 1000;

/**
 * What the caller does next.
 *
 *   skip          nothing: the URL is not fetched, and is counted
 *   ask-robots    request the robots.txt of the URL's origin, then call `askedRobots`
 *   unreachable   report the URL as failed: its robots.txt could not be fetched
 *   fetch         fetch the URL, then call `answered` or `failed`
 *   end           call `release`
 */
export type Step = 'skip' | 'ask-robots' | 'unreachable' | 'fetch' | 'end';

/** A turn under way. */
export class TurnState {
  readonly turn: HostTurn;
  /** When a turn without delays ends. */
  readonly until: Millis;
  /** The URL that the last step is about: `next` sets it with every step but 'end'. */
  discovery!: Discovery;
  /** A request was made, so the delays count from the end of the turn. */
  requested = false;
  /** How long the host is paused at least, whatever its usual delay. */
  pause: Millis = 0;
  /** Why the host is paused, if a retry rule says so. */
  cause: RetryCause | undefined;
  /** Set when only URLs to retry later are queued: the time until they are due. */
  retriesAfter: Millis | undefined;

  constructor(turn: HostTurn, until: Millis) {
    this.turn = turn;
    this.until = until;
  }

  pauseFor(pause: Millis, cause?: RetryCause): void {
    this.pause = pause;
    this.cause = cause;
  }
}

interface TurnPolicyParts {
  readonly clock: Clock;
  readonly frontier: Pick<
    Frontier,
    | 'atLimit'
    | 'mustWait'
    | 'take'
    | 'putBack'
    | 'postpone'
    | 'tryOtherAddress'
    | 'giveUp'
    | 'release'
  >;
  readonly politeness: Politeness;
  /** Returns the rules for a URL's origin; undefined when they must be requested first. */
  readonly robots: { lookUp(host: Host, url: string): RobotsRules | undefined };
  readonly counters: Pick<Counters, 'disallowed' | 'countRetry'>;
  /** Whether a URL that was queued is still to be fetched. Counts it when it is not. */
  readonly stillWants: (turn: HostTurn, discovery: Discovery) => boolean;
  /** Discovers another URL in place of this one, if it is known to lead to the same page. */
  readonly replaces: (discovery: Discovery) => boolean;
  /** Claims one page of the crawl's limit; false when none is left or the agent is stopping. */
  readonly claimPage: () => boolean;
  /** The agent begins nothing new, and failures say nothing about servers. */
  readonly stopping: () => boolean;
  /** Whether an outage of our own network explains a failure. */
  readonly excuses: (fault: RetryCause, ip: string) => boolean;
}

export class TurnPolicy {
  readonly #parts: TurnPolicyParts;

  constructor(parts: TurnPolicyParts) {
    this.#parts = parts;
  }

  begin(turn: HostTurn): TurnState {
    return new TurnState(turn, this.#parts.clock.now() + TURN_SLICE);
  }

  /** Takes the host's next URL out of its queue and decides what to do with it. */
  next(state: TurnState): Step {
    const { clock, frontier, robots, counters } = this.#parts;
    const { turn } = state;
    if (frontier.atLimit(turn)) return 'end';
    if (frontier.mustWait(turn)) {
      state.pauseFor(PAUSE_FOR_DOMAIN);
      return 'end';
    }
    const discovery = frontier.take(turn);
    if (!discovery) {
      if (turn.host.queue.length > 0) state.retriesAfter = turn.host.retryAt - clock.now();
      return 'end';
    }
    state.discovery = discovery;
    if (!this.#parts.stillWants(turn, discovery)) return 'skip';
    const rules = robots.lookUp(turn.host, discovery.url);
    if (!rules) {
      frontier.putBack(turn, discovery);
      return this.#parts.stopping() ? 'end' : 'ask-robots';
    }
    if (rules === UNREACHABLE) return 'unreachable';
    if (!rules.verdict(pathOf(discovery.url)).allowed) {
      counters.disallowed++;
      return 'skip';
    }
    if (this.#parts.replaces(discovery)) return 'skip';
    if (!this.#parts.claimPage()) {
      frontier.putBack(turn, discovery);
      return 'end';
    }
    state.requested = true;
    return 'fetch';
  }

  askedRobots(state: TurnState, { requested, pause, cause }: RobotsCost): void {
    state.requested ||= requested;
    state.pauseFor(pause, cause);
  }

  /**
   * A response to the URL has come. Returns true when it is final: the page is to be committed.
   * Returns false when it means "not now" and retries are left: then the URL is queued again.
   */
  answered(state: TurnState, response: Pick<Exchange, 'status' | 'headers' | 'elapsed'>): boolean {
    const { clock, frontier, politeness, counters } = this.#parts;
    const { turn, discovery } = state;
    const { host } = turn;
    host.failures = 0;
    politeness.took(host, response.elapsed);
    const fault = statusFault(response.status);
    const attempts = (discovery.attempts ?? 0) + 1;
    if (fault === undefined) host.errorsInRow = 0;
    // A page that fails a second time says nothing new about its host.
    else if (attempts === 1) host.errorsInRow++;
    state.pauseFor(pauseAfter(response, clock.now(), host.errorsInRow), fault);
    if (fault === undefined) return true;
    const { pageOnly, wait, retries } = retryRule(fault);
    if (attempts > retries) return true;
    const again = { ...discovery, attempts };
    if (pageOnly) frontier.postpone(turn, again, clock.now() + wait);
    else frontier.putBack(turn, again);
    counters.countRetry(fault);
    return false;
  }

  /**
   * No response to the URL has come. Returns true when the URL is queued again. Returns false when
   * it has failed: the caller reports that, then calls `givesUpHost`.
   */
  failed(state: TurnState, fault: RetryCause): boolean {
    const { frontier, counters } = this.#parts;
    const { turn, discovery } = state;
    // A request that our own stop has interrupted says nothing about the server.
    if (this.#parts.stopping()) {
      frontier.putBack(turn, discovery);
      return true;
    }
    const { retries, wait } = retryRule(fault);
    const attempts = (discovery.attempts ?? 0) + 1;
    // Asked at every failure: this is how an outage is noticed.
    const excused = this.#parts.excuses(fault, turn.address.ip);
    state.pauseFor(wait, fault);
    if (attempts > retries && !excused) return false;
    frontier.putBack(turn, { ...discovery, attempts: Math.min(attempts, retries) });
    counters.countRetry(fault);
    if (frontier.tryOtherAddress(turn)) state.pause = 0;
    return true;
  }

  /**
   * Counts a failed URL against its host. When the host seems not to be there, gives it up and
   * returns how many queued URLs failed with it.
   */
  givesUpHost({ turn: { host } }: TurnState, fault: RetryCause): number | undefined {
    host.failures++;
    if (!retryRule(fault).givesUpHost || host.failures < HOST_FAILURES) return undefined;
    return this.#parts.frontier.giveUp(host, fault);
  }

  /**
   * An error of our own has interrupted a step. Returns true when the URL of the step is queued
   * again, or never left the queue. Returns false when it has failed, as after `failed`.
   */
  broke(state: TurnState): boolean {
    const { clock, frontier, counters } = this.#parts;
    const { turn } = state;
    const { retries, wait } = retryRule('internal-error');
    const discovery = turn.host.underWay;
    const attempts = (discovery?.attempts ?? 0) + 1;
    turn.host.errorsInRow++;
    state.pauseFor(backOff(turn.host.errorsInRow, wait), 'internal-error');
    if (!discovery) return true;
    if (attempts > retries) return false;
    frontier.postpone(turn, { ...discovery, attempts }, clock.now() + wait);
    counters.countRetry('internal-error');
    return true;
  }

  /** Whether the turn takes another URL. */
  continues({ turn, requested, pause, until }: TurnState): boolean {
    const { clock, politeness } = this.#parts;
    if (pause > 0 || (requested && politeness.wantsPause(turn))) return false;
    return !turn.moved && clock.now() < until;
  }

  /** Gives the turn back, with the times at which the host and its address may be asked again. */
  release(state: TurnState): void {
    const { clock, frontier, politeness } = this.#parts;
    const { turn, requested, retriesAfter } = state;
    const now = clock.now();
    if (retriesAfter !== undefined) state.pause = Math.min(retriesAfter, PAUSE_FOR_NEW_URLS);
    const hostPause = Math.max(requested ? politeness.hostDelay(turn.host) : 0, state.pause);
    const addressPause = requested ? politeness.delayAt(turn) : 0;
    frontier.release(turn, now + hostPause, now + addressPause);
  }
}
