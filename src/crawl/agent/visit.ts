/**
 * One host's turn: steps 6 to 10 of a URL's life, in order.
 *
 *   robots ─► fetch ─► parse ─► store, count and discover in one step
 *
 * Before each of them a filter may say no.
 *
 * A turn owns its host and its address. Where delays are set it makes one request and gives the turn back; where they
 * are zero it goes on for a slice of time, so that a kept connection is used while it is warm.
 */
import { digest } from '../../archive/warc/digest.ts';
import type { StoredAs } from '../../archive/write/exchange-records.ts';
import type { Clock } from '../../base/clock.ts';
import { onceAsked } from '../../base/once-asked.ts';
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { SimilarPage } from '../../duplicates/similar-pages.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { type Exchange, FetchError, type HttpClient } from '../../fetch/exchange.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import type { TypeFilter } from '../../filter/content-type.ts';
import type { StageFilters } from '../../filter/filter-set.ts';
import type { DomainStanding } from '../../filter/subject.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import type { Discovery } from '../../frontier/queue/discovery.ts';
import { isHtml } from '../../parse/is-html.ts';
import { type ParsedPage, type ParseOptions, parsePage } from '../../parse/page.ts';
import type { Politeness } from '../../politeness/politeness.ts';
import {
  pauseAfter,
  type RetryCause,
  retryRule,
  statusFault,
} from '../../politeness/retry-table.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import { UNREACHABLE } from '../../robots/parse-robots.ts';
import type { RecentCache } from '../../sieve/recent-cache.ts';
import { pathOf } from '../../url/parts.ts';
import type { Counters } from '../record/counters.ts';
import type { HostWaits } from '../record/host-waits.ts';
import type { EventLog } from '../record/log.ts';
import type { CrawlFailure, Link, Page } from '../store/page.ts';
import type { Store } from '../store/store.ts';
import type { Admission } from './admission.ts';
import type { Likeness } from './likeness.ts';
import type { Outage } from './outage.ts';
import type { RobotsKeeper } from './robots-keeper.ts';
import type { Scope } from './scope.ts';
import { secondThoughts } from './second-look.ts';
import { discoverListed, discoverNamed, mayBeSitemap, sitemapIn } from './sitemaps.ts';
import { VisitSubject } from './visit-subject.ts';

/** How long a turn without delays may keep its host: long enough to use a connection, short enough to be fair. */
const TURN_SLICE: Millis = 2000;
/** Failures in a row after which a host that seems not to be there is given up. */
const HOST_FAILURES = 3;
/** How soon a host looks again whether the last pages of its domain have been fetched. */
const DOMAIN_WAIT: Millis = 1000;
/** How soon a host of which only URLs to be tried again later are left is looked at for others. */
const LOOK_AGAIN: Millis = 1000;

/** What a turn works with; the agent puts it together. */
export interface VisitTools {
  readonly config: CrawlConfig;
  readonly clock: Clock;
  readonly client: HttpClient;
  readonly robots: RobotsKeeper;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly payloads: RecentCache;
  readonly pages: Store;
  /** Which content types are kept and read. */
  readonly wantsType: TypeFilter;
  readonly politeness: Politeness;
  readonly outage: Outage;
  /** Told what was fetched and who links to whom, where that matters. */
  readonly reputation: (Pick<Reputation, 'fetched' | 'page'> & DomainStanding) | undefined;
  /** Which pages are like others, where anybody asks. */
  readonly likeness: Likeness | undefined;
  readonly filters: StageFilters;
  /** Domains from which the operator wants nothing. */
  readonly blocked: ReadonlySet<string>;
  /** Where what waits was scheduled by another scope: this one decides. */
  readonly newScope: Scope | undefined;
  readonly waits: HostWaits;
  /** A seed has moved: the scope follows. */
  readonly onSeedRedirect: (from: string, to: string) => void;
  readonly counters: Counters;
  readonly log: EventLog;
  /** For what may happen on every page. */
  readonly sparing: EventLog;
  readonly parseOptions: ParseOptions;
  readonly onPage: ((page: Page) => void | Promise<void>) | undefined;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
}

