/**
 * One host's turn: steps 6 to 10 of a URL's life, in order.
 *
 *   robots ─► fetch ─► store ─► digest ─► parse ─► discover
 *
 * A turn owns its host and its address. Where delays are set it makes one request and gives the turn back; where they
 * are zero it goes on for a slice of time, so that a kept connection is used while it is warm.
 */
import type { WarcWriter } from '../archive/warc-writer.ts';
import type { Clock } from '../clock.ts';
import { decodeContent } from '../fetch/decode.ts';
import { type Exchange, FetchError, type HttpClient } from '../fetch/exchange.ts';
import { retryAfter, retryRule, statusFault } from '../fetch/retry-table.ts';
import type { Discovery } from '../frontier/discovery.ts';
import type { Frontier, HostTurn } from '../frontier/frontier.ts';
import { type ParseOptions, parsePage } from '../parse/page.ts';
import type { RecentCache } from '../sieve/recent-cache.ts';
import type { Millis } from '../units.ts';
import { canonicalise } from '../url/canonical.ts';
import { pathOf } from '../url/parts.ts';
import { xxh64Bytes } from '../url/xxh64.ts';
import type { Admission } from './admission.ts';
import type { Counters } from './counters.ts';
import type { CrawlLog } from './log.ts';
import type { Link, Page } from './page.ts';
import type { RobotsKeeper } from './robots-keeper.ts';
import type { CrawlConfig } from './settings.ts';

/** How long a turn without delays may keep its host: long enough to use a connection, short enough to be fair. */
const TURN_SLICE: Millis = 2000;
/** Failures in a row after which a host that seems not to be there is given up. */
const HOST_FAILURES = 3;
/** However long a server asks to be left alone, it is asked again after this. */
const LONGEST_PENALTY: Millis = 3600_000;
const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const HTML_BEGINNING = /^\s*<(?:!doctype\s+html|html|head|body|!--)/i;

/** What a turn works with; the agent puts it together. */
export interface VisitTools {
  readonly config: CrawlConfig;
  readonly clock: Clock;
  readonly client: HttpClient;
  readonly robots: RobotsKeeper;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly payloads: RecentCache;
  readonly archive: WarcWriter | undefined;
  readonly counters: Counters;
  readonly log: CrawlLog;
  readonly parseOptions: ParseOptions;
  /** Claims one page of the crawl's limits; false when there is none left or the crawl is being stopped. */
  readonly claimPage: () => boolean;
  /** Gives a claimed page back that brought no response. */
  readonly returnPage: () => void;
  /** The crawl is coming to its end: failures are no longer the servers'. */
  readonly stopping: () => boolean;
  readonly onPage: ((page: Page) => void | Promise<void>) | undefined;
}

/** What a turn owes its host afterwards. */
interface Asked {
  /** A request was made, so the delays count from now. */
  requested: boolean;
  /** More than the usual delay, after a failure. */
  penalty: Millis;
}

export async function visit(turn: HostTurn, tools: VisitTools): Promise<void> {
  const { frontier, clock, config } = tools;
  const asked: Asked = { requested: false, penalty: 0 };
  try {
    const until = clock.now() + TURN_SLICE;
    while (await takeOne(turn, tools, asked)) {
      if (asked.requested && (hostDelay(turn, config) > 0 || asked.penalty > 0)) break;
      if (clock.now() >= until) break;
    }
  } finally {
    const now = clock.now();
    const wait = asked.requested ? Math.max(hostDelay(turn, config), asked.penalty) : 0;
    frontier.release(turn, now + wait, asked.requested ? now + addressDelay(config) : now);
  }
}

function hostDelay(turn: HostTurn, config: CrawlConfig): Millis {
  return Math.max(config.delay, turn.host.crawlDelay);
}

/** Whoever asks for no delay between pages of a host cannot want one between hosts of an address. */
function addressDelay(config: CrawlConfig): Millis {
  return Math.min(config.addressDelay, config.delay);
}

