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
  FENCE_PAUSE,
  type RetryCause,
  type RetryPolicy,
  statusFault,
} from '../../politeness/retries-and-pauses.ts';
import { type RobotsRules, UNREACHABLE } from '../../robots/parse-robots.ts';
import { pathOf } from '../../url/parts.ts';
import type { RobotsCost } from '../hosts/robots-inquiry.ts';
import type { Counters } from '../record/counters.ts';
import type { AskedPause } from '../render/subresources.ts';

/** How long a turn without delays may keep its host: long enough to use a connection, and fair. */
const TURN_SLICE: Millis = 2000;
/** A host that fails as often in a row as it takes this many URLs to fail is given up. */
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
  /** The same before the present step. */
  requestedBefore = false;
  /** A request was cut off by the fence of a lease. */
  isCut = false;
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
    | 'front'
    | 'mustWait'
    | 'take'
    | 'putBack'
    | 'postpone'
    | 'tryOtherAddress'
    | 'giveUp'
    | 'release'
  >;
  readonly politeness: Politeness;
  readonly retries: RetryPolicy;
  readonly robots: {
    /** The rules for a URL's origin; undefined when they must be requested first. */
    lookUp(host: Host, url: string): RobotsRules | undefined;
    /** When they may be requested: a request that failed is not made again at once. */
    askAt(host: Host, url: string): Millis;
  };
  readonly counters: Pick<Counters, 'requests' | 'disallowed' | 'countRetry'>;
  /** Called with a URL that robots.txt excludes. */
  readonly onDisallowed?: ((discovery: Discovery) => void) | undefined;
  /**
   * Whether a URL that was queued is still to be fetched. Counts it when it is not, or puts it off.
   */
  readonly stillWants: (turn: HostTurn, discovery: Discovery) => boolean;
  /** Discovers another URL in place of this one, if it is known to lead to the same page. */
  readonly replaces: (discovery: Discovery) => boolean;
  /** Claims one page of the crawl's limit; false when none is left or the agent is stopping. */
  readonly claimPage: () => boolean;
  /** Claims a requisite, which counts as no page. Default: as a page. */
  readonly claimRequisite?: () => boolean;
  /** Whether only requisites are fetched, because no page is left to claim. */
  readonly onlyRequisites?: () => boolean;
  /** Whether the host's pages would wait for a browser: then it has no turn for now. */
  readonly mustWait?: (host: Host) => boolean;
  /** How long the host asked to be left in peace in answers to requests of a rendered page. */
  readonly askedPause?: (turn: HostTurn) => AskedPause | undefined;
  /** The agent begins nothing new, and failures say nothing about servers. */
  readonly stopping: () => boolean;
  /** Whether an outage of our own network explains a failure. */
  readonly excuses: (fault: RetryCause, ip: string) => boolean;
}

