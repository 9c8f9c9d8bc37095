/**
 * Sitemaps in a crawl (`--sitemaps`): robots.txt names them, a turn of their host fetches them like
 * any other URL, and the URLs that they list are discovered.
 *
 * Idea      Nothing has to be remembered about a sitemap: its root element says what it is. A
 *           sitemap in an index counts as a redirect of the index, so that the limit for redirects
 *           is the limit for indexes within indexes.
 * Ensures   a site speaks for itself only: a sitemap adds only URLs of its own domain. A sitemap of
 *           the domain that names it need not be in scope, like its robots.txt; all others must.
 */

import type { Bytes } from '../../base/units.ts';
import type { BodyHold } from '../../fetch/body-budget.ts';
import { DEFAULT_DECODE_LIMITS, decodeHeld, gunzipHeld } from '../../fetch/decode.ts';
import type { Exchange, HeaderView } from '../../fetch/exchange.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import { readFeed } from '../../parse/feed.ts';
import { type ParseOptions, parsePage } from '../../parse/page.ts';
import { NO_DIRECTIVES } from '../../parse/robots-directives.ts';
import { readSitemap } from '../../parse/sitemap.ts';
import { canonicalise } from '../../url/canonical.ts';
import { payLevelDomain } from '../../url/domain.ts';
import type { ParameterList } from '../../url/parameters.ts';
import { hostOf } from '../../url/parts.ts';
import type { Counters } from '../record/counters.ts';
import type { SkipSink } from '../skipped/skip-log.ts';
import type { Link } from '../store/page.ts';
import type { Listing } from './commit.ts';
import type { Admission } from './link-admission.ts';

/** Sitemaps that one robots.txt may name. */
const MOST_NAMED = 100;
/** URLs of one sitemap: the limit of the protocol. */
const MOST_PAGES = 50_000;
/** Bytes of one sitemap, decompressed: the limit of the protocol. */
const LARGEST: Bytes = 50 * 2 ** 20;
/** Sitemaps of one index. */
const MOST_IN_INDEX = 1000;

const XML = /\bxml\b/i;
const GZIP = /\bgzip\b/i;

export interface ReadSitemap {
  readonly kind: 'pages' | 'sitemaps';
  readonly links: readonly Link[];
  /** URLs beyond the limit, left out. */
  readonly cut: number;
  /** The rest of the file, beyond the limit of bytes, was not read. */
  readonly isCutDecoding: boolean;
}

/** Whether a response may be a sitemap, by its type or by its URL. */
export function mayBeSitemap({
  url,
  status,
  headers,
}: Pick<Exchange, 'url' | 'status' | 'headers'>): boolean {
  if (status < 200 || status > 299) return false;
  const type = headers.get('content-type') ?? '';
  return XML.test(type) || GZIP.test(type) || /\.xml(?:\.gz)?$/i.test(url);
}

/** The links that a response lists, if it is a sitemap. */
export async function sitemapIn(
  exchange: Exchange,
  hold: BodyHold,
  drop: ParameterList | undefined,
): Promise<ReadSitemap | undefined> {
  const limits = { ...DEFAULT_DECODE_LIMITS, maxBytes: LARGEST };
  let { body, truncated } = await decodeHeld(exchange, hold, limits);
  if (body[0] === 0x1f && body[1] === 0x8b)
    ({ body, truncated } = await gunzipHeld(body, hold, limits));
  const sitemap = readSitemap(body, MOST_PAGES);
  if (!sitemap) return undefined;
  const most = sitemap.kind === 'pages' ? MOST_PAGES : MOST_IN_INDEX;
  const options = { base: exchange.url, ...(drop && { drop }) };
  const links: Link[] = [];
  let { cut } = sitemap;
  for (const { location, changed } of sitemap.entries) {
    const url = canonicalise(location, options);
    if (url === undefined) continue;
    if (links.length >= most) cut++;
    else
      links.push({
        url,
        kind: 'sitemap',
        nofollow: false,
        ...(changed !== undefined && { changed }),
      });
  }
  return { kind: sitemap.kind, links, cut, isCutDecoding: truncated === 'limit' };
}

const FEED = /\b(?:rss|atom|xml)\b/i;
const DRAWING = /^\s*image\/svg\+xml\b/i;
/** No links, from a document that asks nothing. */
export const EMPTY: Listing = { links: [], robots: NO_DIRECTIVES, cut: 0 };