/** Deals with the host's next URL; false when there is none or none may be fetched. */
async function takeOne(turn: HostTurn, tools: VisitTools, asked: Asked): Promise<boolean> {
  const { frontier, robots, counters } = tools;
  const discovery = frontier.take(turn);
  if (!discovery) return false;
  const known = robots.lookUp(turn.host, discovery.url);
  if (!known) {
    frontier.putBack(turn, discovery);
    if (!tools.claimPage()) return false;
    tools.returnPage();
    asked.requested = true;
    await robots.fetch(turn, discovery.url);
    return true;
  }
  if (!known.verdict(pathOf(discovery.url)).allowed) {
    counters.disallowed++;
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

async function fetchPage(
  turn: HostTurn,
  discovery: Discovery,
  tools: VisitTools,
  asked: Asked,
): Promise<void> {
  let exchange: Exchange;
  try {
    exchange = await tools.client.fetch({ url: discovery.url, address: turn.address });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    tools.returnPage();
    asked.penalty = failed(turn, discovery, error, tools);
    return;
  }
  turn.host.failures = 0;
  asked.penalty = postponed(turn, discovery, exchange, tools);
  if (asked.penalty > 0) return;
  await takeIn(exchange, discovery, tools);
}

/** Tries the URL again later or gives it up, as the retry table says; returns how long the host is left alone. */
function failed(
  turn: HostTurn,
  discovery: Discovery,
  { fault, message }: FetchError,
  tools: VisitTools,
): Millis {
  const { frontier, counters, log } = tools;
  const { host } = turn;
  // A request that our own stop has cut off says nothing about the server.
  if (tools.stopping()) {
    frontier.putBack(turn, discovery);
    return 0;
  }
  const rule = retryRule(fault);
  const attempts = (discovery.attempts ?? 0) + 1;
  if (attempts <= rule.retries) {
    frontier.putBack(turn, { ...discovery, attempts });
    return rule.wait;
  }
  counters.countError(fault);
  host.failures++;
  if (rule.givesUpHost && host.failures >= HOST_FAILURES) {
    const urls = frontier.drop(host).length;
    counters.countError(fault, urls);
    log.event('host-given-up', { host: host.name, fault, why: message, urls });
  }
  return rule.wait;
}

/** "Not now" is no page yet, while the retry table has tries left; returns how long the host is left alone, or 0. */
function postponed(turn: HostTurn, discovery: Discovery, exchange: Exchange, tools: VisitTools): Millis {
  const fault = statusFault(exchange.status);
  const attempts = (discovery.attempts ?? 0) + 1;
  if (fault === undefined || attempts > retryRule(fault).retries || tools.stopping()) return 0;
  tools.frontier.putBack(turn, { ...discovery, attempts });
  tools.returnPage();
  const asked = retryAfter(exchange.headers.get('retry-after'), tools.clock.now()) ?? 0;
  return Math.min(Math.max(asked, retryRule(fault).wait), LONGEST_PENALTY);
}

/** A response: counted, stored, read, its links discovered. */
async function takeIn(exchange: Exchange, discovery: Discovery, tools: VisitTools): Promise<void> {
  const { counters, archive, payloads, onPage } = tools;
  counters.pages++;
  counters.bytes += exchange.bytesReceived;
  counters.countStatus(exchange.status);
  await archive?.write(exchange);
  if (exchange.payload.length > 0 && isRepeat(exchange.payload, payloads)) counters.duplicates++;

  const target = redirectTarget(exchange, tools);
  if (target) followRedirect(target.url, discovery, tools);
  const html = !target && isHtml(exchange);
  if (!html && !onPage) return;
  const { body } = await decodeContent(exchange);
  const links = html ? followLinks(body, exchange, discovery, tools) : target ? [target] : [];
  await onPage?.({
    url: exchange.url,
    status: exchange.status,
    headers: exchange.headers,
    body,
    links,
    depth: discovery.depth,
  });
}

function isRepeat(payload: Uint8Array, payloads: RecentCache): boolean {
  return payloads.admit(BigUint64Array.of(xxh64Bytes(payload)), 1, new Uint8Array(1)) === 0;
}

function followRedirect(
  url: string,
  { depth, redirects }: Discovery,
  { config, counters, admission }: VisitTools,
): void {
  counters.urlsSeen++;
  if (redirects < config.maxRedirects) admission.discover([url], depth, redirects + 1);
  else counters.countError('too-many-redirects');
}

/** Discovers the links of a page, unless it or they ask not to be followed; returns all of them. */
function followLinks(
  body: Uint8Array,
  { url, headers }: Exchange,
  { depth }: Discovery,
  { config, counters, admission, parseOptions }: VisitTools,
): readonly Link[] {
  const context = {
    url,
    contentType: headers.get('content-type'),
    robotsHeaders: headers.all('x-robots-tag'),
  };
  const { links, robots } = parsePage(body, context, parseOptions);
  counters.urlsSeen += links.length;
  if (robots.nofollow || depth >= config.maxDepth) return links;
  const followed = links.filter((link) => !link.nofollow).map((link) => link.url);
  admission.discover(followed, depth + 1);
  return links;
}

function redirectTarget({ status, url, headers }: Exchange, { parseOptions }: VisitTools): Link | undefined {
  const location = status >= 300 && status < 400 ? headers.get('location') : undefined;
  const target =
    location && canonicalise(location, { base: url, ...(parseOptions.drop && { drop: parseOptions.drop }) });
  return target ? { url: target, kind: 'redirect', nofollow: false } : undefined;
}

/** By its header; a page without one is taken for HTML when it begins like it. */
function isHtml({ headers, payload }: Exchange): boolean {
  const type = headers.get('content-type');
  if (type === undefined)
    return HTML_BEGINNING.test(Buffer.from(payload.subarray(0, 512)).toString('latin1'));
  return HTML_TYPE.test(type);
}
