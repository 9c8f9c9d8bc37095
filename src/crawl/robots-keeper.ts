/**
 * Which URLs a host lets us fetch: the robots half of step 6 (RFC 9309).
 *
 * Ensures   no page of an origin is fetched before its robots.txt was asked for, nor by one older than a day. A file
 *           that cannot be had refuses everything, and is asked for again after an hour.
 */
import type { Clock } from '../clock.ts';
import { decodeContent } from '../fetch/decode.ts';
import { DnsError, type NameResolver } from '../fetch/dns.ts';
import { type Exchange, FetchError, type HttpClient, type ResolvedAddress } from '../fetch/exchange.ts';
import { type RobotsRules, robotsFromResponse, UNREACHABLE } from '../fetch/robots.ts';
import type { Host, HostTurn } from '../frontier/frontier.ts';
import { formatDuration, type Millis } from '../units.ts';
import { canonicalise } from '../url/canonical.ts';
import { hostOf, originOf } from '../url/parts.ts';
import type { Counters } from './counters.ts';
import type { CrawlLog } from './log.ts';

const FRESH_FOR: Millis = 24 * 3600_000;
const UNREACHABLE_FOR: Millis = 3600_000;
const MAX_REDIRECTS = 5;
/** A longer Crawl-delay than this would in effect be a refusal nobody wrote; it is cut, and the log says so. */
const MAX_CRAWL_DELAY: Millis = 60_000;

export interface RobotsKeeperParts {
  readonly client: HttpClient;
  readonly resolver: NameResolver;
  readonly productToken: string;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: CrawlLog;
  /** Robots files are part of the archive: they explain what is missing from it. */
  readonly store: (exchange: Exchange) => Promise<unknown>;
}

export class RobotsKeeper {
  readonly #parts: RobotsKeeperParts;

  constructor(parts: RobotsKeeperParts) {
    this.#parts = parts;
  }

  /** The rules for a URL's origin, or undefined when they must be fetched first. */
  lookUp(host: Host, url: string): RobotsRules | undefined {
    const known = host.robots.get(originOf(url));
    return known && known.expiresAt > this.#parts.clock.now() ? known.rules : undefined;
  }

  /** Fetches the robots.txt of a URL's origin and keeps what it says with the host. */
  async fetch(turn: HostTurn, url: string): Promise<void> {
    const { clock, counters, log } = this.#parts;
    const origin = originOf(url);
    counters.robotsFetched++;
    const rules = await this.#rulesOf(turn, `${origin}/robots.txt`);
    const reachable = rules !== UNREACHABLE;
    const expiresAt = clock.now() + (reachable ? FRESH_FOR : UNREACHABLE_FOR);
    turn.host.robots.set(origin, { rules, expiresAt });
    turn.host.crawlDelay = Math.min(rules.crawlDelay ?? 0, MAX_CRAWL_DELAY);
    if ((rules.crawlDelay ?? 0) > MAX_CRAWL_DELAY) {
      const capped = `${formatDuration(rules.crawlDelay ?? 0)} cut to ${formatDuration(MAX_CRAWL_DELAY)}`;
      log.event('crawl-delay-capped', { host: turn.host.name, delay: capped });
    }
    if (!reachable) log.event('robots-unreachable', { origin });
  }

  async #rulesOf(turn: HostTurn, robotsUrl: string): Promise<RobotsRules> {
    let url = robotsUrl;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const exchange = await this.#exchange(turn, url);
      if (!exchange) return UNREACHABLE;
      const location =
        exchange.status >= 300 && exchange.status < 400 ? exchange.headers.get('location') : undefined;
      if (location === undefined) {
        const { body } = await decodeContent(exchange);
        return robotsFromResponse(exchange.status, body, this.#parts.productToken);
      }
      const target = canonicalise(location, { base: url });
      if (target === undefined) break;
      url = target;
    }
    return robotsFromResponse(404, new Uint8Array(), this.#parts.productToken);
  }

  async #exchange(turn: HostTurn, url: string): Promise<Exchange | undefined> {
    try {
      const exchange = await this.#parts.client.fetch({ url, address: await this.#addressOf(turn, url) });
      await this.#parts.store(exchange);
      return exchange;
    } catch (error) {
      if (error instanceof FetchError || error instanceof DnsError) return undefined;
      throw error;
    }
  }

  /** A redirect may lead to another host (RFC 9309, 2.3.1.2), whose address is then its own. */
  async #addressOf(turn: HostTurn, url: string): Promise<ResolvedAddress> {
    if (hostOf(url) === turn.host.name) return turn.address;
    return (await this.#parts.resolver.resolve(hostOf(url)))[0];
  }
}
