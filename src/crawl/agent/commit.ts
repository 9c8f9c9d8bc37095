/**
 * The commit of a page: the step after which it counts. Steps 10 and 1 of a URL's life.
 *
 *   store accepts the page ─► counted ─► links discovered        one step, nothing is awaited
 *
 * Ensures   a checkpoint has either all of a page (in the store, in the counters, its links) or
 *           nothing of it; then its URL is still queued, and a resumed crawl fetches it again.
 */
import type { StoredAs } from '../../archive/write/exchange-records.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { Fingerprint } from '../../duplicates/fingerprint.ts';
import type { SimilarPage } from '../../duplicates/similar-pages.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import type { ParsedPage } from '../../parse/page.ts';
import { statusFault } from '../../politeness/retries-and-pauses.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import type { PackedUrls } from '../../url/packed-urls.ts';
import type { Counters } from '../record/counters.ts';
import { hopsOf } from '../record/crawl-log.ts';
import { endsAgent, type InternalErrors } from '../record/internal-errors.ts';
import type { EventLog } from '../record/log.ts';
import type { Rendered } from '../render/render-desk.ts';
import type { SkipSink } from '../skipped/skip-log.ts';
import type { Link } from '../store/page.ts';
import type { Store } from '../store/store.ts';
import type { Judgement, Likeness } from './likeness.ts';
import type { Admission } from './link-admission.ts';
import type { PageLines } from './page-lines.ts';
import type { Requested } from './requests.ts';
import { discoverListed, type ReadSitemap } from './sitemaps.ts';
import type { MeasuredPage, SpamWatch } from './spam-watch.ts';

/** A response, the URL it is about, and the turn in which it was fetched. */
export interface Fetched {
  readonly exchange: Exchange;
  readonly discovery: Discovery;
  readonly turn: HostTurn;
  /** How it was requested, if that was not a plain GET. */
  readonly asked?: Requested | undefined;
}

/** What a page, or a style of one, needs to look right. */
export interface Requisites {
  readonly urls: readonly string[];
  /** There are more, beyond the limit. */
  readonly isCut: boolean;
}

/** What a response holds: a redirect, a page, a sitemap, or something without links. */
interface Contents {
  readonly requisites: Requisites;
  /** Where it redirects to. */
  readonly target: string | undefined;
  readonly page: ParsedPage | undefined;
  /** Links to follow: of the page and its head, of a feed, of a drawing. */
  readonly listing: Listing | undefined;
  readonly sitemap: ReadSitemap | undefined;
}

/** Links, and what their document asks of crawlers. */
export interface Listing extends Pick<ParsedPage, 'robots' | 'cut'> {
  /** Made when they are asked for, if they are packed. */
  readonly links: readonly Link[];
  readonly packed?: ParsedPage['packed'];
}

/** The number of links of a listing. */
export const linksOf = (listing: Listing): number =>
  listing.packed ? listing.packed.urls.length : listing.links.length;

/** What the intake has decided about a response. */
export interface Reading {
  readonly contents: Contents;
  /** Why the page is not stored; undefined if it is. */
  readonly notKept: string | undefined;
  /** Why its links are not followed; undefined if they are, or if there are none. */
  readonly notFollowed: string | undefined;
  /** The body is too large when decoded: what is beyond the limit was not read. */
  readonly isCutDecoding: boolean;
  /** It is a page, and the parse filter kept its links from being read. */
  readonly isUnread: boolean;
  /** Its type is wanted; otherwise it was read only because it may be a sitemap. */
  readonly isWanted: boolean;
  /** The same payload came before, lately. */
  readonly isDuplicate: () => boolean;
  readonly sha1: () => string;
  /** Only for pages of status 200, and where pages are compared. */
  readonly judgement: Judgement | undefined;
  /** What verdicts on its domain are made of; only of pages that are measured. */
  readonly measured: MeasuredPage | undefined;
  /** An earlier page that it is like, as the archive notes it. */
  readonly near: SimilarPage | undefined;
  /** Its links come before others. */
  readonly isUrgent: boolean;
  /** The fields extracted from it, as a line of JSON. */
  readonly row: string | undefined;
  /** Its main text, if that is stored. */
  readonly text: (() => string) | undefined;
  /** It was rendered: what it became. */
  readonly rendered: Rendered | undefined;
  /** Its text in short; only in a planned crawl, and for pages of status 200. */
  readonly fingerprint: Fingerprint | undefined;
}

