/**
 * The intake of a page: what becomes of a response, from its bytes to its commit. Steps 9, 10 and 1
 * of a URL's life.
 *
 *   response ─► wanted type? ─► decode ─► parse ─► like another page? spam? ─► onPage ─► commit
 *
 * Filters may refuse each of parse, follow and store. Nothing is counted as a page, and no link is
 * discovered, before `commit`: if the intake fails, the URL can be put back.
 */
import type { EarlierPage } from '../../archive/payloads/earlier-pages.ts';
import { digest } from '../../archive/warc/digest.ts';
import { onceAsked } from '../../base/once-asked.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import { fingerprintAndWords, fingerprintOf } from '../../duplicates/fingerprint.ts';
import type { Extractor } from '../../extract/extractor.ts';
import type { BodyBudget, BodyHold } from '../../fetch/body-budget.ts';
import { decodeHeld, decodeLimitsFor } from '../../fetch/decode.ts';
import type { Exchange, HeaderView, WantsBody } from '../../fetch/exchange.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import type { TypeFilter } from '../../filter/content-type.ts';
import type { StageFilters } from '../../filter/filter-set.ts';
import type { DomainStanding } from '../../filter/subject.ts';
import { styleRequisites } from '../../parse/css.ts';
import { headerLinks, headerRequisites } from '../../parse/header-links.ts';
import { isHtml } from '../../parse/is-html.ts';
import { type ParsedPage, type ParseOptions, parsePage } from '../../parse/page.ts';
import { pageRequisites } from '../../parse/requisites.ts';
import type { RecentCache } from '../../sieve/recent-cache.ts';
import { METERED_TEXT } from '../../spam/features/content/page-meter.ts';
import { mainBlocks, textOf } from '../../text/main-text.ts';
import { readBlocks } from '../../text/read-blocks.ts';
import type { Counters } from '../record/counters.ts';
import { endsAgent } from '../record/internal-errors.ts';
import type { EventLog } from '../record/log.ts';
import type { RenderDesk, Rendered } from '../render/render-desk.ts';
import type { RequestHooks, ResponseDecision } from '../store/hooks.ts';
import type { CrawlFailure, Link, Page } from '../store/page.ts';
import {
  type CommitParts,
  commit,
  type Fetched,
  type Listing,
  linksOf,
  type Reading,
  type Requisites,
} from './commit.ts';
import type { Judgement, Likeness } from './likeness.ts';
import {
  EMPTY,
  hasLinks,
  listedIn,
  mayBeSitemap,
  mayList,
  type ReadSitemap,
  sitemapIn,
} from './sitemaps.ts';
import type { SpamWatch } from './spam-watch.ts';
import { VisitSubject } from './visit-subject.ts';

interface IntakeParts {
  readonly config: Pick<
    CrawlConfig,
    | 'sitemaps'
    | 'nearDuplicates'
    | 'maxBody'
    | 'maxLinks'
    | 'longBodies'
    | 'types'
    | 'text'
    | 'requisites'
  >;
  /** Whether sitemaps are read. */
  readonly sitemaps: boolean;
  /** Takes one page of the crawl's limit; false when none is left. */
  readonly takePage: () => boolean;
  /** Extracts fields; only where they are asked for. */
  readonly extractor: Pick<Extractor, 'rowOf'> | undefined;
  /** Asked about every response; only in a program that wants it. */
  readonly onResponse: RequestHooks['onResponse'];
  /** Which content types are stored and read. */
  readonly wantsType: TypeFilter;
  readonly parseOptions: ParseOptions;
  /** Replaced in place when the user changes them. */
  readonly filters: Pick<StageFilters, 'parse' | 'render' | 'follow' | 'store'>;
  /** The standing of domains, for filters; only in the order of budgets. */
  readonly standing: DomainStanding | undefined;
  /** Only where pages are compared. */
  readonly likeness: Pick<Likeness, 'judge'> | undefined;
  /** Only with verdicts on spam. */
  readonly spam: Pick<SpamWatch, 'wants' | 'measure' | 'spamOf'> | undefined;
  /** Digests of recent payloads. */
  readonly payloads: RecentCache;
  /** The memory for bodies: the response and what it decodes to count until it is committed. */
  readonly bodies: Pick<BodyBudget, 'hold'>;
  readonly counters: Pick<Counters, 'countSkipped'>;
  /** For what may happen on every page. */
  readonly log: EventLog;
  /** Renders pages; only where that is asked for. */
  readonly desk: Pick<RenderDesk, 'wants' | 'render' | 'keep'> | undefined;
  readonly onPage: ((page: Page) => void | Promise<void>) | undefined;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
  readonly commit: CommitParts;
  /** Reads the page that a server has confirmed, as an earlier collection holds it. */
  readonly earlierPage: (page: EarlierPage) => Promise<ConfirmedPage | undefined>;
  /** Links are not followed: the coordinator decides what is requested. */
  readonly planned: boolean;
  /** Called when links may have been discovered that fetchers wait for. */
  readonly onLinks: () => void;
}

