/**
 * Which URLs a host lets us fetch: the robots half of step 7 of a URL's life (RFC 9309).
 *
 * Idea      To learn the rules of an origin may take several requests: retries, and up to five
 *           redirects, also to other hosts (see `RobotsInquiry`). Each request is one `ask`, made
 *           in a turn of the host, so that delays hold between them. A request to another host
 *           takes that host and its address out of turn, at whatever agent its turns are.
 * Ensures   no page of an origin is fetched before its robots.txt, nor by rules older than a day. A
 *           file that cannot be fetched after all retries disallows everything for an hour.
 */
import type { Clock } from '../../base/clock.ts';
import { type Bytes, formatDuration, type Millis } from '../../base/units.ts';
import type { BodyBudget } from '../../fetch/body-budget.ts';
import { DEFAULT_DECODE_LIMITS, decodeHeld } from '../../fetch/decode.ts';
import { type Exchange, FetchError, type HttpClient } from '../../fetch/exchange.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import type { AddressGuard } from '../../net/address-guard.ts';
import { DnsError, type NameResolver, type ResolvedAddress } from '../../net/dns.ts';
import type { Politeness } from '../../politeness/politeness.ts';
import {
  FENCE_PAUSE,
  type RetryCause,
  type RetryPolicy,
  statusFault,
} from '../../politeness/retries-and-pauses.ts';
import { type RobotsRules, robotsFromResponse } from '../../robots/parse-robots.ts';
import { hostOf, originOf } from '../../url/parts.ts';
import type { Counters } from '../record/counters.ts';
import { endsAgent, type InternalErrors } from '../record/internal-errors.ts';
import type { EventLog } from '../record/log.ts';
import type { Store } from '../store/store.ts';
import type { Outage } from './outage.ts';
import { freshRules, inquiryAt, type RobotsCost, RobotsInquiry } from './robots-inquiry.ts';
import type { RobotsMemory } from './robots-memory.ts';

/** RFC 9309, section 2.5: at least this much of a file is read. */
const LEAST_READ: Bytes = 500 * 1024;
const DECODE_LIMITS = { ...DEFAULT_DECODE_LIMITS, maxBytes: LEAST_READ };

interface RobotsKeeperParts {
  readonly client: Pick<HttpClient, 'fetch'>;
  readonly bodies: Pick<BodyBudget, 'hold'>;
  readonly resolver: NameResolver;
  readonly guard: AddressGuard;
  readonly frontier: Pick<Frontier, 'tryOtherAddress' | 'tryAsk' | 'asked' | 'host'>;
  readonly memory: RobotsMemory;
  readonly productToken: string;
  readonly clock: Clock;
  readonly counters: Pick<Counters, 'countRetry'>;
  readonly log: EventLog;
  readonly internal: InternalErrors;
  /** Robots files are part of the archive: they explain what is missing from it. */
  readonly store: Pick<Store, 'store'>;
  readonly politeness: Politeness;
  readonly retries: RetryPolicy;
  /** The longest Crawl-delay that is obeyed: a longer one would in effect disallow everything. */
  readonly maxCrawlDelay: Millis;
  readonly outage: Outage;
}

/** The host is being asked, or paused: no request was made. */
interface NotNow {
  readonly notBefore: Millis;
}

/** What went wrong with a request. */
interface Failure {
  readonly fault: RetryCause;
  readonly why: string;
  /** How long the server asks us to wait, if it does. */
  readonly asked?: Millis | undefined;
}

export class RobotsKeeper {
  readonly #parts: RobotsKeeperParts;

  constructor(parts: RobotsKeeperParts) {
    this.#parts = parts;
  }