export class TurnPolicy {
  readonly #parts: TurnPolicyParts;
  /** Why URLs of a host are to be tried later: the last cause. */
  readonly #causes = new WeakMap<Host, RetryCause>();

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
    if (frontier.mustWait(turn) || this.#parts.mustWait?.(turn.host)) {
      state.pauseFor(PAUSE_FOR_DOMAIN);
      return 'end';
    }
    const onlyRequisites = this.#parts.onlyRequisites?.() ?? false;
    const discovery = frontier.take(turn, onlyRequisites);
    if (!discovery) {
      if (onlyRequisites) state.retriesAfter = pauseForRequisites(frontier.front);
      else if (turn.host.queue.length > 0) {
        state.retriesAfter = Math.max(0, turn.host.retryAt - clock.now());
        state.cause = this.#causes.get(turn.host);
      }
      return 'end';
    }
    state.discovery = discovery;
    if (!this.#parts.stillWants(turn, discovery)) return 'skip';
    const rules = robots.lookUp(turn.host, discovery.url);
    if (!rules) {
      const askAt = robots.askAt(turn.host, discovery.url);
      if (askAt > clock.now()) {
        frontier.postpone(turn, discovery, askAt);
        return 'skip';
      }
      frontier.putBack(turn, discovery);
      return this.#parts.stopping() ? 'end' : 'ask-robots';
    }
    if (rules === UNREACHABLE) return 'unreachable';
    if (!rules.verdict(pathOf(discovery.url)).allowed) {
      counters.disallowed++;
      this.#parts.onDisallowed?.(discovery);
      return 'skip';
    }
    if (!discovery.isRequisite && this.#parts.replaces(discovery)) return 'skip';
    if (!this.#claim(discovery)) {
      frontier.putBack(turn, discovery);
      return 'end';
    }
    state.requestedBefore = state.requested;
    state.requested = true;
    counters.requests++;
    return 'fetch';
  }

  /** The request of the last step was not made after all. */
  withdrawn(state: TurnState): void {
    state.requested = state.requestedBefore;
    this.#parts.counters.requests--;
  }

  /** The page cannot be handled now: its URL stays the host's next. */
  putOff(state: TurnState, pause: Millis): void {
    this.#parts.frontier.putBack(state.turn, state.discovery);
    state.pauseFor(Math.max(pause, PAUSE_FOR_DOMAIN));
  }

  #claim({ isRequisite }: Discovery): boolean {
    const { claimPage, claimRequisite = claimPage } = this.#parts;
    return isRequisite ? claimRequisite() : claimPage();
  }

  askedRobots(state: TurnState, { requested, pause, cause }: RobotsCost): void {
    state.requested ||= requested;
    state.isCut ||= cause === 'fenced';
    state.pauseFor(pause, cause);
    if (cause) this.#causes.set(state.turn.host, cause);
  }

  /**
   * A response to the URL has come. Returns true when it is final: the page is to be committed.
   * Returns false when it means "not now" and retries are left: then the URL is queued again.
   */
  answered(state: TurnState, response: Pick<Exchange, 'status' | 'headers' | 'elapsed'>): boolean {
    const { clock, politeness, retries } = this.#parts;
    const { host } = state.turn;
    host.failures = 0;
    politeness.took(host, response.elapsed);
    const fault = statusFault(response.status);
    if (fault === undefined) {
      host.errorsInRow = 0;
      state.pauseFor(0);
      return true;
    }
    const attempts = attemptsOf(state.discovery);
    // A page that fails a second time says nothing new about its host.
    if (attempts === 1) host.errorsInRow++;
    const asked = retries.asked(response, clock.now());
    state.pauseFor(asked ?? retries.pauseAfter(fault, host.errorsInRow), fault);
    const rule = retries.rule(fault);
    if (attempts > rule.retries) return true;
    this.#retryLater(state, state.discovery, fault, asked ?? rule.wait);
    return false;
  }

  /**
   * No response to the URL has come. Returns true when the URL is queued again. Returns false when
   * it has failed: the caller reports that, then calls `givesUpHost`.
   */
  failed(state: TurnState, fault: RetryCause): boolean {
    const { frontier, counters, retries } = this.#parts;
    const { turn, discovery } = state;
    const { host } = turn;
    // A request that we have interrupted ourselves says nothing about the server.
    if (this.#parts.stopping() || fault === 'fenced') {
      frontier.putBack(turn, discovery);
      if (fault === 'fenced') {
        state.pauseFor(FENCE_PAUSE);
        state.isCut = true;
      }
      return true;
    }
    const rule = retries.rule(fault);
    const attempts = attemptsOf(discovery);
    // Asked at every failure: this is how an outage is noticed.
    const excused = this.#parts.excuses(fault, turn.address.ip);
    host.errorsInRow++;
    if (!excused) host.failures++;
    state.pauseFor(retries.pauseAfter(fault, host.errorsInRow), fault);
    if (attempts > rule.retries && !excused) return false;
    if (frontier.tryOtherAddress(turn)) {
      frontier.putBack(turn, { ...discovery, attempts: Math.min(attempts, rule.retries) });
      counters.countRetry(fault);
      state.pauseFor(0);
    } else this.#retryLater(state, discovery, fault, rule.wait);
    return true;
  }