/** A page of an earlier collection that the server has confirmed. */
export interface ConfirmedPage {
  readonly headers: HeaderView;
  /** Without content coding. */
  readonly body: Uint8Array;
}

/** What is known of a response before it is read. */
interface Known extends Pick<Reading, 'isWanted' | 'isDuplicate' | 'sha1'> {
  /** By its type or its URL. */
  readonly mayBeSitemap: boolean;
}

/** A response, decoded as far as it is read. */
interface Opened {
  /** Where it redirects to. */
  readonly target: string | undefined;
  readonly type: string | undefined;
  readonly body: Uint8Array;
  readonly page: ParsedPage | undefined;
  readonly listing: Listing | undefined;
  readonly sitemap: ReadSitemap | undefined;
  /** It is the style sheet of a page. */
  readonly isStyle: boolean;
  /** It is a page, and the parse filter kept its links from being read. */
  readonly isUnread: boolean;
  /** The body is too large when decoded: what is beyond the limit was not read. */
  readonly isCutDecoding: boolean;
  /** The page after its scripts have run: then `body` and `page` are of it. */
  readonly rendered: Rendered | undefined;
}

/** What may hold links. */
interface Listable {
  readonly exchange: Pick<Exchange, 'url'>;
  readonly headers: HeaderView;
  readonly page: ParsedPage | undefined;
  readonly body: Uint8Array | undefined;
}

