/**
 * Renders one page: load, wait until it is quiet, scroll, click, take what the page has become.
 *
 *   context of its host ─► target ─► load ─► quiet ─► scroll ─► links, clicks ─► HTML ─► close
 *
 * Requires  a browser that renders nothing else.
 * Ensures   It ends at most `GRACE` after `limits.time`: a page that runs out of time is stopped,
 *           and what it has become by then is taken. A page that does not answer, crashes or takes
 *           too much memory rejects with `RenderFailed`; the browser is to be ended then.
 */
import type { Clock } from '../base/clock.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { hostOf, originOf } from '../url/parts.ts';
import type { Browser, Tab } from './browser.ts';
import type { Payload } from './cdp-pipe.ts';
import type { BrowserPage, RenderHooks } from './hooks.ts';
import {
  type Answer,
  Interception,
  type PageLimits,
  type PageResponse,
  type Traffic,
  WINDOW,
} from './interception.ts';
import { CLICK_BUTTON, CLICK_ROUTE, HEIGHT, HTML, LINKS, SCROLL } from './page-scripts.ts';
import type { StateCookie, StorageState } from './storage-state.ts';

export interface RenderLimits extends PageLimits {
  /** From the start of the load to the end of scrolling and clicking. */
  readonly time: Millis;
  /** Memory of the page's processes. */
  readonly memory: Bytes;
  /** Length of the HTML. */
  readonly html: Bytes;
  readonly links: number;
}

export interface RenderRequest {
  readonly url: string;
  /** The page as it was fetched, without content coding. */
  readonly response: PageResponse;
  readonly answer: Answer;
  readonly screenshot: boolean;
  readonly state: StorageState | undefined;
  readonly hooks?: RenderHooks | undefined;
}

export interface RenderedPage {
  /** What the page has become, as HTML in UTF-8. */
  readonly html: Buffer;
  /** What relative links in it refer to. */
  readonly base: string;
  /** All links that it showed at any time, and pages that its scripts wanted to go to. */
  readonly links: readonly string[];
  readonly traffic: Traffic;
  /** PNG. */
  readonly screenshot: Buffer | undefined;
  readonly elapsed: Millis;
  /** It was stopped for lack of time. */
  readonly isCut: boolean;
}

type RenderFault = 'render-crashed' | 'render-hung' | 'render-memory' | 'render-hook';

