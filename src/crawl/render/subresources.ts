/**
 * Answers the requests of rendered pages through the crawl's own client: the only way from a
 * browser to a server.
 *
 *   request ─► excluded? ─► cache ─► address, guard ─► lane of the address ─► host taken
 *           ─► robots.txt ─► delay ─► client ─► archive ─► cache ─► response
 *
 * Idea      The page's own host and its address are held by the turn in which the page was fetched.
 *           Other hosts are asked out of turn, as for a robots.txt that redirects: host and address
 *           are taken from the tables that all agents share. Requests to one address go one after
 *           the other (its lane), `delay` apart.
 * Requires  a turn that is not released before all answers are given.
 * Ensures   Nothing is asked that the guard, robots.txt or the user forbids. No two requests at
 *           once go to one host or one address. After `until` nothing is asked. Every response is
 *           stored as a pair of request and response before the browser gets it.
 */
import type { Clock } from '../../base/clock.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { BodyBudget } from '../../fetch/body-budget.ts';
import { decodeHeld, decodeLimitsFor } from '../../fetch/decode.ts';
import { type Exchange, FetchError, type HttpClient } from '../../fetch/exchange.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import { Domain, Host } from '../../frontier/host.ts';
import type { AddressGuard } from '../../net/address-guard.ts';
import { DnsError, type NameResolver, type ResolvedAddress } from '../../net/dns.ts';
import type { Politeness } from '../../politeness/politeness.ts';
import {
  type RetryCause,
  type RetryPolicy,
  statusFault,
} from '../../politeness/retries-and-pauses.ts';
import type { PageRequest, PageResponse } from '../../render/interception.ts';
import { UNREACHABLE } from '../../robots/parse-robots.ts';
import { canonicalise } from '../../url/canonical.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf, pathOf } from '../../url/parts.ts';
import type { Outage } from '../hosts/outage.ts';
import type { RobotsKeeper } from '../hosts/robots-keeper.ts';
import type { Counters } from '../record/counters.ts';
import { endsAgent, type InternalErrors } from '../record/internal-errors.ts';
import type { SkipSink } from '../skipped/skip-log.ts';
import type { Store } from '../store/store.ts';
import type { AnswerCache } from './answer-cache.ts';

/** Hosts whose robots.txt is remembered, beside those of the frontier. */
const MOST_GUESTS = 2000;
/** Requests for a robots.txt: the first, and five redirects. */
const MOST_INQUIRIES = 6;

interface SubresourceParts {
  readonly client: Pick<HttpClient, 'fetch'>;
  readonly bodies: Pick<BodyBudget, 'hold'>;
  readonly resolver: NameResolver;
  readonly guard: AddressGuard;
  readonly frontier: Pick<Frontier, 'tryAsk' | 'asked' | 'askableFrom' | 'host'>;
  /** For hosts of the frontier. */
  readonly robots: Pick<RobotsKeeper, 'lookUp' | 'ask'>;
  /** For all other hosts. */
  readonly guestRobots: Pick<RobotsKeeper, 'lookUp' | 'ask'>;
  readonly politeness: Pick<Politeness, 'hostDelay' | 'delayElsewhere'>;
  readonly retries: Pick<RetryPolicy, 'asked' | 'pauseAfter'>;
  readonly skips: Pick<SkipSink, 'skipped'>;
  readonly store: Pick<Store, 'store'>;
  readonly outage: Pick<Outage, 'answered'>;
  readonly counters: Pick<Counters, 'countRender' | 'bytes' | 'requests'>;
  readonly internal: InternalErrors;
  readonly clock: Clock;
  readonly cache: AnswerCache;
  /** Between two requests to one address. */
  readonly delay: Millis;
  readonly maxBody: Bytes;
  readonly obeysRobots: boolean;
  /** Why a URL must not be fetched, whoever asks for it. */
  readonly refusal: (url: string, host: string) => string | undefined;
  readonly stopping: () => boolean;
}

/** A request as the client makes it. */
interface OwnRequest extends PageRequest {
  readonly method: 'GET' | 'HEAD';
  readonly isAnonymous: boolean;
}