export class Intake {
  readonly #parts: IntakeParts;
  readonly #decodeLimits: ReturnType<typeof decodeLimitsFor>;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#decodeLimits = decodeLimitsFor(parts.config.maxBody);
  }

  /**
   * Reads a response, shows it to `onPage`, and commits it. If it rejects, nothing was committed.
   */
  async process(given: Fetched): Promise<void> {
    const { sitemaps, wantsType, payloads, onLinks } = this.#parts;
    const fetched = this.#maybePage(given);
    const { exchange } = fetched;
    const isWanted = wants(exchange, wantsType);
    const looks = sitemaps && !fetched.discovery.isRequisite && mayBeSitemap(exchange);
    if (!isWanted && !looks) return commit(fetched, undefined, this.#parts.commit);
    const sha1 = onceAsked(() => digest('sha1', exchange.payload));
    const isDuplicate = onceAsked(() => exchange.payload.length > 0 && isRepeat(sha1(), payloads));
    const known = { isWanted, isDuplicate, sha1, mayBeSitemap: looks };
    const hold = this.#parts.bodies.hold(exchange);
    try {
      const reading = await this.#read(fetched, known, hold);
      await commit(fetched, reading, this.#parts.commit);
      const { rendered, notKept } = reading;
      if (rendered && notKept === undefined) await this.#parts.desk?.keep(exchange, rendered);
    } finally {
      hold.end();
    }
    onLinks();
  }

  /**
   * A requisite that is an HTML page in scope, and is not named like an image or a style, is a
   * page: the URL is known now, so a link to it would not fetch it again.
   */
  #maybePage(fetched: Fetched): Fetched {
    const { discovery, exchange } = fetched;
    const { url, status, headers, payload } = exchange;
    if (!discovery.isRequisite || status !== 200) return fetched;
    if (isAssetName(url) || !isHtml(headers.get('content-type'), payload)) return fetched;
    const { commit, takePage } = this.#parts;
    if (!commit.admission.admits(url, discovery.depth) || !takePage()) return fetched;
    return { ...fetched, discovery: { ...discovery, redirects: 0, isRequisite: undefined } };
  }

  /**
   * Which bodies of a URL are read: not those whose head shows that they would be dropped.
   * Undefined if all are.
   */
  bodyWish(url: string): WantsBody | undefined {
    const { config, sitemaps, wantsType, planned } = this.#parts;
    const skipsLong = config.longBodies === 'skip';
    if (planned || (config.types.length === 0 && !skipsLong)) return undefined;
    return (status, headers) => {
      const isLong = Number(headers.get('content-length')) > config.maxBody;
      if (skipsLong && isLong && isSuccess(status)) return false;
      return (
        wants({ status, headers }, wantsType) ||
        (sitemaps && mayBeSitemap({ url, status, headers }))
      );
    };
  }

  /** Frees the memory of a response, unless `onPage` may have kept the page. */
  release(exchange: Exchange): void {
    if (!this.#parts.onPage) exchange.release?.();
  }

  /** Decodes and parses a response and shows it to `onPage`, as far as filters let it. */
  async #read(fetched: Fetched, known: Known, hold: BodyHold): Promise<Reading> {
    const { config, commit: committing, onPage, planned } = this.#parts;
    const { exchange, discovery } = fetched;
    const { url, status } = exchange;
    const { isWanted, isDuplicate, sha1 } = known;
    const subject = this.#subjectOf(fetched, isDuplicate);
    const opened = await this.#openAndRender(fetched, known, hold, subject);
    const { target, body, page, listing, sitemap, isUnread, isCutDecoding, rendered } = opened;
    const { headers } = rendered ?? exchange;
    this.#reportCut(url, listing ?? sitemap);
    const links = discovery.isRequisite ? 0 : countLinks(opened);
    subject?.read(page, links, () => textIn(body, headers));

    const isTextual = page !== undefined && status === 200;
    const { judgement, measured } = isTextual ? this.#judge(fetched, body) : NOT_JUDGED;
    const hasLinks = links > 0;
    const againstLinks = hasLinks ? this.#reasonAgainstLinks(judgement, subject) : undefined;
    const against = this.#reasonAgainst(fetched, isWanted, judgement, subject);
    const shown = onceAsked(() => shownPage(fetched, headers, opened));
    const decided = await this.#askUser(shown);
    const notKept = against ?? this.#refused(decided.keep, 'on-response');
    const notFollowed =
      againstLinks ?? this.#refused(!hasLinks || decided.follow, 'on-response-links');
    const isKept = notKept === undefined;
    if (!planned && target !== undefined && discovery.redirects >= committing.maxRedirects)
      await this.#reportRedirects(fetched, target);
    if (isKept && onPage) await endsAgent(() => onPage(shown()));
    const near = config.nearDuplicates === 'off' ? undefined : judgement?.near;
    // The text of a rendered page is nowhere in what was fetched: later commands read it here.
    const hasText = isTextual && (config.text || rendered !== undefined);
    const text = hasText ? () => textIn(body, headers) : undefined;
    const fingerprint = planned && isTextual ? fingerprintOf(body) : undefined;
    const requisites = isKept && !planned ? this.#requisitesIn(opened, exchange) : NO_REQUISITES;
    const row = isKept && isTextual ? await this.#parts.extractor?.rowOf(shown()) : undefined;
    const contents = { target, page, listing, sitemap, requisites };
    const rest = { isWanted, isDuplicate, isCutDecoding, sha1, judgement, near, text, fingerprint };
    const isUrgent = decided.priority === 'first';
    return { contents, notKept, notFollowed, isUnread, measured, row, isUrgent, rendered, ...rest };
  }

  /** Why a response is not kept, by settings and filters; undefined if it may be. */
  #reasonAgainst(
    { asked }: Fetched,
    isWanted: boolean,
    judgement: Judgement | undefined,
    subject: VisitSubject | undefined,
  ): string | undefined {
    if (!isWanted) return 'content-type';
    if (asked?.request.method === 'HEAD') return 'head';
    return judgement?.refusal ?? this.#refused(this.#passes('store', subject), 'store-filter');
  }

  /** Why the links of a response are not followed, by settings and filters. */
  #reasonAgainstLinks(
    judgement: Judgement | undefined,
    subject: VisitSubject | undefined,
  ): string | undefined {
    if (this.#parts.planned) return 'not-planned';
    if (judgement?.follows === false) return 'near-duplicate-links';
    return this.#refused(this.#passes('follow', subject), 'follow-filter');
  }

  /** The reason, which is counted, if the answer is no. */
  #refused(answer: boolean | undefined, reason: string): string | undefined {
    if (answer !== false) return undefined;
    this.#parts.counters.countSkipped(reason);
    return reason;
  }

  /** Opens a response; a page whose scripts are to run is what they make of it. */
  async #openAndRender(
    fetched: Fetched,
    known: Known,
    hold: BodyHold,
    subject: VisitSubject | undefined,
  ): Promise<Opened> {
    const opened = await this.#open(fetched, known, hold, subject);
    const { desk, parseOptions } = this.#parts;
    const { page, body } = opened;
    const { exchange, turn } = fetched;
    if (!desk || !page) return opened;
    const { links } = page;
    const passes = () => {
      subject?.read(page, links.length, () => textIn(body, exchange.headers));
      return this.#passes('render', subject);
    };
    if (!desk.wants({ exchange, body, links }, passes)) return opened;
    const rendered = await desk.render({ exchange, turn, body, links });
    if (!rendered) return opened;
    const { headers, base: url } = rendered;
    const read = withLinks(parse(rendered.body, { url, headers }, parseOptions), rendered.links);
    const listing = this.#list({ exchange, headers, page: read, body: undefined });
    return { ...opened, body: rendered.body, page: read, listing, rendered };
  }

  /** Decodes a response, and parses it if it is a page or a sitemap. */
  async #open(
    fetched: Fetched,
    known: Known,
    hold: BodyHold,
    subject: VisitSubject | undefined,
  ): Promise<Opened> {
    const { parseOptions, onPage, onResponse } = this.#parts;
    const { exchange, discovery } = fetched;
    const { url } = exchange;
    const target = redirectTarget(exchange, parseOptions.drop && { drop: parseOptions.drop });
    const confirmed = await this.#confirmedBy(fetched);
    const headers = confirmed?.headers ?? exchange.headers;
    const content = confirmed?.body ?? exchange.payload;
    const type = headers.get('content-type');
    const isDocument = !discovery.isRequisite && target === undefined;
    const isPage = isDocument && isHtml(type, content);
    const isListing = isDocument && !isPage && mayList(exchange, type);
    const isReadable = isPage || isListing || known.mayBeSitemap;
    const reads = isReadable && this.#mayParse(subject);
    const [parses, lists] = [isPage && reads, isListing && reads];
    const isStyle =
      discovery.isRequisite === true && target === undefined && isStyleSheet(type, url);
    const decodes = !confirmed && (parses || isStyle || lists || onPage || onResponse);
    const decoded = decodes ? await decodeHeld(exchange, hold, this.#decodeLimits) : undefined;
    const body = decoded?.body ?? content;
    const page = parses ? parse(body, { url, headers }, parseOptions) : undefined;
    const looks = known.mayBeSitemap && !isPage && reads;
    const sitemap = looks ? await sitemapIn(exchange, hold, parseOptions.drop) : undefined;
    const isCutDecoding = decoded?.truncated === 'limit' || sitemap?.isCutDecoding === true;
    const list = { exchange, headers, page, body: lists && !sitemap ? body : undefined };
    const listing = discovery.isRequisite || target !== undefined ? undefined : this.#list(list);
    const isUnread = isReadable && !reads;
    const read = { page, listing, sitemap, isStyle, isUnread, isCutDecoding };
    return { target, type, body, ...read, rendered: undefined };
  }

  /** The links of a page and of its head; of a feed or a drawing, if its `body` is given. */
  #list({ exchange: { url }, headers, page, body }: Listable): Listing | undefined {
    const { parseOptions, config } = this.#parts;
    const { drop } = parseOptions;
    const inHead = hasLinks(headers) ? headerLinks({ url, headers }, drop) : NO_LINKS;
    if (page) return inHead.length === 0 ? page : withMore(page, inHead);
    const listed = body && listedIn(body, { url, headers }, parseOptions, config.maxLinks);
    if (!listed) return inHead.length === 0 ? undefined : { ...EMPTY, links: inHead };
    return inHead.length === 0 ? listed : withMore(listed, inHead);
  }

  /** What the page, or the style of one, needs to look right. */
  #requisitesIn(opened: Opened, { url, headers }: Exchange): Requisites {
    const { body, page, isStyle, type, rendered } = opened;
    const { requisites, maxLinks } = this.#parts.config;
    if (requisites === 'none' || !(page || isStyle)) return NO_REQUISITES;
    const all = page
      ? pageRequisites(body, page, maxLinks + 1)
      : styleRequisites(body, { url, contentType: type }, maxLinks + 1);
    // What a rendered page has loaded is in the archive.
    const found = rendered ? all.filter((one) => !rendered.loaded.has(one)) : all;
    const inHead = page && hasLinks(headers) ? headerRequisites({ url, headers }) : [];
    return { urls: [...inHead, ...found.slice(0, maxLinks)], isCut: found.length > maxLinks };
  }

  async #askUser(page: () => Page): Promise<ResponseDecision> {
    const { onResponse } = this.#parts;
    if (!onResponse) return NOTHING_DECIDED;
    return (await endsAgent(() => onResponse(page()))) ?? NOTHING_DECIDED;
  }

  /** What a page is like, and what verdicts on its domain need: one pass over its words. */
  #judge(
    { exchange: { url }, turn }: Fetched,
    body: Uint8Array,
  ): Pick<Reading, 'judgement' | 'measured'> {
    const { likeness, spam } = this.#parts;
    if (!spam?.wants(turn.host.domain))
      return { judgement: likeness?.judge(url, fingerprintOf(body)), measured: undefined };
    const { fingerprint, words } = fingerprintAndWords(body, METERED_TEXT);
    return { measured: spam.measure(words), judgement: likeness?.judge(url, fingerprint) };
  }

  #reportCut(
    url: string,
    found: { readonly links: readonly Link[]; cut: number } | undefined,
  ): void {
    if (!found || found.cut === 0) return;
    this.#parts.log.event('links-cut', { url, links: found.links.length, cut: found.cut });
  }

  /** The page behind a 304 that we asked for, where its links are followed. */
  async #confirmedBy({ exchange, asked }: Fetched): Promise<ConfirmedPage | undefined> {
    const { planned, earlierPage } = this.#parts;
    if (planned || exchange.status !== 304 || !asked?.isConditional || !asked.earlier)
      return undefined;
    return earlierPage(asked.earlier);
  }

  /** What filters are asked about; undefined where there are none. */
  #subjectOf(
    { exchange, discovery, turn }: Fetched,
    isDuplicate: () => boolean,
  ): VisitSubject | undefined {
    const { filters, standing, spam } = this.#parts;
    if (!filters.parse && !filters.render && !filters.follow && !filters.store) return undefined;
    const subject = new VisitSubject(turn, discovery, { standing, spam });
    subject.answered(exchange, isDuplicate);
    return subject;
  }

  /** Whether a response may be parsed. Counts it when it may not. */
  #mayParse(subject: VisitSubject | undefined): boolean {
    return this.#refused(this.#passes('parse', subject), 'parse-filter') === undefined;
  }

  /** Whether the filter of a stage lets a response through. */
  #passes(
    stage: 'parse' | 'render' | 'follow' | 'store',
    subject: VisitSubject | undefined,
  ): boolean {
    const accepts = this.#parts.filters[stage];
    return !accepts || !subject || accepts(subject);
  }

  async #reportRedirects({ exchange: { url }, turn }: Fetched, target: string): Promise<void> {
    const failure = {
      url,
      host: turn.host.name,
      fault: 'too-many-redirects',
      message: `It leads to ${target}.`,
      urls: 1,
    };
    await endsAgent(() => this.#parts.onError?.(failure));
  }
}

