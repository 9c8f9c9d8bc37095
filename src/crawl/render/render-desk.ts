/**
 * The rendering of an agent's pages: which are rendered, what they become, and who waits.
 *
 *   parsed page ─► wanted? ─► place at the desk ─► browser ─► links and HTML ─► parsed as any page
 *                              │ none free
 *                              └─► put back: the URL waits in the queue of its host
 *
 * Idea      A page that waits for a browser holds its host, its address and its body. So only a few
 *           places are there. When they are taken, hosts whose pages are known to need rendering
 *           get no turn: their URLs wait where all queued URLs wait, in the front or on disk. A
 *           page whose host was not known to need it is put back, and fetched again later.
 * Ensures   Rendering takes no fetcher from other pages. A page whose rendering fails is kept as it
 *           was fetched: nothing is lost but what its scripts would have added.
 */
import { pageInfoResource, viewResource } from '../../archive/warc/rendered-records.ts';
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { Exchange, HeaderView } from '../../fetch/exchange.ts';
import type { HostTurn } from '../../frontier/frontier.ts';
import { type BrowserPool, PoolClosed } from '../../render/browser-pool.ts';
import type { RenderHooks } from '../../render/hooks.ts';
import { RenderLearner } from '../../render/learned.ts';
import { needsScripts, textLength } from '../../render/need.ts';
import { type RenderedPage, RenderFailed } from '../../render/render-page.ts';
import type { StorageState } from '../../render/storage-state.ts';
import { canonicalise } from '../../url/canonical.ts';
import { hostOf } from '../../url/parts.ts';
import type { Counters } from '../record/counters.ts';
import { endsAgent } from '../record/internal-errors.ts';
import type { EventLog } from '../record/log.ts';
import type { Store } from '../store/store.ts';
import type { AskedPause, Loaded, PageTraffic, Subresources } from './subresources.ts';

/** Requests of one page. */
const MOST_REQUESTS = 500;
/** Bytes that the requests of one page bring, in bodies of the largest size. */
const MOST_BODIES = 8;
/** The memory of scripts, as a part of that of the page. */
const SCRIPT_SHARE = 1 / 2;
/** Places at the desks of all agents, for each browser: with the longest pages, four minutes. */
const PLACES = 12;

/** The page is not rendered now: its URL is to be queued again. */
export class RenderPutOff extends Error {
  override readonly name = 'RenderPutOff';
  /** How long to wait at least. */
  readonly pause: Millis;
  constructor(message: string, pause: Millis = 0) {
    super(message);
    this.pause = pause;
  }
}

/** A page as it was fetched. */
interface Unrendered {
  readonly exchange: Exchange;
  readonly turn: HostTurn;
  /** Decoded. */
  readonly body: Uint8Array;
  readonly links: readonly { readonly url: string }[];
}

/** A page after its scripts have run. */
export interface Rendered {
  /** HTML in UTF-8. */
  readonly body: Uint8Array;
  readonly headers: HeaderView;
  /** What relative links in the body refer to. */
  readonly base: string;
  /** Canonical URLs that the page showed or led to, beside those in the body. */
  readonly links: readonly string[];
  /** What it has loaded, by URL. */
  readonly loaded: ReadonlyMap<string, Loaded>;
  readonly page: RenderedPage;
}

interface RenderDeskParts {
  readonly config: Pick<
    CrawlConfig,
    | 'render'
    | 'renderTime'
    | 'renderMemory'
    | 'maxBody'
    | 'maxLinks'
    | 'maxUrlLength'
    | 'screenshot'
  >;
  readonly pool: Pick<BrowserPool, 'render'>;
  readonly subresources: Pick<Subresources, 'forPage'>;
  readonly store: Pick<Store, 'storeResource'>;
  readonly state: StorageState | undefined;
  readonly hooks?: RenderHooks | undefined;
  readonly counters: Pick<Counters, 'countRender'>;
  readonly log: EventLog;
  readonly clock: Clock;
  /** Places at this desk. */
  readonly places: number;
}

/** The places at the desk of each agent. */
export const placesFor = (browsers: number, agents: number): number =>
  Math.max(2, Math.floor((PLACES * browsers) / agents));

/** The memory that scripts of a page may fill. */
export const scriptMemory = ({ renderMemory }: Pick<CrawlConfig, 'renderMemory'>): number =>
  renderMemory * SCRIPT_SHARE;

export class RenderDesk {
  readonly #parts: RenderDeskParts;
  readonly #learner = new RenderLearner();
  readonly #pauses = new WeakMap<HostTurn, AskedPause>();
  #taken = 0;

  constructor(parts: RenderDeskParts) {
    this.#parts = parts;
  }

  /** Turns that wait for a browser or have one: they take no fetcher. */
  get turns(): number {
    return this.#taken;
  }

  /** Whether a host is to wait for its turn: its pages would find no place. */
  mustWait(host: string): boolean {
    return this.#taken >= this.#parts.places && this.#learner.expects(host);
  }

  /** For how long the host of a turn asked to be left in peace while its page was rendered. */
  askedPause(turn: HostTurn): AskedPause | undefined {
    return this.#pauses.get(turn);
  }

  /** Whether a page is to be rendered; `passes` asks the user's filter. */
  wants(page: Omit<Unrendered, 'turn'>, passes: () => boolean): boolean {
    const { render } = this.#parts.config;
    const { exchange, body, links } = page;
    if (exchange.status !== 200 || exchange.truncated !== undefined) return false;
    if (render === 'always') return passes();
    if (!needsScripts(body, links.length) || !passes()) return false;
    const isWorth = this.#learner.worthwhile(hostOf(exchange.url));
    if (!isWorth) this.#parts.counters.countRender('not-worthwhile');
    return isWorth;
  }