/** How a turn asks the agent for leave, and tells it what happened. */
export interface VisitLimits {
  /** The crawl is coming to its end: nothing new is begun, and failures are no longer the servers'. */
  stopping(): boolean;
  /** Claims one page of the crawl's limit; false when there is none left or the crawl is being stopped. */
  claimPage(): boolean;
  /** Says what became of a claim: a page of so many bytes, or nothing that counts. */
  settleClaim(gotPage: boolean, bytes?: number): void;
  /** Links were found that other hosts may be waiting for. */
  foundLinks(): void;
}

type Tools = VisitTools & VisitLimits;

/** What a turn owes its host afterwards. */
interface Asked {
  /** A request was made, so the delays count from now. */
  requested: boolean;
  /** More than the usual delay, after a failure. */
  penalty: Millis;
  /** What for, if that is worth telling. */
  cause?: RetryCause | undefined;
  /** Only URLs are left that are tried again after this time; others may come meanwhile. */
  retriesAfter?: Millis;
}

export async function visit(turn: HostTurn, tools: Tools): Promise<void> {
  const { frontier, clock, politeness, admission } = tools;
  const asked: Asked = { requested: false, penalty: 0 };
  tools.waits.over(turn.host);
  try {
    const until = clock.now() + TURN_SLICE;
    while (await takeOne(turn, tools, asked)) {
      await admission.room();
      if (asked.requested && (asked.penalty > 0 || politeness.wantsPause(turn))) break;
      if (turn.moved || clock.now() >= until) break;
    }
  } finally {
    const now = clock.now();
    const { retriesAfter } = asked;
    if (retriesAfter !== undefined) asked.penalty = Math.min(retriesAfter, LOOK_AGAIN);
    const wait = Math.max(asked.requested ? politeness.hostDelay(turn.host) : 0, asked.penalty);
    const addressWait = asked.requested ? politeness.delayAt(turn) : 0;
    frontier.release(turn, now + wait, now + addressWait);
    if (retriesAfter !== undefined) tools.waits.only(turn.host, 'status-5xx', retriesAfter);
    else if (asked.penalty > 0 && asked.cause)
      tools.waits.begin(turn.host, asked.cause, asked.penalty);
  }
}

/** Deals with the host's next URL; false when there is none or none may be fetched. */
async function takeOne(turn: HostTurn, tools: Tools, asked: Asked): Promise<boolean> {
  const { frontier, robots, counters } = tools;
  if (frontier.atLimit(turn)) return false;
  if (frontier.mustWait(turn)) {
    asked.penalty = DOMAIN_WAIT;
    return false;
  }
  const discovery = frontier.take(turn);
  if (!discovery) {
    if (turn.host.queue.length > 0) asked.retriesAfter = turn.host.retryAt - tools.clock.now();
    return false;
  }
  const unwanted = secondThoughts(turn, discovery, tools);
  if (unwanted !== undefined) {
    counters.countRefused(unwanted);
    return true;
  }
  const rules = robots.lookUp(turn.host, discovery.url);
  if (!rules) {
    frontier.putBack(turn, discovery);
    if (tools.stopping()) return false;
    const { requested, penalty, cause } = await robots.ask(
      turn,
      discovery.url,
      tools.stopping,
      (sitemaps) => {
        if (tools.config.sitemaps) discoverNamed(sitemaps, discovery, tools);
      },
    );
    asked.requested ||= requested;
    putOff(asked, cause, penalty);
    return penalty === 0;
  }
  if (rules === UNREACHABLE) {
    await lost(
      turn.host,
      discovery.url,
      'robots-unreachable',
      'Its robots.txt cannot be had.',
      tools,
    );
    return true;
  }
  if (!rules.verdict(pathOf(discovery.url)).allowed) {
    counters.disallowed++;
    return true;
  }
  const instead = tools.likeness?.instead(discovery);
  if (instead !== undefined) {
    counters.countRefused('trap');
    tools.admission.discover([instead], discovery.depth);
    tools.foundLinks();
    return true;
  }
  if (!tools.claimPage()) {
    frontier.putBack(turn, discovery);
    return false;
  }
  asked.requested = true;
  await fetchPage(turn, discovery, tools, asked);
  return true;
}