const NO_REQUISITES: Requisites = { urls: [], isCut: false };
const NO_LINKS: readonly Link[] = [];
const NOTHING_DECIDED: ResponseDecision = {};
const NOT_JUDGED = { judgement: undefined, measured: undefined };

/** Redirects and errors are wanted whatever their type: they explain why a page is missing. */
function wants(
  { status, headers, truncated }: Pick<Exchange, 'status' | 'headers' | 'truncated'>,
  wantsType: TypeFilter,
): boolean {
  if (truncated === 'unspecified') return false; // not read: see `bodyWish`
  return !isSuccess(status) || wantsType(headers.get('content-type'));
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

function isRepeat(digest: string, payloads: RecentCache): boolean {
  return payloads.admit(BigUint64Array.of(xxh64(digest)), 1, new Uint8Array(1)) === 0;
}

/** Names that servers give to what is no page, whatever they answer. */
const ASSET =
  /\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|json|map|mjs|mp[34]|og[gv]|otf|png|svg|ttf|wav|web[mp]|webmanifest|woff2?)(?:\?|$)/i;
const isAssetName = (url: string): boolean => ASSET.test(url);

function isStyleSheet(contentType: string | undefined, url: string): boolean {
  return contentType === undefined
    ? /\.css(?:\?|$)/i.test(url)
    : /^\s*text\/css\b/i.test(contentType);
}