  /**
   * Renders a page; undefined when that failed. Rejects with `RenderPutOff` when there is no place,
   * or the crawl is stopping.
   */
  async render(page: Unrendered): Promise<Rendered | undefined> {
    const { counters, places } = this.#parts;
    const host = hostOf(page.exchange.url);
    if (this.#taken >= places) {
      this.#learner.suspect(host);
      counters.countRender('put-off');
      throw new RenderPutOff('All places at the desk are taken.');
    }
    this.#taken++;
    try {
      return await this.#render(page, host);
    } catch (error) {
      if (error instanceof PoolClosed) throw new RenderPutOff('The crawl is stopping.');
      if (!(error instanceof RenderFailed)) throw error;
      this.#failed(page.exchange.url, error);
      return undefined;
    } finally {
      this.#taken--;
    }
  }

  async #render({ exchange, turn, body, links }: Unrendered, host: string): Promise<Rendered> {
    const { pool, subresources, config, clock, state, counters, hooks } = this.#parts;
    const { url, status, headers } = exchange;
    let traffic: PageTraffic | undefined;
    const rendered = await endsAgent(() =>
      pool
        .render(
          {
            url,
            response: { status, headers: [...headers.entries()], body },
            answer: async (request) => traffic?.answer(request),
            ...{ screenshot: config.screenshot, state, hooks },
          },
          this.#limits(),
          () => {
            traffic = subresources.forPage(turn, clock.now() + config.renderTime);
          },
        )
        .catch(expected),
    );
    // The turn must hold its host until the last request has ended.
    await traffic?.end();
    if (traffic?.pause) this.#pauses.set(turn, traffic.pause);
    // Its last requests may have been refused: a page without them is not what it shows.
    if (traffic?.wasStopped) throw new RenderPutOff('The crawl is stopping.');
    if (traffic && traffic.notBefore > clock.now()) {
      counters.countRender('put-off');
      const pause = traffic.notBefore - clock.now();
      throw new RenderPutOff('A host may not be asked yet after the resume.', pause);
    }
    if ('failure' in rendered) throw rendered.failure;
    const found = rendered.links.flatMap((link) => this.#canonical(link) ?? []);
    const gained = hasGained(rendered, found, body, links);
    this.#learner.learn(host, gained);
    counters.countRender('pages');
    if (gained) counters.countRender('gained');
    if (rendered.isCut) counters.countRender('cut');
    const base = this.#canonical(rendered.base) ?? url;
    const loaded = traffic?.loaded ?? new Map();
    const view = new RenderedHeaders(headers);
    return { body: rendered.html, headers: view, base, links: found, loaded, page: rendered };
  }

  /**
   * Stores what shows that a page was rendered, and its picture. To be called when it is stored.
   */
  async keep({ url, startedAt }: Exchange, { loaded, page }: Rendered): Promise<void> {
    const { store } = this.#parts;
    const { requests, refused, bytes } = page.traffic;
    const counts = { requests, refused, bytes, links: page.links.length, elapsed: page.elapsed };
    const info = pageInfoResource({ url, date: startedAt, loaded, counts });
    await endsAgent(() => store.storeResource?.(info));
    const picture = page.screenshot;
    if (picture)
      await endsAgent(() => store.storeResource?.(viewResource(url, startedAt, picture)));
  }

  #failed(url: string, { fault, message }: RenderFailed): void {
    const { counters, log } = this.#parts;
    counters.countRender(fault);
    this.#learner.learn(hostOf(url), false);
    log.event('render-failed', { url, fault, why: message });
  }

  #limits() {
    const { renderTime, renderMemory, maxBody, maxLinks } = this.#parts.config;
    return {
      ...{ time: renderTime, memory: renderMemory, html: maxBody, links: maxLinks },
      ...{ requests: MOST_REQUESTS, bytes: MOST_BODIES * maxBody },
    };
  }

  #canonical(url: string): string | undefined {
    return canonicalise(url, { maxLength: this.#parts.config.maxUrlLength });
  }
}

/** Failures of a page and the end of the crawl are results; anything else ends the agent. */
function expected(error: unknown): { readonly failure: RenderFailed | PoolClosed } {
  if (error instanceof RenderFailed || error instanceof PoolClosed) return { failure: error };
  throw error;
}

/** Whether a page shows more when its scripts have run: a new link, or much more text. */
function hasGained(
  { html }: RenderedPage,
  found: readonly string[],
  body: Uint8Array,
  links: Unrendered['links'],
): boolean {
  const before = new Set(links.map(({ url }) => url));
  if (found.some((link) => !before.has(link))) return true;
  return textLength(html) > 1.3 * textLength(body) + 200;
}

const HTML_UTF8 = 'text/html; charset=utf-8';

/** The headers of a page whose HTML was written by the browser. */
class RenderedHeaders implements HeaderView {
  readonly #fetched: HeaderView;

  constructor(fetched: HeaderView) {
    this.#fetched = fetched;
  }

  get(name: string): string | undefined {
    return isType(name) ? HTML_UTF8 : this.#fetched.get(name);
  }

  all(name: string): string[] {
    return isType(name) ? [HTML_UTF8] : this.#fetched.all(name);
  }

  *entries(): Iterable<readonly [name: string, value: string]> {
    for (const [name, value] of this.#fetched.entries())
      yield isType(name) ? [name, HTML_UTF8] : [name, value];
  }
}

const isType = (name: string): boolean => name.toLowerCase() === 'content-type';