/** Reasons that are decisions: their URLs are in the list of skipped ones. */
const LISTED = new Set([
  'request-method',
  'request-disallowed',
  'request-blocked',
  'request-excluded',
]);

/** Why a request of a page is not made. */
class Refused extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

export class Subresources {
  readonly #parts: SubresourceParts;
  /** By name, the one used last at the end. */
  readonly #guests = new Map<string, Host>();
  readonly #decodeLimits: ReturnType<typeof decodeLimitsFor>;

  constructor(parts: SubresourceParts) {
    this.#parts = parts;
    this.#decodeLimits = decodeLimitsFor(parts.maxBody);
  }

  /** Answers the requests of one page until a time. */
  forPage(turn: HostTurn, until: Millis): PageTraffic {
    return new PageTraffic(turn, until, {
      ...this.#parts,
      hostFor: (name) => this.#hostFor(name),
      decodeLimits: this.#decodeLimits,
    });
  }

  #hostFor(name: string): { readonly host: Host; readonly isGuest: boolean } {
    const known = this.#parts.frontier.host(name);
    if (known) return { host: known, isGuest: false };
    const guest = this.#guests.get(name) ?? new Host(name, new Domain(payLevelDomain(name)));
    this.#guests.delete(name);
    this.#guests.set(name, guest);
    if (this.#guests.size > MOST_GUESTS) {
      const [oldest] = this.#guests.keys();
      this.#guests.delete(oldest);
    }
    return { host: guest, isGuest: true };
  }
}

interface TrafficParts extends SubresourceParts {
  readonly hostFor: (name: string) => { readonly host: Host; readonly isGuest: boolean };
  readonly decodeLimits: ReturnType<typeof decodeLimitsFor>;
}

/** A server has asked to be left in peace. */
export interface AskedPause {
  readonly until: Millis;
  readonly cause: RetryCause;
}

/** What a page has loaded, as Browsertrix lists it. */
export interface Loaded {
  readonly status: number;
  readonly mime: string;
  readonly type: string;
}

/** The requests of one page. */
export class PageTraffic {
  /** A request was refused because the crawl is stopping. */
  wasStopped = false;
  /** When a host may be asked that may not be asked yet, after a resume. */
  notBefore: Millis = 0;
  /** Set when an answer of the page's own host asks to leave it in peace. */
  pause: AskedPause | undefined;
  /** Bytes received. */
  bytes: Bytes = 0;
  readonly loaded = new Map<string, Loaded>();
  readonly #turn: HostTurn;
  readonly #until: Millis;
  readonly #parts: TrafficParts;
  readonly #addresses = new Map<string, Promise<ResolvedAddress>>();
  /** By address: the end of the last request. */
  readonly #lanes = new Map<string, Promise<unknown>>();
  readonly #askedAt = new Map<string, Millis>();
  /** The page is rendered. */
  #over = false;
  /** An error that ends the agent: the store or the user's own code. */
  #fatal: { readonly error: unknown } | undefined;

  constructor(turn: HostTurn, until: Millis, parts: TrafficParts) {
    this.#turn = turn;
    this.#until = until;
    this.#parts = parts;
    // The page itself was fetched a moment ago.
    this.#askedAt.set(turn.address.ip, parts.clock.now());
  }

  /** Asks nothing more, and waits for what was asked. Throws what must end the agent. */
  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#lanes.values());
    if (this.#fatal) throw this.#fatal.error;
  }