function parse(
  body: Uint8Array,
  { url, headers }: Pick<Exchange, 'url' | 'headers'>,
  options: ParseOptions,
): ParsedPage {
  const contentType = headers.get('content-type');
  return parsePage(body, { url, contentType, robotsHeaders: headers.all('x-robots-tag') }, options);
}

/** A page with further links. */
function withLinks(page: ParsedPage, urls: readonly string[]): ParsedPage {
  const known = new Set(page.links.map(({ url }) => url));
  const more = urls.filter((url) => !known.has(url));
  const links = more.map((url): ParsedPage['links'][number] => ({
    url,
    kind: 'a',
    nofollow: false,
  }));
  return { ...page, links: [...page.links, ...links], packed: undefined };
}

/** A listing with further links. */
function withMore({ robots, cut, links }: Listing, more: readonly Link[]): Listing {
  return { robots, cut, links: [...links, ...more] };
}

/** The main text of a page, for its `conversion` record. */
function textIn(body: Uint8Array, headers: HeaderView): string {
  return textOf(mainBlocks(readBlocks(body, { contentType: headers.get('content-type') })));
}

/** How many links `linksIn` has, without making them. */
function countLinks({ listing, sitemap, target }: Opened): number {
  const redirects = target === undefined ? 0 : 1;
  return sitemap?.links.length ?? (listing ? linksOf(listing) : redirects);
}

function linksIn({ listing, sitemap, target }: Opened): readonly Link[] {
  const redirect: Link[] =
    target === undefined ? [] : [{ url: target, kind: 'redirect', nofollow: false }];
  return sitemap?.links ?? listing?.links ?? redirect;
}

/** A page as programs see it. */
function shownPage(
  { exchange: { url, status }, discovery }: Fetched,
  headers: HeaderView,
  opened: Opened,
): Page {
  const { body } = opened;
  const links = discovery.isRequisite ? [] : linksIn(opened);
  const shown = { url, status, headers, body, links, depth: discovery.depth };
  return discovery.isRequisite ? { ...shown, requisite: true } : shown;
}
