/**
 * The requests of one page, whoever makes them: its frames, workers, popups.
 *
 *   target starts, paused ─► we take its requests (`Fetch.enable`) ─► it runs
 *   request ─┬─ the page itself          ─► the response that the crawl has fetched already
 *            ├─ another page in its place ─► not loaded: a link that the page leads to
 *            ├─ by http(s)                ─► `answer`, the crawl's own client
 *            └─ anything else             ─► refused
 *
 * Requires  a browser that stops targets at their start.
 * Ensures   No target runs before its requests are ours; one that we cannot take in hand (a service
 *           worker, a popup, one that appears after the limits are reached) never runs. The browser
 *           gets only what `answer` gives.
 */
import type { Bytes, Millis } from '../base/units.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf } from '../url/parts.ts';
import { ATTACH, type Browser, EVERYTHING, type Tab } from './browser.ts';
import type { Payload, ProtocolEvent } from './cdp-pipe.ts';
import { FIRST, IN_WORKERS, LONGEST_URL } from './page-scripts.ts';

/** A request of a page, as the crawl sees it. */
export interface PageRequest {
  readonly url: string;
  /** `GET`, `HEAD`, `POST`, … The body of a request is not read. */
  readonly method: string;
  /** It is made by the page itself, and not by a frame of another site in it. */
  readonly isOwn: boolean;
  /** What the browser wants it for: `Script`, `Image`, `XHR`, … */
  readonly kind: string;
  /** Header lines of the browser that the server may need. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface PageResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Without transfer and content coding. */
  readonly body: Uint8Array;
}

/** Answers a request; undefined where it is refused or failed. */
export type Answer = (request: PageRequest) => Promise<PageResponse | undefined>;

export interface PageLimits {
  /** Requests that a page may make. */
  readonly requests: number;
  /** Bytes that its requests may bring. */
  readonly bytes: Bytes;
}

/**
 * Lines that describe the transfer to us, and not the content that the browser gets; and those that
 * only ask for reports, or for loads ahead.
 */
const OF_TRANSFER =
  /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|alt-svc|strict-transport-security|nel|report-to|reporting-endpoints|content-security-policy-report-only|speculation-rules|trailer|upgrade)$/i;
/** Lines of a request that are not only for the browser itself. */
const FOR_SERVER = /^(?:accept|origin|referer|range|authorization|x-[a-z0-9-]+)$/i;
/** Requests that tell somebody about the page. No page shows what is answered. */
const REPORTS = new Set(['Ping', 'CSPViolationReport']);
/** Lines of requests for a service worker, and for what another page may show. */
const FOR_LATER = /^(?:service-worker:|(?:sec-)?purpose: prefetch)/i;
/** Images of pages have a kind of their own: this one is an icon for the browser's window. */
const isIcon = (kind: string, { headers }: Payload): boolean =>
  kind === 'Other' && /^image\//i.test(headers.Accept ?? headers.accept ?? '');
const MOST_LINKS = 1000;

/**
 * The window of a page. It is painted at a tenth of its size: scripts see no difference, a picture
 * of the page has its full size, and painting takes a fifth less of all processor time.
 */
export const WINDOW = { width: 1280, height: 1024 };
const SHRUNK = { ...WINDOW, deviceScaleFactor: 1, mobile: false, scale: 0.1 };

export interface Traffic {
  /** URLs that were answered, each once. */
  readonly fetched: Set<string>;
  /** Pages that scripts wanted to go to. */
  readonly ledTo: Set<string>;
  requests: number;
  refused: number;
  bytes: Bytes;
}

export class Interception {
  readonly traffic: Traffic = {
    ...{ fetched: new Set(), ledTo: new Set() },
    ...{ requests: 0, refused: 0, bytes: 0 },
  };
  /** When the last request was answered, by the clock given. */
  lastAnswer: Millis;
  /** The page has crashed. */
  onCrash: () => void = () => {};
  /** The page has loaded. */
  onLoad: () => void = () => {};
  readonly #browser: Browser;
  readonly #now: () => Millis;
  readonly #page: { readonly url: string; readonly response: PageResponse };
  readonly #answer: Answer;
  readonly #limits: PageLimits;
  readonly #login: string;
  #main: { readonly session: string; readonly frame: string } | undefined;
  readonly #attachedTo = new Map<string, string>();
  #awaited: { readonly targetId: string; resolve(session: string): void } | undefined;
  /** Frames whose documents are of another site than the page, and frames in them. */
  readonly #foreign = new Set<string>();
  /** Sessions of popups and service workers: nothing is loaded for them. */
  readonly #unwanted = new Set<string>();
  #pageGiven = false;
  #open = 0;