function putOff(asked: Asked, cause: RetryCause | undefined, wait: Millis): void {
  asked.penalty = wait;
  asked.cause = cause;
}

async function fetchPage(
  turn: HostTurn,
  discovery: Discovery,
  tools: Tools,
  asked: Asked,
): Promise<void> {
  const { frontier } = tools;
  let exchange: Exchange;
  try {
    const isLast = turn.host.queue.length === 0;
    exchange = await tools.client.fetch({ url: discovery.url, address: turn.address, isLast });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    tools.settleClaim(false);
    putOff(asked, error.fault, await failed(turn, discovery, error, tools));
    return;
  }
  tools.outage.answered(turn.address.ip);
  turn.host.failures = 0;
  tools.politeness.took(turn.host, exchange.elapsed);
  countInRow(turn.host, discovery, exchange.status);
  const pause = pauseAfter(exchange, tools.clock.now(), turn.host.errorsInRow);
  putOff(asked, statusFault(exchange.status), pause);
  const again = postpone(turn, discovery, exchange, tools);
  tools.settleClaim(!again, exchange.bytesReceived);
  try {
    if (!again) await takeIn(exchange, turn, discovery, tools);
  } catch (error) {
    // The crawl cannot go on, but the page was not taken in: whoever goes on with it later fetches it again.
    frontier.putBack(turn, discovery);
    throw error;
  }
  // Whoever was shown the page may have kept it.
  if (!tools.onPage) exchange.release?.();
}

/** A page that fails for the second time says nothing new about its host. */
function countInRow(host: Host, { attempts }: Discovery, status: number): void {
  if (statusFault(status) === undefined) host.errorsInRow = 0;
  else if (!attempts) host.errorsInRow++;
}

/** Tries the URL again later or gives it up, as the retry table says; returns how long the host is left alone. */
async function failed(
  turn: HostTurn,
  discovery: Discovery,
  { fault, message }: FetchError,
  tools: Tools,
): Promise<Millis> {
  const { frontier, counters, log } = tools;
  const { host } = turn;
  // A request that our own stop has cut off says nothing about the server.
  if (tools.stopping()) {
    frontier.putBack(turn, discovery);
    return 0;
  }
  const rule = retryRule(fault);
  const attempts = (discovery.attempts ?? 0) + 1;
  const excused = tools.outage.excuses(fault, turn.address.ip);
  if (attempts <= rule.retries || excused) {
    frontier.putBack(turn, { ...discovery, attempts: Math.min(attempts, rule.retries) });
    counters.countRetry(fault);
    return frontier.tryOtherAddress(turn) ? 0 : rule.wait;
  }
  await lost(host, discovery.url, fault, message, tools);
  host.failures++;
  if (rule.givesUpHost && host.failures >= HOST_FAILURES) {
    const urls = frontier.giveUp(host, fault);
    log.event('host-given-up', { host: host.name, fault, why: message, urls });
    await tools.onError?.({ host: host.name, fault, message, urls });
  }
  return rule.wait;
}

/** A URL is given up. Whoever wants to know is told first: a checkpoint before that has it among those that wait. */
async function lost(
  host: Host,
  url: string,
  fault: string,
  message: string,
  tools: Tools,
): Promise<void> {
  await tools.onError?.({ url, host: host.name, fault, message, urls: 1 });
  tools.counters.countError(fault);
  tools.sparing.event('url-given-up', { url, fault, why: message });
}