/** What a page is counted with. */
interface CountParts {
  readonly frontier: Pick<Frontier, 'countPage' | 'endRequisite'>;
  /** Only in the order of budgets. */
  readonly reputation: Pick<Reputation, 'fetched'> | undefined;
  /** Only with verdicts on spam. */
  readonly spam: Pick<SpamWatch, 'committed'> | undefined;
  readonly counters: Counters;
  readonly log: EventLog;
  readonly skips: Pick<SkipSink, 'skipped'>;
}

/** What the links of a page are discovered with. */
interface FollowParts {
  readonly admission: Pick<Admission, 'discover' | 'discoverRequisites' | 'admits'>;
  readonly frontier: Pick<Frontier, 'putBack'>;
  /** Learns which domain links to which; only in the order of budgets. */
  readonly reputation: Pick<Reputation, 'page'> | undefined;
  /** Only where pages are compared. */
  readonly likeness: Pick<Likeness, 'committed' | 'missed' | 'rewrites' | 'rewritten'> | undefined;
  readonly counters: Counters;
  readonly internal: InternalErrors;
  readonly maxRedirects: number;
  readonly nofollow: CrawlConfig['nofollow'];
  readonly skips: SkipSink;
  readonly log: EventLog;
  /** How URLs were reached is kept, for the crawl log. */
  readonly trails: boolean;
  /** Called when a seed, or what it redirected to, redirects. */
  readonly onSeedRedirect: (from: string, to: string) => void;
}

export type CommitParts = CountParts &
  FollowParts & {
    readonly store: Pick<Store, 'store'>;
    /** Lines that are written with a page: rows of extracted fields, and the crawl log. */
    readonly lines: Pick<PageLines, 'committed'> | undefined;
    /** Called with every page in the step in which it is committed; only in a planned crawl. */
    readonly onCommitted: ((fetched: Fetched, reading: Reading | undefined) => void) | undefined;
  };

/**
 * Stores, counts and follows a page in one step. `reading` is undefined for a response of an
 * unwanted type, which is only counted. The promise, if there is one, waits for the store.
 */
export function commit(
  fetched: Fetched,
  reading: Reading | undefined,
  parts: CommitParts,
): Promise<void> | undefined {
  const { exchange, discovery } = fetched;
  const accepted = (as: StoredAs) => {
    count(fetched, parts);
    parts.lines?.committed(fetched, reading);
    if (!discovery.isRequisite)
      parts.spam?.committed(fetched.turn.host.domain, exchange.url, reading?.measured);
    countCut(fetched, reading, parts);
    listPage(exchange.url, reading, as, parts.skips);
    if (!reading?.isWanted) parts.counters.countSkipped('content-type');
    parts.onCommitted?.(fetched, reading);
    if (!reading) return;
    if (as !== 'response') parts.counters.revisits++;
    if (!discovery.isRequisite && reading.isDuplicate()) parts.counters.duplicates++;
    discoverSafely(fetched, reading, parts);
  };
  if (!reading || reading.notKept !== undefined) {
    accepted('response');
    return undefined;
  }
  const { near, sha1, text } = reading;
  const rendered = reading.rendered !== undefined;
  const confirms = fetched.asked?.isConditional ? fetched.asked.earlier?.original : undefined;
  const notes = { hopsFromSeed: discovery.depth, near, sha1, text, rendered, confirms };
  return endsAgent(() => parts.store.store(exchange, accepted, notes));
}

function count(
  { exchange, discovery, turn }: Fetched,
  { frontier, reputation, counters }: CountParts,
): void {
  if (discovery.isRequisite) {
    frontier.endRequisite(turn);
    counters.countRequisite();
  } else {
    frontier.countPage(turn);
    reputation?.fetched(turn.host.domain.hash);
    counters.pages++;
  }
  counters.bytes += exchange.bytesReceived;
  counters.countStatus(exchange.status);
  const fault = statusFault(exchange.status);
  if (fault) counters.countError(fault);
  counters.countType(exchange.headers.get('content-type'));
}

/**
 * The page is committed: an error in its discoveries must neither reach the store nor fetch it
 * again.
 */