  /** The rules for a URL's origin; undefined when they must be requested first. */
  lookUp(host: Host, url: string): RobotsRules | undefined {
    const origin = originOf(url);
    const rules = freshRules(host, origin, this.#parts.clock.now());
    if (rules) this.#parts.memory.used(origin);
    return rules;
  }

  /** When the rules for a URL's origin may be requested. */
  askAt(host: Host, url: string): Millis {
    return inquiryAt(host, originOf(url));
  }

  /**
   * Makes the next request for the robots.txt of a URL's origin, and keeps the outcome with the
   * host. `onSitemaps` is called in the same step in which rules are kept.
   */
  async ask(
    turn: HostTurn,
    url: string,
    stopping: () => boolean,
    onSitemaps: (sitemaps: readonly string[]) => void = () => {},
  ): Promise<RobotsCost> {
    const inquiry = new RobotsInquiry(turn.host, originOf(url));
    const answer = await this.#inquire(turn, inquiry);
    if (answer === 'redirected') return { requested: true, pause: 0 };
    if ('notBefore' in answer)
      return { requested: false, pause: Math.max(1, answer.notBefore - this.#parts.clock.now()) };
    if ('fault' in answer) {
      if (stopping()) return { requested: true, pause: 0 };
      if (answer.fault === 'fenced')
        return { requested: true, pause: FENCE_PAUSE, cause: 'fenced' };
      return this.#failed(turn, originOf(url), inquiry, answer);
    }
    const { memory, clock } = this.#parts;
    inquiry.learned(answer, this.#crawlDelay(answer, turn.host), clock.now());
    turn.host.errorsInRow = 0;
    memory.learned(turn.host, originOf(url));
    if (answer.sitemaps.length > 0) onSitemaps(answer.sitemaps);
    return { requested: true, pause: 0 };
  }

  /** Requests and reads the file. An error of our own counts as a failure of the request. */
  async #inquire(
    turn: HostTurn,
    inquiry: RobotsInquiry,
  ): Promise<RobotsRules | Failure | NotNow | 'redirected'> {
    const { url } = inquiry;
    try {
      const answer = await this.#request(turn, url);
      if ('notBefore' in answer || 'fault' in answer) return answer;
      if (inquiry.redirected(redirectTarget(answer))) return 'redirected';
      return await this.#read(answer);
    } catch (error) {
      const why = this.#parts.internal.note(error, { host: turn.host.name, url });
      return { fault: 'internal-error', why };
    }
  }

  #failed(
    turn: HostTurn,
    origin: string,
    inquiry: RobotsInquiry,
    { fault, why, asked }: Failure,
  ): RobotsCost {
    const { frontier, memory, clock, counters, log, outage, retries } = this.#parts;
    const { host } = turn;
    const rule = retries.rule(fault);
    const excused = outage.excuses(fault, turn.address.ip);
    const isOwn = hostOf(inquiry.url) === host.name;
    const pause = asked ?? retries.pauseAfter(fault, ++host.errorsInRow);
    if (inquiry.retries(rule.retries, excused, clock.now() + (asked ?? rule.wait))) {
      counters.countRetry(fault);
      // A host that asks for a pause asks at all of its addresses.
      if (isOwn && asked === undefined && frontier.tryOtherAddress(turn)) {
        inquiry.retries(rule.retries, true, 0);
        return { requested: true, pause: 0 };
      }
    } else {
      inquiry.gaveUp(clock.now());
      memory.learned(turn.host, origin);
      log.event('robots-unreachable', { origin, fault, why });
    }
    return { requested: true, pause, cause: fault, why };
  }

  async #read(exchange: Exchange): Promise<RobotsRules> {
    const hold = this.#parts.bodies.hold(exchange);
    try {
      const { body } = await decodeHeld(exchange, hold, DECODE_LIMITS);
      return robotsFromResponse(exchange.status, body, this.#parts.productToken);
    } finally {
      hold.end();
    }
  }

  #crawlDelay({ crawlDelay: asked = 0 }: RobotsRules, host: Host): Millis {
    const { maxCrawlDelay, log } = this.#parts;
    if (asked <= maxCrawlDelay) return asked;
    const delay = `${formatDuration(asked)} cut to ${formatDuration(maxCrawlDelay)}`;
    log.event('crawl-delay-capped', { host: host.name, delay });
    return maxCrawlDelay;
  }

  /** Makes one request, to the host whose turn it is or to another. */
  async #request(turn: HostTurn, url: string): Promise<Exchange | Failure | NotNow> {
    try {
      if (hostOf(url) === turn.host.name) return await this.#fetch(url, turn.address);
      return await this.#askElsewhere(turn, url);
    } catch (error) {
      if (error instanceof FetchError || error instanceof DnsError) {
        return { fault: error.fault, why: error.message };
      }
      throw error;
    }
  }

  /**
   * At a host whose turn it is not: only when it is not paused; then it is paused as after a turn.
   */
  async #askElsewhere(turn: HostTurn, url: string): Promise<Exchange | Failure | NotNow> {
    const { frontier, clock, politeness } = this.#parts;
    const name = hostOf(url);
    const address = await this.#addressOf(name);
    const isElsewhere = address.ip !== turn.address.ip;
    const notBefore = frontier.tryAsk(name, isElsewhere ? address : undefined, clock.now());
    if (notBefore > 0) return { notBefore };
    try {
      return await this.#fetch(url, address);
    } finally {
      const at = { address, delay: politeness.addressDelay(address.ip) };
      const delay = politeness.delayElsewhere(frontier.host(name), name);
      frontier.asked(name, delay, isElsewhere ? at : undefined);
    }
  }

  async #fetch(url: string, address: ResolvedAddress): Promise<Exchange | Failure> {
    const { client, bodies, clock, outage, store, retries } = this.#parts;
    const exchange = await client.fetch({ url, address, leastBody: LEAST_READ });
    outage.answered(address.ip);
    const hold = bodies.hold(exchange);
    await endsAgent(() => store.store(exchange)).finally(() => hold.end());
    const fault = statusFault(exchange.status);
    if (fault) {
      const asked = retries.asked(exchange, clock.now());
      return { fault, why: `status ${exchange.status}`, asked };
    }
    // Half a file may lack the very rule that matters.
    if (exchange.truncated === 'disconnect') return { fault: 'reset', why: 'the file was cut off' };
    if (exchange.truncated === 'time')
      return { fault: 'response-timeout', why: 'the file came too slowly' };
    return exchange;
  }

  async #addressOf(name: string): Promise<ResolvedAddress> {
    const addresses = await this.#parts.resolver.resolve(name);
    const allowed = addresses.find(({ ip }) => this.#parts.guard.allows(ip));
    if (!allowed)
      throw new FetchError('address-refused', `${name} has no address that may be asked`);
    return allowed;
  }
}