export class RenderFailed extends Error {
  override readonly name = 'RenderFailed';
  readonly fault: RenderFault;
  constructor(fault: RenderFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** The page makes no request for so long after it has loaded: it is quiet. */
const QUIET: Millis = 300;
/** The same after a step of ours. */
const QUIET_STEP: Millis = 60;
/** How often a wait looks again. */
const LOOK: Millis = 20;
/** For what comes after the time limit: stop the scripts, take the HTML. */
const GRACE: Millis = 3000;
/** For a picture, also of a page that is out of time. */
const PICTURE: Millis = 1500;
const MOST_SCROLLS = 40;
const MOST_CLICKS = 30;
/** How often the memory of the page is measured. */
const MEASURE: Millis = 200;
/** The next page does not get the process of a page that took more than this part of its memory. */
const KEEP_BELOW = 1 / 4;

export function renderPage(
  browser: Browser,
  request: RenderRequest,
  limits: RenderLimits,
  clock: Clock,
): Promise<RenderedPage> {
  return new Visit(browser, request, limits, clock).run();
}

class Visit {
  readonly #browser: Browser;
  readonly #request: RenderRequest;
  readonly #limits: RenderLimits;
  readonly #clock: Clock;
  readonly #interception: Interception;
  readonly #startedAt: Millis;
  readonly #links = new Set<string>();
  #session = '';
  #world: number | undefined;
  #loaded = false;
  /** The most memory that the page was seen to take. */
  #largest: Bytes = 0;
  #fail: (error: RenderFailed) => void = () => {};

  constructor(browser: Browser, request: RenderRequest, limits: RenderLimits, clock: Clock) {
    this.#browser = browser;
    this.#request = request;
    this.#limits = limits;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#interception = new Interception(browser, request, request.answer, {
      limits,
      now: () => clock.now(),
      login: request.state?.script(request.url) ?? '',
    });
    this.#interception.onLoad = () => {
      this.#loaded = true;
    };
  }

  async run(): Promise<RenderedPage> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    failed.catch(() => {});
    this.#interception.onCrash = () =>
      this.#fail(new RenderFailed('render-crashed', 'The page has crashed.'));
    const hung = () => this.#fail(new RenderFailed('render-hung', 'The page does not answer.'));
    const cancel = this.#clock.after(this.#limits.time + GRACE, hung);
    const endMeasuring = this.#measureMemory();
    try {
      return await Promise.race([this.#visit(), failed]);
    } finally {
      cancel();
      endMeasuring();
      this.#browser.listen(undefined);
    }
  }

  async #visit(): Promise<RenderedPage> {
    const { url, screenshot } = this.#request;
    const browser = this.#browser;
    const tab = await this.#openTab();
    this.#session = tab.session;
    const { beforeLoad, afterLoad } = this.#request.hooks ?? {};
    const isReady = !beforeLoad || (await this.#hook(beforeLoad));
    if (!isReady) throw new RenderFailed('render-hook', 'beforeLoad did not end in time.');
    void this.#call('Page.navigate', { url }).catch(() => {});
    const isCut = !((await this.#settle()) && (await this.#after(afterLoad)));
    const { html, base } = await this.#takePage(isCut);
    const picture = screenshot ? await this.#picture() : undefined;
    if (!isCut) await this.#clickAll(CLICK_ROUTE);
    const isSmall = this.#largest <= KEEP_BELOW * this.#limits.memory;
    // Functions of the program may have changed what the tab does.
    browser.leaveTab(tab, isSmall && !isCut && !beforeLoad && !afterLoad);
    const { traffic } = this.#interception;
    for (const link of traffic.ledTo) this.#links.add(link);
    browser.pages++;
    return {
      ...{ html: Buffer.from(html), base, links: [...this.#links], traffic, screenshot: picture },
      ...{ elapsed: this.#clock.now() - this.#startedAt, isCut },
    };
  }

  /** The tab of the page before, if that was of the same origin, or a new one. */
  async #openTab(): Promise<Tab> {
    const { url, state } = this.#request;
    const browser = this.#browser;
    const browserContextId = await browser.contextFor(hostOf(url), (id) =>
      setUp(browser, id, state?.cookiesOf(hostOf(url)) ?? []),
    );
    const origin = originOf(url);
    const kept = await browser.takeTab(origin);
    browser.listen(this.#interception.onEvent);
    if (kept) {
      this.#interception.resume(kept);
      return kept;
    }
    // A tab in the window of the page before could not have this size.
    const { targetId } = await browser.call('Target.createTarget', {
      ...{ url: 'about:blank', browserContextId, newWindow: true, ...WINDOW },
    });
    return { targetId, origin, session: await this.#interception.begin(targetId) };
  }

  /** Calls a function of the program; false when the time was too short for it. */
  async #hook(hook: NonNullable<RenderHooks['beforeLoad']>): Promise<boolean> {
    const done = async () => {
      await hook(this.#shown());
      return true;
    };
    try {
      return (await this.#inTime(done())) === true;
    } catch (error) {
      throw new RenderFailed('render-hook', (error as Error)?.message ?? String(error));
    }
  }

  /** What a program does with a page that is quiet may make it load more. */
  async #after(hook: RenderHooks['afterLoad']): Promise<boolean> {
    if (!hook) return true;
    if (!(await this.#hook(hook)) || !(await this.#untilQuiet(QUIET_STEP))) return false;
    return (await this.#inTime(this.#noteLinks())) === true;
  }

  /** The page as programs see it. */
  #shown(): BrowserPage {
    return {
      url: this.#request.url,
      evaluate: async (expression) => {
        const { result, exceptionDetails: thrown } = await this.#call('Runtime.evaluate', {
          ...{ expression, returnByValue: true, awaitPromise: true, silent: true },
        });
        if (thrown) throw new Error(String(thrown.exception?.description ?? thrown.text));
        return result?.value;
      },
      addScript: async (source) => {
        await this.#call('Page.addScriptToEvaluateOnNewDocument', { source });
      },
      send: (method, params) => this.#call(method, params),
    };
  }

  /** Waits, scrolls and clicks; false when the time was too short for it. */
  async #settle(): Promise<boolean> {
    if (!(await this.#untilQuiet(QUIET, () => this.#loaded))) return false;
    let height = 0;
    for (let i = 0; i < MOST_SCROLLS; i++) {
      const now = await this.#inTime(this.#evaluate(HEIGHT));
      if (now === undefined) return false;
      const moved = await this.#inTime(this.#evaluate(SCROLL));
      if (moved === undefined) return false;
      if (!moved && Number(now) <= height) break;
      height = Number(now);
      if (!(await this.#untilQuiet(QUIET_STEP))) return false;
    }
    if (!(await this.#inTime(this.#noteLinks()))) return false;
    return this.#clickAll(CLICK_BUTTON);
  }

  /** Clicks one after the other, and notes what each shows; false when time runs out. */
  async #clickAll(click: string): Promise<boolean> {
    for (let i = 0; i < MOST_CLICKS; i++) {
      const clicked = await this.#inTime(this.#evaluate(click));
      if (clicked === undefined) return false;
      if (!clicked) return true;
      if (!(await this.#untilQuiet(QUIET_STEP))) return false;
      if (!(await this.#inTime(this.#noteLinks()))) return false;
    }
    return true;
  }

  /** The HTML. Scripts that still run after the time limit are stopped for it. */
  async #takePage(isCut: boolean): Promise<{ readonly html: string; readonly base: string }> {
    if (isCut) {
      this.#browser.tell('Emulation.setScriptExecutionDisabled', { value: true }, this.#session);
      await this.#call('Runtime.terminateExecution').catch(() => {});
      this.#browser.tell('Page.stopLoading', {}, this.#session);
      await this.#noteLinks();
    }
    const taken = await this.#evaluate(`${HTML}(${this.#limits.html})`);
    // What was fetched is more than nothing.
    if (!taken || taken.isBlank)
      throw new RenderFailed('render-hung', 'The page did not load, or became blank.');
    return { html: String(taken.html), base: String(taken.base) };
  }

  async #noteLinks(): Promise<boolean> {
    const room = this.#limits.links - this.#links.size;
    for (const link of (await this.#evaluate(`${LINKS}(${Math.max(0, room)})`)) ?? [])
      this.#links.add(String(link));
    return true;
  }

  async #picture(): Promise<Buffer | undefined> {
    await this.#evaluate('scrollTo(0, 0)');
    const taken = await this.#inTime(
      this.#call('Page.captureScreenshot', { format: 'png' }),
      PICTURE,
    );
    return taken && Buffer.from(taken.data, 'base64');
  }

  get #timeLeft(): Millis {
    return this.#startedAt + this.#limits.time - this.#clock.now();
  }

  /** No request is open, and none was for a while; false when time runs out first. */
  async #untilQuiet(quiet: Millis, also: () => boolean = () => true): Promise<boolean> {
    for (let waited = 0; this.#timeLeft > 0; waited += LOOK) {
      const { open, lastAnswer } = this.#interception;
      const calm = open === 0 && this.#clock.now() - lastAnswer >= quiet;
      if (calm && waited >= quiet && also()) return true;
      await this.#wait(LOOK);
    }
    return false;
  }

  #wait(time: Millis): Promise<void> {
    return new Promise((resolve) => this.#clock.after(time, resolve));
  }

  /** The result, or undefined when the time is over, and `least`, before it comes. */
  async #inTime(result: Promise<Payload>, least: Millis = 0): Promise<Payload> {
    let cancel = () => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(Math.max(least, this.#timeLeft), () => resolve(undefined));
    });
    result.catch(() => {});
    return Promise.race([result, late]).finally(() => cancel());
  }

  /** Runs a constant in a world of its own, out of reach of the page's scripts. */
  async #evaluate(expression: string): Promise<Payload> {
    if (this.#world === undefined) {
      const { frameTree } = await this.#call('Page.getFrameTree');
      const { executionContextId } = await this.#call('Page.createIsolatedWorld', {
        frameId: frameTree.frame.id,
        worldName: 'drumlin',
      });
      this.#world = executionContextId;
    }
    const { result } = await this.#call('Runtime.evaluate', {
      ...{ expression, contextId: this.#world, returnByValue: true, silent: true },
    });
    return result?.value ?? null;
  }

  #call(method: string, params?: Payload): Promise<Payload> {
    return this.#browser.call(method, params, this.#session);
  }

  /** Ends the page when its processes take more memory than it may. */
  #measureMemory(): () => void {
    let over = false;
    let cancel = () => {};
    const look = async () => {
      try {
        const size = await this.#browser.memory();
        this.#largest = Math.max(this.#largest, size);
        if (size > this.#limits.memory)
          this.#fail(new RenderFailed('render-memory', `The page takes ${size} bytes of memory.`));
      } catch {
        return; // the browser is gone, and with it the page
      }
      if (!over) cancel = this.#clock.after(MEASURE, () => void look());
    };
    cancel = this.#clock.after(MEASURE, () => void look());
    return () => {
      over = true;
      cancel();
    };
  }
}

async function setUp(browser: Browser, id: string, cookies: readonly StateCookie[]) {
  if (cookies.length > 0)
    await browser.call('Storage.setCookies', { cookies, browserContextId: id });
}
