/**
 * Which URLs a host lets us fetch: the robots half of step 6 (RFC 9309).
 *
 * Idea      Learning the rules of an origin is an inquiry of several requests: tries that fail, up to five redirects, to
 *           other hosts too. Each request is one `ask`, made in a turn of the host, so that delays hold between
 *           them; one to another host borrows that host's address.
 * Ensures   no page of an origin is fetched before its robots.txt was, nor by rules older than a day. A file that
 *           cannot be had after the tries of the retry table refuses everything for an hour.
 */
import type { Clock } from '../../base/clock.ts';
import { type Bytes, formatDuration, type Millis } from '../../base/units.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { type Exchange, FetchError, type HttpClient } from '../../fetch/exchange.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import type { Host, RobotsEntry } from '../../frontier/host.ts';
import type { AddressGuard } from '../../net/address-guard.ts';
import { DnsError, type NameResolver, type ResolvedAddress } from '../../net/dns.ts';
import type { Politeness } from '../../politeness/politeness.ts';
import {
  pauseAfter,
  type RetryCause,
  retryRule,
  statusFault,
} from '../../politeness/retry-table.ts';
import { type RobotsRules, robotsFromResponse, UNREACHABLE } from '../../robots/parse-robots.ts';
import { hostOf, originOf } from '../../url/parts.ts';
import type { Counters } from '../record/counters.ts';
import type { EventLog } from '../record/log.ts';
import type { Outage } from './outage.ts';
import { RobotsMemory } from './robots-memory.ts';

const FRESH_FOR: Millis = 24 * 3600_000;
const UNREACHABLE_FOR: Millis = 3600_000;
const MAX_REDIRECTS = 5;
/** For the rules of all hosts. */
const RULES_MEMORY: Bytes = 64 * 2 ** 20;
/** What an origin costs beside its rules. */
const ENTRY_BYTES: Bytes = 400;
/** RFC 9309, section 2.5: at least this much of a file is read. */
const LEAST_READ: Bytes = 500 * 1024;
/** How soon to look again for a host or an address that another turn holds. */
const TAKEN: Millis = 250;

export interface RobotsKeeperParts {
  readonly client: HttpClient;
  readonly resolver: NameResolver;
  readonly guard: AddressGuard;
  readonly frontier: Frontier;
  readonly productToken: string;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: EventLog;
  /** Robots files are part of the archive: they explain what is missing from it. */
  readonly store: (exchange: Exchange) => Promise<unknown>;
  readonly politeness: Politeness;
  /** A longer Crawl-delay than this would in effect be a refusal nobody wrote; it is cut, and the log says so. */
  readonly maxCrawlDelay: Millis;
  readonly outage: Outage;
}

/** What came of a request: a response, or what went wrong and how long the server wants to be left alone. */
interface Answer {
  readonly outcome: Exchange | RetryCause;
  readonly why?: string;
  readonly pause?: Millis;
}

/** What asking cost the host whose turn it is. */
export interface Asking {
  readonly requested: boolean;
  readonly penalty: Millis;
  /** What went wrong. */
  readonly cause?: RetryCause;
}

export class RobotsKeeper {
  readonly #parts: RobotsKeeperParts;

  readonly #memory = new RobotsMemory(RULES_MEMORY);

  constructor(parts: RobotsKeeperParts) {
    this.#parts = parts;
  }

  /** The host has come into memory, with what was stored of its rules. */
  remember(host: Host): void {
    for (const [origin, { rules }] of host.robots) {
      if (rules) this.#memory.added(host, origin, rules.size + ENTRY_BYTES);
    }
  }

  /** The host has left memory. */
  forget(host: Host): void {
    for (const origin of host.robots.keys()) this.#memory.removed(origin);
  }