function discoverSafely(fetched: Fetched, reading: Reading, parts: FollowParts): void {
  try {
    discover(fetched, reading, parts);
  } catch (error) {
    parts.internal.note(error, { host: fetched.turn.host.name, url: fetched.exchange.url });
    parts.counters.countSkipped('links-lost');
    parts.skips.skipped(fetched.exchange.url, 'links-lost');
  }
}

function countCut(
  { exchange }: Fetched,
  reading: Reading | undefined,
  { counters, log, skips }: CountParts,
): void {
  const why = exchange.truncated ?? (reading?.isCutDecoding ? 'decoding' : undefined);
  // A response that was ended after its headers is counted as skipped.
  if (why === undefined || (why === 'unspecified' && !reading?.isWanted)) return;
  counters.countTruncated(why);
  log.event('page-truncated', { url: exchange.url, why, bytes: exchange.payload.length });
  // Nobody knows which links were behind the cut.
  if (reading?.contents.listing) skips.skipped(exchange.url, 'truncated');
}

/** Remembers what the page is like, and discovers its links. */
function discover(fetched: Fetched, reading: Reading, parts: FollowParts): void {
  const { likeness } = parts;
  const { discovery } = fetched;
  const { url } = fetched.exchange;
  const { target, listing, sitemap, requisites } = reading.contents;
  // First, so that an image that the page links to as well counts as its requisite.
  if (requisites.urls.length > 0) followRequisites(requisites, fetched, parts);
  if (discovery.isRequisite) {
    if (target !== undefined) followRequisite(target, fetched, parts);
    return;
  }
  if (reading.judgement) {
    const question = likeness?.committed(url, reading.judgement);
    if (question !== undefined) askNext(question, fetched, parts);
  } else likeness?.missed(url);
  if (reading.notFollowed !== undefined) {
    const urls = urlsOf(listing?.links ?? sitemap?.links ?? []);
    parts.skips.links(target === undefined ? urls : [target], reading.notFollowed);
    return;
  }
  if (target !== undefined) followRedirect(target, fetched, parts);
  else if (listing) followLinks(listing, fetched, parts, reading.isUrgent);
  else if (sitemap) discoverListed(sitemap, fetched.discovery, parts, trailTo('M', fetched, parts));
}

/** The letters of hops are Heritrix's: link, redirect, embedded, manifest (a sitemap). */
type Hop = 'L' | 'R' | 'E' | 'M';

/** How the URLs that a page leads to were reached; undefined unless it is logged. */
function trailTo(
  hop: Hop,
  { discovery: { url, trail = '' } }: Fetched,
  { trails }: Pick<FollowParts, 'trails'>,
): string | undefined {
  return trails ? `${hopsOf(trail)}${hop} ${url}` : undefined;
}

/**
 * Discovers what a page, or a style of one, needs. A style of a style counts as a redirect, so that
 * the limit for redirects is the limit for styles within styles.
 */
function followRequisites({ urls, isCut }: Requisites, fetched: Fetched, parts: FollowParts): void {
  const { counters, admission, maxRedirects, skips } = parts;
  const { url, depth, redirects, isRequisite } = fetched.discovery;
  const trail = trailTo('E', fetched, parts);
  if (isCut) {
    counters.countSkipped('too-many-requisites');
    skips.skipped(url, 'too-many-requisites');
  }
  if (!isRequisite) admission.discoverRequisites(urls, { url, depth: depth + 1 }, 0, trail);
  else if (redirects < maxRedirects)
    admission.discoverRequisites(urls, { url, depth }, redirects + 1, trail);
  else {
    counters.countSkipped('requisite-depth', urls.length);
    skips.links(urls, 'requisite-depth');
  }
}

/** A requisite redirects: its target is one in its place. */
function followRequisite(target: string, fetched: Fetched, parts: FollowParts): void {
  const { discovery } = fetched;
  const redirects = discovery.redirects + 1;
  const trail = trailTo('R', fetched, parts);
  if (redirects > parts.maxRedirects) giveUpRedirect(target, discovery.url, parts);
  else parts.admission.discoverRequisites([target], discovery, redirects, trail);
}

/**
 * Queues a URL that we made up as the host's next: how the host answers a page that is not there
 * shows which of its pages are not there. No page links to it, so it passes no sieve.
 */
function askNext(
  url: string,
  { turn, discovery }: Fetched,
  { frontier, admission, counters }: FollowParts,
): void {
  const depth = discovery.depth + 1;
  if (!admission.admits(url, depth)) return;
  frontier.putBack(turn, { url, depth, redirects: 0 });
  counters.countAlike('soft-404-question');
}