/** "Not now" is no page yet, while the retry table has tries left: then it is tried again. */
function postpone(
  turn: HostTurn,
  discovery: Discovery,
  { status }: Exchange,
  tools: Tools,
): boolean {
  const fault = statusFault(status);
  const attempts = (discovery.attempts ?? 0) + 1;
  if (fault === undefined || attempts > retryRule(fault).retries) return false;
  const { pageOnly, wait } = retryRule(fault);
  const again = { ...discovery, attempts };
  if (pageOnly) tools.frontier.postpone(turn, again, tools.clock.now() + wait);
  else tools.frontier.putBack(turn, again);
  tools.counters.countRetry(fault);
  return true;
}

/**
 * A response: read and shown to whoever wants to see it; then stored, counted and its links discovered, all in one step, so that
 * a checkpoint has either everything that came of the page or nothing.
 */
async function takeIn(
  exchange: Exchange,
  turn: HostTurn,
  discovery: Discovery,
  tools: Tools,
): Promise<void> {
  const { frontier, counters, pages } = tools;
  const isTaken = () => {
    frontier.countPage(turn);
    tools.reputation?.fetched(turn.host.domain.hash);
    counters.pages++;
    counters.bytes += exchange.bytesReceived;
    counters.countStatus(exchange.status);
    const fault = statusFault(exchange.status);
    if (fault) counters.countError(fault);
    counters.countType(exchange.headers.get('content-type'));
  };
  const isWanted = wants(exchange, tools);
  const looks = tools.config.sitemaps && mayBeSitemap(exchange);
  if (!isWanted && !looks) {
    isTaken();
    counters.countRefused('content-type');
    return;
  }
  const sha1 = onceAsked(() => digest('sha1', exchange.payload));
  const isDuplicate = onceAsked(
    () => exchange.payload.length > 0 && isRepeat(sha1(), tools.payloads),
  );
  const { keep, near, discover } = await read(
    exchange,
    turn,
    discovery,
    { isDuplicate, isWanted, looks },
    tools,
  );
  const accepted = (as: StoredAs) => {
    isTaken();
    if (as !== 'response') counters.revisits++;
    if (isDuplicate()) counters.duplicates++;
    if (!isWanted) counters.countRefused('content-type');
    discover();
  };
  if (keep) await pages.store(exchange, accepted, { hopsFromSeed: discovery.depth, near, sha1 });
  else accepted('response');
  tools.foundLinks();
}

/** What is known of a response before it is read. */
interface Known {
  readonly isDuplicate: () => boolean;
  /** By its type; otherwise only its links count, if it is a sitemap. */
  readonly isWanted: boolean;
  /** It may be a sitemap. */
  readonly looks: boolean;
}

/** What becomes of a response. */
interface Reading {
  /** It is stored. */
  readonly keep: boolean;
  /** An earlier page that it is like. */
  readonly near: SimilarPage | undefined;
  /** Follows the links that it has, and remembers what it is like. */
  readonly discover: () => void;
}