  constructor(
    browser: Browser,
    page: { readonly url: string; readonly response: PageResponse },
    answer: Answer,
    options: {
      readonly limits: PageLimits;
      readonly now: () => Millis;
      /** Runs first in documents of the page's own target: see `StorageState`. */
      readonly login: string;
    },
  ) {
    this.#browser = browser;
    this.#page = page;
    this.#answer = answer;
    this.#limits = options.limits;
    this.#now = options.now;
    this.#login = options.login;
    this.lastAnswer = options.now();
  }

  /** Requests that are not answered yet. */
  get open(): number {
    return this.#open;
  }

  /** Takes the page's own target in hand, before it loads anything, and returns its session. */
  async begin(targetId: string): Promise<string> {
    const session = await this.#sessionOf(targetId);
    this.resume({ targetId, session });
    const shrunk = this.#browser.call('Emulation.setDeviceMetricsOverride', SHRUNK, session);
    await Promise.all([shrunk, this.#takeInHand(session, 'page')]);
    await this.#browser.call('Runtime.runIfWaitingForDebugger', {}, session);
    return session;
  }

  /** The page has the tab of another, which is in hand already. */
  resume({ targetId, session }: Pick<Tab, 'targetId' | 'session'>): void {
    // The main frame of a target has its name.
    this.#main = { session, frame: targetId };
  }

  /** The browser tells the session of a new target in an event, before or after we ask. */
  #sessionOf(targetId: string): Promise<string> {
    const known = this.#attachedTo.get(targetId);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      this.#awaited = { targetId, resolve };
    });
  }

  /** For all events of the browser while the page is rendered. */
  readonly onEvent = ({ method, params, sessionId }: ProtocolEvent): void => {
    if (method === 'Fetch.requestPaused' && sessionId) void this.#paused(params, sessionId);
    else if (method === 'Target.attachedToTarget') void this.#attached(params);
    else if (method === 'Page.javascriptDialogOpening')
      this.#browser.tell(
        'Page.handleJavaScriptDialog',
        { accept: params.type === 'beforeunload' },
        sessionId,
      );
    else if (method === 'Page.windowOpen') this.#leadsTo(String(params.url));
    else if (method === 'Page.frameNavigated') this.#noteFrame(params.frame);
    else if (method === 'Page.frameAttached') {
      if (this.#foreign.has(params.parentFrameId)) this.#foreign.add(params.frameId);
    } else if (method === 'Page.frameDetached') this.#foreign.delete(params.frameId);
    else if (sessionId !== this.#main?.session) return;
    else if (method === 'Inspector.targetCrashed') this.onCrash();
    // The blank page before has loaded too.
    else if (!this.#pageGiven) return;
    else if (method === 'Page.loadEventFired') this.onLoad();
    // A page that goes elsewhere before it has loaded never tells that it has.
    else if (method === 'Page.frameStoppedLoading' && params.frameId === this.#main?.frame)
      this.onLoad();
  };

  async #attached({ sessionId, targetInfo }: Payload): Promise<void> {
    const { type, targetId } = targetInfo as { type: string; targetId: string };
    if (type === 'page' && !this.#main) {
      this.#attachedTo.set(targetId, sessionId);
      if (this.#awaited?.targetId === targetId) this.#awaited.resolve(sessionId);
      return;
    }
    const runs = type === 'iframe' || type === 'worker' || type === 'shared_worker';
    if (!runs) this.#unwanted.add(sessionId);
    try {
      await this.#takeInHand(sessionId, type);
      // A paused popup would pause the page that has opened it.
      await this.#browser.call('Runtime.runIfWaitingForDebugger', {}, sessionId);
      if (!runs) await this.#browser.call('Target.closeTarget', { targetId });
    } catch {
      // The target is gone, or we cannot take its requests in hand: it stays paused.
      if (!runs) this.#browser.tell('Target.closeTarget', { targetId });
    }
  }

  async #takeInHand(session: string, type: string): Promise<void> {
    const call = (method: string, params?: Payload) => this.#browser.call(method, params, session);
    const isDocument = type === 'page' || type === 'iframe';
    await Promise.all([
      // The requests of a page's own workers come with those of the page.
      type === 'worker' ? undefined : call('Fetch.enable', EVERYTHING),
      call('Target.setAutoAttach', ATTACH),
      ...(isDocument
        ? [
            call('Page.enable'),
            call('Inspector.enable'),
            call('Page.addScriptToEvaluateOnNewDocument', {
              source: type === 'page' ? `${FIRST};${this.#login}` : FIRST,
            }),
          ]
        : // A worker is paused before its first script.
          [call('Runtime.evaluate', { expression: IN_WORKERS, silent: true })]),
    ]);
  }

  async #paused(params: Payload, session: string): Promise<void> {
    const { requestId, request, frameId, resourceType } = params;
    if (isIcon(resourceType, request)) {
      this.#browser.refuse({ params, sessionId: session });
      return;
    }
    this.#open++;
    try {
      const isNavigation = resourceType === 'Document' && frameId === this.#main?.frame;
      const response = isNavigation
        ? this.#navigation(request.url)
        : this.#unwanted.has(session)
          ? NO_CONTENT
          : await this.#subresource(request, resourceType, this.#isOwn(frameId, session));
      if (response) await this.#fulfil(requestId, response, session);
      else
        await this.#browser.call(
          'Fetch.failRequest',
          { requestId, errorReason: 'BlockedByClient' },
          session,
        );
    } catch {
      // The target that asked is gone.
    } finally {
      this.#open--;
      this.lastAnswer = this.#now();
    }
  }

  /** Sandboxed frames have an origin of their own, which is no site. */
  #noteFrame({ id, parentId, securityOrigin }: Payload): void {
    if (parentId === undefined) return;
    const isForeign =
      this.#foreign.has(parentId) || siteOf(String(securityOrigin)) !== siteOf(this.#page.url);
    if (isForeign) this.#foreign.add(id);
    else this.#foreign.delete(id);
  }

  #isOwn(frameId: string | undefined, session: string): boolean {
    if (session !== this.#main?.session) return false; // a frame with a process of its own
    return frameId === undefined ? this.#foreign.size === 0 : !this.#foreign.has(frameId);
  }

  /** The first one is the page; any other would replace it, and is a link. */
  #navigation(url: string): PageResponse {
    if (!this.#pageGiven) {
      this.#pageGiven = true;
      return this.#page.response;
    }
    this.#leadsTo(url);
    return NO_CONTENT;
  }

  #leadsTo(url: string): void {
    const { ledTo } = this.traffic;
    const isShort = url.length <= LONGEST_URL;
    if (isShort && /^https?:/i.test(url) && ledTo.size < MOST_LINKS) ledTo.add(url);
  }

  async #subresource(
    request: Payload,
    kind: string,
    isOwn: boolean,
  ): Promise<PageResponse | undefined> {
    const { url, method } = request as { url: string; method: string };
    const headers = Object.entries(request.headers as Record<string, string>);
    const { traffic } = this;
    if (method === 'OPTIONS') return preflight(headers);
    const isAhead = headers.some(([name, value]) => FOR_LATER.test(`${name}: ${value}`));
    if (
      isAhead ||
      REPORTS.has(kind) ||
      !/^https?:/i.test(url) ||
      traffic.requests >= this.#limits.requests ||
      traffic.bytes >= this.#limits.bytes
    ) {
      traffic.refused++;
      return undefined;
    }
    traffic.requests++;
    const forServer = headers.filter(([name]) => FOR_SERVER.test(name));
    const response = await this.#answer({ url, method, kind, isOwn, headers: forServer });
    if (!response) {
      traffic.refused++;
      return undefined;
    }
    traffic.bytes += response.body.length;
    traffic.fetched.add(url);
    return response;
  }

  async #fulfil(requestId: string, response: PageResponse, session: string): Promise<void> {
    const { status, headers, body } = response;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    await this.#browser.call(
      'Fetch.fulfillRequest',
      {
        requestId,
        responseCode: status,
        responseHeaders: headers
          .filter(([name]) => !OF_TRANSFER.test(name))
          .map(([name, value]) => ({ name, value })),
        body: bytes.toString('base64'),
      },
      session,
    );
  }
}

const siteOf = (url: string): string => payLevelDomain(hostOf(url));

const NO_CONTENT: PageResponse = { status: 204, headers: [], body: new Uint8Array(0) };

/**
 * The question before a request with lines of its own to another site. No server is asked: only
 * lines that we pass on anyway are sent later, and its answer must still allow the page to read it.
 */
function preflight(asked: readonly (readonly [string, string])[]): PageResponse {
  const value = (wanted: string) => asked.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const lines = value('access-control-request-headers');
  return {
    status: 204,
    headers: [
      ['Access-Control-Allow-Origin', value('origin') ?? '*'],
      ['Access-Control-Allow-Methods', 'GET, HEAD'],
      ['Access-Control-Allow-Credentials', 'true'],
      ...(lines === undefined ? [] : [['Access-Control-Allow-Headers', lines] as const]),
    ],
    body: new Uint8Array(0),
  };
}