  readonly answer = async (request: PageRequest): Promise<PageResponse | undefined> => {
    const { counters, internal, skips } = this.#parts;
    const url = request.url.replace(/#.*$/s, '');
    try {
      const response = await this.#answer(this.#asOurs({ ...request, url }));
      this.#note(url, request.kind, response);
      return response;
    } catch (error) {
      if (error instanceof Refused) {
        counters.countRender(error.reason);
        if (LISTED.has(error.reason)) skips.skipped(url, error.reason);
      } else if (error instanceof FetchError || error instanceof DnsError)
        counters.countRender(`request-${error.fault}`);
      else {
        internal.note(error, { host: this.#turn.host.name, url });
        counters.countRender('request-internal-error');
      }
      return undefined;
    }
  };

  /**
   * A request may change something on a server only if a person wants it. The user's login counts
   * for requests of a page to its own site.
   */
  #asOurs(request: PageRequest): OwnRequest {
    const { method, isOwn, url } = request;
    if (method !== 'GET' && method !== 'HEAD') throw new Refused('request-method');
    const isSameSite = payLevelDomain(hostOf(url)) === payLevelDomain(this.#turn.host.name);
    return { ...request, method, isAnonymous: !(isOwn && isSameSite) };
  }

  async #answer(request: OwnRequest): Promise<PageResponse> {
    const { clock, cache, refusal, counters } = this.#parts;
    const { url } = request;
    if (canonicalise(url) === undefined) throw new Refused('request-bad-url');
    const name = hostOf(url);
    const reason = refusal(url, name);
    if (reason !== undefined) throw new Refused(`request-${reason}`);
    const cached = cache.get(request, clock.now());
    if (cached) {
      counters.countRender('cached');
      return cached;
    }
    const address = await this.#addressOf(name);
    return this.#inLane(address.ip, () => this.#ask(request, name, address));
  }

  #note(url: string, kind: string, { status, headers }: PageResponse): void {
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const mime = type.replace(/;.*$/s, '').trim().toLowerCase();
    this.loaded.set(url, { status, mime, type: kind.toLowerCase() });
  }

  /** Requests to one address, one after the other. */
  #inLane<T>(ip: string, task: () => Promise<T>): Promise<T> {
    const mine = (this.#lanes.get(ip) ?? Promise.resolve()).then(task);
    this.#lanes.set(
      ip,
      mine.catch(() => {}),
    );
    return mine;
  }

  #addressOf(name: string): Promise<ResolvedAddress> {
    if (name === this.#turn.host.name) return Promise.resolve(this.#turn.address);
    const known = this.#addresses.get(name) ?? this.#resolve(name);
    this.#addresses.set(name, known);
    return known;
  }