/** Reads a response and shows it, as far as filters let it. */
async function read(
  exchange: Exchange,
  turn: HostTurn,
  discovery: Discovery,
  { isDuplicate, isWanted, looks }: Known,
  tools: Tools,
): Promise<Reading> {
  const { onPage, parseOptions, filters, likeness } = tools;
  const subject =
    filters.parse || filters.follow || filters.store
      ? new VisitSubject(turn, discovery, tools.reputation)
      : undefined;
  subject?.answered(exchange, isDuplicate);
  const target = redirectTarget(exchange, parseOptions.drop && { drop: parseOptions.drop });
  const isPage =
    target === undefined && isHtml(exchange.headers.get('content-type'), exchange.payload);
  const reads = isPage && mayPass('parse', subject, tools);
  const body = reads || onPage ? (await decodeContent(exchange)).body : exchange.payload;
  const page = reads ? parse(body, exchange, parseOptions) : undefined;
  const { url, status, headers } = exchange;
  const sitemap =
    looks && !isPage && mayPass('parse', subject, tools)
      ? await sitemapIn(exchange, parseOptions.drop)
      : undefined;
  const links = page?.links ?? sitemap?.links ?? redirectLinks(target);
  subject?.read(page, links.length);
  const judgement = page && status === 200 ? likeness?.judge(url, body) : undefined;
  const follows =
    links.length > 0 && judgement?.follows !== false && mayPass('follow', subject, tools);
  const keep = isWanted && judgement?.refusal === undefined && mayPass('store', subject, tools);
  if (target !== undefined && discovery.redirects >= tools.config.maxRedirects) {
    const host = turn.host.name;
    await tools.onError?.({
      url,
      host,
      fault: 'too-many-redirects',
      message: `It leads to ${target}.`,
      urls: 1,
    });
  }
  if (keep) await onPage?.({ url, status, headers, body, links, depth: discovery.depth });
  return {
    keep,
    near: tools.config.nearDuplicates === 'off' ? undefined : judgement?.near,
    discover: () => {
      const question = judgement ? likeness?.taken(url, judgement) : void likeness?.missed(url);
      if (question !== undefined) askNext(question, turn, discovery.depth + 1, tools);
      if (!follows) return;
      if (target !== undefined) followRedirect(target, turn.host, discovery, tools);
      else if (page) followLinks(page, turn.host, discovery, tools);
      else if (sitemap) discoverListed(sitemap, discovery, tools);
    },
  };
}

/**
 * Asks a host at its next turn for a page that we made up, if nobody wants such pages kept out: what waits of the host cannot be told from
 * what is not there until it is answered. Nobody has linked to it, so it passes no sieve.
 */
function askNext(
  url: string,
  turn: HostTurn,
  depth: number,
  { frontier, admission, counters }: Tools,
): void {
  if (!admission.admits(url, depth)) return;
  frontier.putBack(turn, { url, depth, redirects: 0 });
  counters.countAlike('soft-404-question');
}

/** Whether the filter of a stage lets a response through. */
function mayPass(
  stage: 'parse' | 'follow' | 'store',
  subject: VisitSubject | undefined,
  { filters, counters }: Tools,
): boolean {
  const accepts = filters[stage];
  if (!accepts || !subject || accepts(subject)) return true;
  counters.countRefused(`${stage}-filter`);
  return false;
}

function redirectLinks(target: string | undefined): Link[] {
  return target === undefined ? [] : [{ url: target, kind: 'redirect', nofollow: false }];
}

function isRepeat(digest: string, payloads: RecentCache): boolean {
  return payloads.admit(BigUint64Array.of(xxh64(digest)), 1, new Uint8Array(1)) === 0;
}

function followRedirect(
  url: string,
  host: Host,
  { url: from, depth, redirects }: Discovery,
  { config, counters, admission, reputation, onSeedRedirect }: Tools,
): void {
  counters.urlsSeen++;
  reputation?.page(host.domain.hash, from, [url]);
  if (depth === 0) onSeedRedirect(from, url);
  if (redirects < config.maxRedirects) admission.discover([url], depth, redirects + 1);
  else counters.countError('too-many-redirects');
}

/** Redirects and errors are kept whatever their type: they tell why a page is not there. */
function wants({ status, headers }: Exchange, { wantsType }: Tools): boolean {
  return status < 200 || status > 299 || wantsType(headers.get('content-type'));
}

function parse(body: Uint8Array, { url, headers }: Exchange, options: ParseOptions): ParsedPage {
  const contentType = headers.get('content-type');
  return parsePage(body, { url, contentType, robotsHeaders: headers.all('x-robots-tag') }, options);
}

/** Discovers the links of a page, unless it or they ask not to be followed. */
function followLinks(
  { links, robots }: ParsedPage,
  host: Host,
  { url, depth }: Discovery,
  { counters, admission, reputation, likeness }: Tools,
): void {
  counters.urlsSeen += links.length;
  if (robots.nofollow) return;
  const named = links.filter((link) => !link.nofollow).map((link) => link.url);
  const followed = likeness?.rewritten(named) ?? named;
  reputation?.page(host.domain.hash, url, followed);
  admission.discover(followed, depth + 1);
}
