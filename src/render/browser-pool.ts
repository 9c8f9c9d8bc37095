/**
 * Browsers that render the pages of an agent, and how many pages are rendered at once.
 *
 * Idea      A browser renders one page at a time. A slot is the right to render a page; agents
 *           share the slots of their machine. Browsers are started when a page needs one, kept for
 *           the next page, and ended when they have rendered many, when nobody needs them for a
 *           while, and after any page that hung, crashed or took too much memory.
 * Ensures   At most as many pages are rendered at once as there are slots, over all agents. After
 *           `close` no browser runs, and every page that waited is rejected with `PoolClosed`.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import { Browser, type BrowserOptions } from './browser.ts';
import { BrowserGone } from './cdp-pipe.ts';
import { isUntried } from './find-browser.ts';
import {
  type RenderedPage,
  RenderFailed,
  type RenderLimits,
  type RenderRequest,
  renderPage,
} from './render-page.ts';

/** Pages after which a browser is replaced: whatever it leaks is bounded. */
const MOST_PAGES = 200;
/** A browser that nobody needs is kept for so long. */
const IDLE: Millis = 30_000;
/** How often a page that waits looks for a slot that another agent has freed. */
const LOOK: Millis = 25;

export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
}

/** The slots of a machine, as plain data for every agent's thread. */
export type SharedSlots = Int32Array;

export function shareRenderSlots(slots: number): SharedSlots {
  return new Int32Array(new SharedArrayBuffer(4)).fill(slots);
}

interface PoolOptions extends Omit<BrowserOptions, 'program'> {
  /** Called before the first browser is started. */
  readonly program: () => Promise<BrowserOptions['program']>;
  /** Called once, with a browser that is newer than all that were tried. */
  readonly onUntried?: (product: string) => void;
  readonly slots: SharedSlots;
}

export class BrowserPool {
  /** Browsers started. */
  started = 0;
  readonly #options: PoolOptions;
  readonly #clock: Clock;
  readonly #idle: { readonly browser: Browser; readonly cancel: () => void }[] = [];
  readonly #busy = new Set<Browser>();
  /** Pages take slots in the order in which they asked. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /**
   * Renders a page; `began` is called when a browser is there for it. Rejects with `RenderFailed`,
   * with `PoolClosed`, or with a `DrumlinError` if the first browser does not start.
   */
  async render(
    request: RenderRequest,
    limits: RenderLimits,
    began: () => void = () => {},
  ): Promise<RenderedPage> {
    await this.#takeSlot();
    try {
      const browser = await this.#browser();
      began();
      return await this.#renderIn(browser, request, limits);
    } finally {
      Atomics.add(this.#options.slots, 0, 1);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { cancel } of this.#idle) cancel();
    const all = [...this.#idle.splice(0).map(({ browser }) => browser), ...this.#busy];
    await Promise.all(all.map((browser) => browser.close()));
  }

  async #renderIn(
    browser: Browser,
    request: RenderRequest,
    limits: RenderLimits,
  ): Promise<RenderedPage> {
    try {
      const page = await renderPage(browser, request, limits, this.#clock);
      this.#putBack(browser);
      return page;
    } catch (error) {
      this.#busy.delete(browser);
      await browser.close();
      if (this.#closed) throw new PoolClosed('The crawl is stopping.');
      if (error instanceof BrowserGone)
        throw new RenderFailed('render-crashed', 'The browser has crashed.');
      if (error instanceof RenderFailed) throw error;
      throw new RenderFailed('render-crashed', error instanceof Error ? error.message : 'unknown');
    }
  }

  #takeSlot(): Promise<void> {
    const mine = this.#turn.then(() => this.#waitForSlot());
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #waitForSlot(): Promise<void> {
    const { slots } = this.#options;
    for (;;) {
      if (this.#closed) throw new PoolClosed('The crawl is stopping.');
      const free = Atomics.load(slots, 0);
      if (free <= 0) await new Promise<void>((wake) => this.#clock.after(LOOK, wake));
      else if (Atomics.compareExchange(slots, 0, free, free - 1) === free) return;
    }
  }

  async #browser(): Promise<Browser> {
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      kept.cancel();
      if (!kept.browser.gone) {
        this.#busy.add(kept.browser);
        return kept.browser;
      }
      await kept.browser.close();
    }
    const program = await this.#options.program();
    const browser = await Browser.start({ ...this.#options, program }).catch((error) => {
      if (this.started === 0) throw error;
      // Others have started: a busy machine, or no room for a moment.
      throw new RenderFailed('render-crashed', (error as Error).message);
    });
    if (this.started === 0 && isUntried(browser.product))
      this.#options.onUntried?.(browser.product);
    this.started++;
    if (this.#closed) {
      await browser.close();
      throw new PoolClosed('The crawl is stopping.');
    }
    this.#busy.add(browser);
    return browser;
  }

  #putBack(browser: Browser): void {
    this.#busy.delete(browser);
    if (this.#closed || browser.pages >= MOST_PAGES) {
      void browser.close();
      return;
    }
    const cancel = this.#clock.after(IDLE, () => {
      const at = this.#idle.findIndex((kept) => kept.browser === browser);
      if (at >= 0) this.#idle.splice(at, 1);
      void browser.close();
    });
    this.#idle.push({ browser, cancel });
  }
}