  async #resolve(name: string): Promise<ResolvedAddress> {
    const { resolver, guard } = this.#parts;
    const allowed = (await resolver.resolve(name)).find(({ ip }) => guard.allows(ip));
    if (!allowed)
      throw new FetchError('address-refused', `${name} has no address that may be asked`);
    return allowed;
  }

  async #ask(request: OwnRequest, name: string, address: ResolvedAddress): Promise<PageResponse> {
    const turn = this.#turn;
    if (name === turn.host.name) {
      await this.#mayAsk(request.url, { host: turn.host, isGuest: false }, address);
      return this.#fetch(request, address, turn.host, (time, cause) => {
        this.pause = { until: this.#parts.clock.now() + time, cause };
      });
    }
    const { frontier, politeness, delay } = this.#parts;
    const at = address.ip === turn.address.ip ? undefined : address;
    await this.#take(name, at);
    let asked: Millis = 0;
    try {
      const known = this.#parts.hostFor(name);
      await this.#mayAsk(request.url, known, address);
      return await this.#fetch(request, address, known.host, (time) => {
        asked = time;
      });
    } finally {
      const usual = politeness.delayElsewhere(frontier.host(name), name);
      const pause = Math.min(delay, usual);
      frontier.asked(name, Math.max(pause, asked), at && { address: at, delay: pause });
    }
  }

  /** Takes a host, and its address unless the page's turn has it, when both are free. */
  async #take(name: string, address: ResolvedAddress | undefined): Promise<void> {
    const { frontier, clock } = this.#parts;
    const from = frontier.askableFrom(name);
    if (from >= this.#until) this.notBefore = Math.max(this.notBefore, from);
    for (;;) {
      const notBefore = frontier.tryAsk(name, address, clock.now());
      if (notBefore <= 0) return;
      await this.#waitUntil(notBefore);
    }
  }

  /** Obeys robots.txt and the delay; the host is ours. */
  async #mayAsk(
    url: string,
    { host, isGuest }: { readonly host: Host; readonly isGuest: boolean },
    address: ResolvedAddress,
  ): Promise<void> {
    const { obeysRobots, stopping } = this.#parts;
    const keeper = isGuest ? this.#parts.guestRobots : this.#parts.robots;
    if (obeysRobots) {
      let rules = keeper.lookUp(host, url);
      for (let tries = 0; !rules && tries < MOST_INQUIRIES; tries++) {
        await this.#pause(host, address.ip);
        const turn = host === this.#turn.host ? this.#turn : { host, address, moved: false };
        const { requested, pause } = await keeper.ask(turn, url, stopping);
        if (requested) this.#askedAt.set(address.ip, this.#parts.clock.now());
        rules = keeper.lookUp(host, url);
        if (!rules && pause > 0) break;
      }
      if (!rules || rules === UNREACHABLE) throw new Refused('request-robots-unreachable');
      if (!rules.verdict(pathOf(url)).allowed) throw new Refused('request-disallowed');
    }
    await this.#pause(host, address.ip);
  }

  async #pause(host: Host, ip: string): Promise<void> {
    const { delay, politeness } = this.#parts;
    const pause = Math.min(delay, politeness.hostDelay(host));
    const before = this.#askedAt.get(ip);
    if (this.pause && host === this.#turn.host) throw new Refused('request-paused');
    await this.#waitUntil(before === undefined ? 0 : before + pause);
  }

  async #waitUntil(time: Millis): Promise<void> {
    const { clock, stopping } = this.#parts;
    this.wasStopped ||= stopping();
    if (this.#isOver || Math.max(time, clock.now()) >= this.#until)
      throw new Refused('request-late');
    const wait = time - clock.now();
    if (wait > 0) await new Promise<void>((wake) => clock.after(wait, wake));
    this.wasStopped ||= stopping();
    if (this.#isOver) throw new Refused('request-late');
  }

  get #isOver(): boolean {
    return this.#over || this.#parts.stopping();
  }

  /** Makes the request; `onPause` is called when the answer asks to leave the host in peace. */
  async #fetch(
    request: OwnRequest,
    address: ResolvedAddress,
    host: Host,
    onPause: (time: Millis, cause: RetryCause) => void,
  ): Promise<PageResponse> {
    const { client, clock, counters, outage, retries } = this.#parts;
    const { url, method, headers, isAnonymous } = request;
    counters.requests++;
    counters.countRender('requests');
    let exchange: Exchange;
    try {
      exchange = await client.fetch({ url, method, address, headers, isAnonymous });
    } finally {
      this.#askedAt.set(address.ip, clock.now());
    }
    outage.answered(address.ip);
    const fault = statusFault(exchange.status);
    host.errorsInRow = fault === undefined ? 0 : host.errorsInRow + 1;
    if (fault !== undefined) {
      const asked = retries.asked(exchange, clock.now());
      const pause = asked ?? retries.pauseAfter(fault, host.errorsInRow);
      if (pause > 0) onPause(pause, fault);
    }
    this.bytes += exchange.bytesReceived;
    counters.bytes += exchange.bytesReceived;
    try {
      return await this.#keep(request, exchange);
    } finally {
      exchange.release?.();
    }
  }

  /** Stores the exchange, and makes the answer of it. */
  async #keep(request: OwnRequest, exchange: Exchange): Promise<PageResponse> {
    const { bodies, store, cache, clock, decodeLimits } = this.#parts;
    const hold = bodies.hold(exchange);
    try {
      await this.#store(() => store.store(exchange));
      const { body } = await decodeHeld(exchange, hold, decodeLimits);
      const { status, headers } = exchange;
      // The memory of the exchange is reused: the browser gets a copy.
      const response = { status, headers: [...headers.entries()], body: Uint8Array.from(body) };
      if (exchange.truncated === undefined) cache.put(request, response, clock.now());
      return response;
    } finally {
      hold.end();
    }
  }

  async #store(task: () => Promise<void>): Promise<void> {
    try {
      await endsAgent(task);
    } catch (error) {
      this.#fatal ??= { error };
      throw new Refused('request-late');
    }
  }
}