function followRedirect(target: string, fetched: Fetched, parts: FollowParts): void {
  const { counters, admission, reputation, maxRedirects, onSeedRedirect } = parts;
  const { turn, discovery } = fetched;
  const { url, depth, redirects } = discovery;
  counters.urlsSeen++;
  reputation?.page(turn.host.domain.hash, url, [target]);
  if (depth === 0) onSeedRedirect(url, target);
  const trail = trailTo('R', fetched, parts);
  if (redirects < maxRedirects)
    admission.discover([target], depth, url, redirects + 1, false, trail);
  else giveUpRedirect(target, url, parts);
}

function giveUpRedirect(target: string, last: string, parts: FollowParts): void {
  const { counters, skips, log } = parts;
  const fault = 'too-many-redirects';
  counters.countError(fault);
  skips.skipped(target, fault);
  log.event('url-given-up', { url: target, fault, why: `The last redirect is ${last}.` });
}

/** Discovers the links of a page, unless it or they ask not to be followed. */
function followLinks(
  listing: Listing,
  fetched: Fetched,
  parts: FollowParts,
  isUrgent: boolean,
): void {
  const { counters, admission, reputation, likeness, skips } = parts;
  const { turn, discovery } = fetched;
  const { url, depth } = discovery;
  const { cut } = listing;
  counters.urlsSeen += linksOf(listing);
  if (cut > 0) {
    counters.countSkipped('too-many-links', cut);
    skips.skipped(url, 'too-many-links');
  }
  const { vouched, followed } = asTheyAre(listing, likeness) ?? chosen(listing, parts);
  // A link that its author does not vouch for says nothing about the standing of its target.
  if (vouched.length > 0) reputation?.page(turn.host.domain.hash, url, vouched);
  if (followed.length === 0) return;
  const trail = trailTo('L', fetched, parts);
  admission.discover(followed, depth + 1, url, 0, false, trail, isUrgent);
}

/** Which links of a page count for the standing of their targets, and which are followed. */
interface Chosen {
  /** Those that their author vouches for, or only the origins that they lead to. */
  readonly vouched: readonly string[] | PackedUrls;
  readonly followed: readonly string[] | PackedUrls;
}

/** All links as they are, without an object for each: so it is on most pages. */
function asTheyAre(
  { robots, packed }: Listing,
  likeness: FollowParts['likeness'],
): Chosen | undefined {
  if (!packed || robots.nofollow || packed.hasNofollow || likeness?.rewrites) return undefined;
  return { vouched: packed.origins ?? packed.urls, followed: packed.urls };
}

/** Leaves out, or rewrites, what has to be. */
function chosen({ links, robots }: Listing, parts: FollowParts): Chosen {
  const { counters, likeness, nofollow, skips } = parts;
  const isMarked = (link: Link) => robots.nofollow || link.nofollow;
  const vouched = urlsOf(links.filter((link) => !isMarked(link)));
  const named = nofollow === 'follow' ? urlsOf(links) : vouched;
  if (named.length < links.length) {
    counters.countSkipped('nofollow', links.length - named.length);
    skips.links(urlsOf(links.filter(isMarked)), 'nofollow');
  }
  if (named.length === 0) return { vouched: [], followed: [] };
  const followed = likeness?.rewritten(named) ?? named;
  if (followed !== named) {
    const kept = new Set(followed);
    const replaced = named.filter((link) => !kept.has(link));
    skips.links(replaced, 'trap');
  }
  return { vouched: named === vouched ? followed : vouched, followed };
}

const urlsOf = (links: readonly Link[]): string[] => links.map((link) => link.url);

/** Lists a page as kept, or with the reason why it is not. */
function listPage(
  url: string,
  reading: Reading | undefined,
  as: StoredAs,
  skips: Pick<SkipSink, 'kept' | 'skipped'>,
): void {
  const notKept = reading ? reading.notKept : 'content-type';
  const reason = notKept ?? (as === 'skipped' ? 'duplicate' : undefined);
  if (reason === undefined) skips.kept(url);
  // No page links to a URL that we made up.
  else if (reason !== 'soft-404-question') skips.skipped(url, reason);
  if (reading?.isUnread) skips.skipped(url, 'parse-filter');
}