/** Whether a response may be a feed or a drawing, by its type. */
export function mayList({ status }: Pick<Exchange, 'status'>, type: string | undefined): boolean {
  return status >= 200 && status <= 299 && type !== undefined && FEED.test(type);
}

/** Whether the head of a response may name links. */
export const hasLinks = (headers: HeaderView): boolean =>
  headers.get('link') !== undefined || headers.get('refresh') !== undefined;

/** The links of a feed or a drawing; undefined for other documents. */
export function listedIn(
  body: Uint8Array,
  { url, headers }: Pick<Exchange, 'url' | 'headers'>,
  options: ParseOptions,
  most: number,
): Listing | undefined {
  const contentType = headers.get('content-type');
  const robotsHeaders = headers.all('x-robots-tag');
  const { robots, links, cut } = parsePage(
    DRAWING.test(contentType ?? '') ? body : NOTHING,
    { url, contentType, robotsHeaders },
    options,
  );
  if (DRAWING.test(contentType ?? '')) return { robots, links, cut };
  const feed = readFeed(body, contentType, most);
  if (!feed) return undefined;
  const base = (feed.base && canonicalise(feed.base, { base: url })) || url;
  const { drop } = options;
  const found = feed.references.flatMap(
    (text) => canonicalise(text, { base, ...(drop && { drop }) }) ?? [],
  );
  const listed = [...new Set(found)].map((one) => ({
    ...{ url: one, kind: 'feed' as const, nofollow: false },
  }));
  return { robots, links: listed, cut: feed.cut };
}

const NOTHING = new Uint8Array(0);

/** Discovers the sitemaps that the robots.txt of a URL's host names. */
export function discoverNamed(
  sitemaps: readonly string[],
  { url: from, depth }: Discovery,
  { admission, counters }: Pick<ListedParts, 'admission' | 'counters'>,
): void {
  counters.countSkipped('too-many-links', Math.max(0, sitemaps.length - MOST_NAMED));
  const base = from;
  const named = sitemaps.slice(0, MOST_NAMED).flatMap((text) => canonicalise(text, { base }) ?? []);
  const own = named.filter((url) => domainOf(url) === domainOf(from));
  admission.discover(own, depth, from, 0, true);
  admission.discover(
    named.filter((url) => !own.includes(url)),
    depth,
    from,
  );
}

interface ListedParts {
  readonly admission: Pick<Admission, 'discover'>;
  readonly counters: Pick<Counters, 'urlsSeen' | 'countSkipped'>;
  readonly skips: Pick<SkipSink, 'skipped' | 'links'>;
  /** Also the limit for indexes within indexes. */
  readonly maxRedirects: number;
}

/** Discovers the URLs that a sitemap lists. */
export function discoverListed(
  { kind, links, cut }: ReadSitemap,
  { url: from, depth, redirects }: Discovery,
  { admission, counters, maxRedirects, skips }: ListedParts,
  trail?: string,
): void {
  counters.urlsSeen += links.length;
  counters.countSkipped('too-many-links', cut);
  if (cut > 0) skips.skipped(from, 'too-many-links');
  const domain = domainOf(from);
  const isOwn = sameDomain(domain);
  const urls = links.map(({ url }) => url);
  const own = urls.filter(isOwn);
  if (own.length < urls.length) {
    counters.countSkipped('sitemap-foreign', urls.length - own.length);
    const foreign = urls.filter((url) => !isOwn(url));
    skips.links(foreign, 'sitemap-foreign');
  }
  if (kind === 'pages') admission.discover(own, depth + 1, from, 0, false, trail);
  else if (redirects < maxRedirects)
    admission.discover(own, depth, from, redirects + 1, true, trail);
  else {
    counters.countSkipped('sitemap-depth', own.length);
    skips.links(own, 'sitemap-depth');
  }
}

const domainOf = (url: string): string => payLevelDomain(hostOf(url));

/** Remembers the domain of each host: most URLs of a sitemap have one host. */
function sameDomain(domain: string): (url: string) => boolean {
  const known = new Map<string, boolean>();
  return (url) => {
    const host = hostOf(url);
    let same = known.get(host);
    if (same === undefined) {
      same = payLevelDomain(host) === domain;
      known.set(host, same);
    }
    return same;
  };
}