  /** The rules for a URL's origin, or undefined when they must be asked for first. */
  lookUp(host: Host, url: string): RobotsRules | undefined {
    const origin = originOf(url);
    const known = host.robots.get(origin);
    if (!known || known.expiresAt <= this.#parts.clock.now()) return undefined;
    this.#memory.used(origin);
    return known.rules;
  }

  /**
   * Makes the next request of the inquiry into a URL's origin, and keeps what came of it with the host. `onSitemaps` is called in the very step in
   * which rules are kept.
   */
  async ask(
    turn: HostTurn,
    url: string,
    stopping: () => boolean,
    onSitemaps: (sitemaps: readonly string[]) => void = () => {},
  ): Promise<Asking> {
    const origin = originOf(url);
    const entry = turn.host.robots.get(origin);
    const inquiry = entry && !entry.rules ? entry.inquiry : firstInquiry(origin);
    const keep = (rules: RobotsRules | undefined, expiresAt: Millis, next = inquiry) => {
      // While there are no rules, what the last ones asked is still kept to.
      const crawlDelay = rules ? this.#crawlDelay(rules, turn.host) : (entry?.crawlDelay ?? 0);
      turn.host.robots.set(origin, { rules, expiresAt, inquiry: next, crawlDelay });
      if (rules) this.#memory.added(turn.host, origin, rules.size + ENTRY_BYTES);
      if (rules && rules.sitemaps.length > 0) onSitemaps(rules.sitemaps);
    };

    const answer = await this.#request(turn, inquiry.url);
    if (answer === 'taken') return { requested: false, penalty: TAKEN };
    if (stopping() && typeof answer.outcome === 'string') return { requested: true, penalty: 0 };
    if (typeof answer.outcome === 'string') {
      const { retries } = retryRule(answer.outcome);
      const wait = Math.max(retryRule(answer.outcome).wait, answer.pause ?? 0);
      const excused = this.#parts.outage.excuses(answer.outcome, turn.address.ip);
      if (inquiry.failures < retries || excused) {
        this.#parts.counters.countRetry(answer.outcome);
        keep(undefined, 0, { ...inquiry, failures: Math.min(inquiry.failures + 1, retries) });
        const own = hostOf(inquiry.url) === turn.host.name;
        if (own && this.#parts.frontier.tryOtherAddress(turn))
          return { requested: true, penalty: 0 };
        return { requested: true, penalty: wait, cause: answer.outcome };
      }
      keep(UNREACHABLE, this.#parts.clock.now() + UNREACHABLE_FOR);
      this.#parts.log.event('robots-unreachable', {
        origin,
        fault: answer.outcome,
        why: answer.why,
      });
      return { requested: true, penalty: wait, cause: answer.outcome };
    }
    const exchange = answer.outcome;
    const target = redirectTarget(exchange);
    if (target !== undefined && target !== inquiry.url && inquiry.hops < MAX_REDIRECTS) {
      keep(undefined, 0, { url: target, hops: inquiry.hops + 1, failures: 0 });
    } else keep(await this.#read(exchange), this.#parts.clock.now() + FRESH_FOR);
    return { requested: true, penalty: 0 };
  }

  async #read(exchange: Exchange): Promise<RobotsRules> {
    const { body } = await decodeContent(exchange);
    return robotsFromResponse(exchange.status, body, this.#parts.productToken);
  }

  #crawlDelay(rules: RobotsRules | undefined, host: Host): Millis {
    const { maxCrawlDelay, log } = this.#parts;
    const asked = rules?.crawlDelay ?? 0;
    if (asked <= maxCrawlDelay) return asked;
    const delay = `${formatDuration(asked)} cut to ${formatDuration(maxCrawlDelay)}`;
    log.event('crawl-delay-capped', { host: host.name, delay });
    return maxCrawlDelay;
  }

  /** One request, of the host whose turn it is or of another; a failure by its row in the retry table. */
  async #request(turn: HostTurn, url: string): Promise<'taken' | Answer> {
    try {
      if (hostOf(url) === turn.host.name) return await this.#fetch(url, turn.address);
      return await this.#askElsewhere(turn, url);
    } catch (error) {
      if (error instanceof FetchError || error instanceof DnsError) {
        return { outcome: error.fault, why: error.message };
      }
      throw error;
    }
  }

  /** At another host, whose turn it is not: only when it is left alone now, and then it is left alone as after its turn. */
  async #askElsewhere(turn: HostTurn, url: string): Promise<'taken' | Answer> {
    const { frontier, clock, politeness } = this.#parts;
    const name = hostOf(url);
    const address = await this.#addressOf(name);
    const borrows = address.ip !== turn.address.ip;
    if (!frontier.mayAsk(name, clock.now())) return 'taken';
    if (borrows && !frontier.borrow(address, clock.now())) return 'taken';
    try {
      return await this.#fetch(url, address);
    } finally {
      const now = clock.now();
      frontier.askedOutOfTurn(name, now + politeness.delayElsewhere(frontier.host(name), name));
      if (borrows) frontier.giveBack(address, now + politeness.addressDelay(address.ip));
    }
  }

  async #fetch(url: string, address: ResolvedAddress): Promise<Answer> {
    const exchange = await this.#parts.client.fetch({ url, address, leastBody: LEAST_READ });
    this.#parts.outage.answered(address.ip);
    await this.#parts.store(exchange);
    const fault = statusFault(exchange.status);
    if (fault) {
      const pause = pauseAfter(exchange, this.#parts.clock.now());
      return { outcome: fault, why: `status ${exchange.status}`, pause };
    }
    // Half a file may lack the very rule that matters.
    if (exchange.truncated === 'disconnect')
      return { outcome: 'reset', why: 'the file was cut off' };
    if (exchange.truncated === 'time')
      return { outcome: 'response-timeout', why: 'the file came too slowly' };
    return { outcome: exchange };
  }

  async #addressOf(name: string): Promise<ResolvedAddress> {
    const addresses = await this.#parts.resolver.resolve(name);
    const allowed = addresses.find(({ ip }) => this.#parts.guard.allows(ip));
    if (!allowed)
      throw new FetchError('address-refused', `${name} has no address that may be asked`);
    return allowed;
  }
}

function firstInquiry(origin: string): RobotsEntry['inquiry'] {
  return { url: `${origin}/robots.txt`, hops: 0, failures: 0 };
}