  /** Queues a URL behind the others of its host, to be tried again after `wait`. */
  #retryLater(state: TurnState, discovery: Discovery, fault: RetryCause, wait: Millis): void {
    const { clock, frontier, counters, retries } = this.#parts;
    const attempts = Math.min(attemptsOf(discovery), retries.rule(fault).retries);
    frontier.postpone(state.turn, { ...discovery, attempts }, clock.now() + wait);
    this.#causes.set(state.turn.host, fault);
    counters.countRetry(fault);
  }

  /**
   * After a failure: when the host seems not to be there, gives it up and returns how many queued
   * URLs failed with it.
   */
  givesUpHost({ turn: { host } }: TurnState, fault: RetryCause): number | undefined {
    const { givesUpHost, retries } = this.#parts.retries.rule(fault);
    if (!givesUpHost || host.failures < HOST_FAILURES * (1 + retries)) return undefined;
    return this.#parts.frontier.giveUp(host, fault);
  }

  /**
   * An error of our own has interrupted a step. Returns true when the URL of the step is queued
   * again, or never left the queue. Returns false when it has failed, as after `failed`.
   */
  broke(state: TurnState): boolean {
    const { retries } = this.#parts;
    const { host } = state.turn;
    const rule = retries.rule('internal-error');
    const discovery = host.underWay;
    host.errorsInRow++;
    host.failures++;
    state.pauseFor(retries.pauseAfterOwn(host.errorsInRow), 'internal-error');
    if (!discovery) return true;
    if (attemptsOf(discovery) > rule.retries) return false;
    this.#retryLater(state, discovery, 'internal-error', rule.wait);
    return true;
  }

  /** Whether the turn takes another URL. */
  continues(state: TurnState): boolean {
    const { turn, requested, until } = state;
    const { clock, politeness } = this.#parts;
    this.#heed(state);
    if (state.pause > 0 || (requested && politeness.wantsPause(turn))) return false;
    return !turn.moved && clock.now() < until;
  }

  /** What a page asked for while it was rendered counts like the page. */
  #heed(state: TurnState): void {
    const asked = this.#parts.askedPause?.(state.turn);
    const pause = asked ? asked.until - this.#parts.clock.now() : 0;
    if (asked && pause > state.pause) state.pauseFor(pause, asked.cause);
  }

  /** Gives the turn back, with the times at which the host and its address may be asked again. */
  release(state: TurnState): void {
    const { clock, frontier, politeness } = this.#parts;
    const { turn, requested, retriesAfter } = state;
    const now = clock.now();
    if (retriesAfter !== undefined) state.pause = Math.min(retriesAfter, PAUSE_FOR_NEW_URLS);
    // A slow server may read a request that we have cut off only now.
    const late = state.isCut ? FENCE_PAUSE : 0;
    const delay = requested ? politeness.hostDelay(turn.host) + late : 0;
    const hostPause = Math.max(delay, state.pause);
    const addressPause = requested ? politeness.delayAt(turn) + late : 0;
    frontier.release(turn, now + hostPause, now + addressPause);
  }
}

/**
 * The pause of a host that has only pages queued, while only requisites are fetched. New requisites
 * may come meanwhile: with few hosts soon, with many so that turns for nothing cost little.
 */
const pauseForRequisites = (hosts: number): Millis =>
  Math.max(100, Math.min(hosts, PAUSE_FOR_NEW_URLS));

/** The attempts to fetch a URL, with the one just made. */
const attemptsOf = ({ attempts = 0 }: Discovery): number => attempts + 1;
