/**
 * The plan of a refresh: which page is tested next, and when enough are found.
 *
 *   sample Z ─► all verdicts known ─► estimate n_a, open the order ─► the rest, in its order ─► end
 *
 * Idea      Pages get places: first the sample, then the order. The place of the first page without
 *           a verdict is the lower end of a window; pages beyond its upper end are not asked for.
 *           So agents always have many hosts to choose from, and the order holds but for the size
 *           of the window. A dynamic order has a small window, since it learns from each verdict.
 * Requires  `tested` is called once for each page that `next` returned; then again if its verdict
 *           is revised.
 * Ensures   no page is handed out before one that stands more than `window` places ahead of it.
 *           Sample and order together hand out each page once. Everything follows from the
 *           verdicts, so a plan that is begun anew with the same verdicts continues where it was.
 * Cost      5 bytes a page.
 */

import type { Collection } from '../orders/collection.ts';
import { wantedOf } from '../orders/cost.ts';
import { type Order, type OrderMethod, VERDICT, type Verdict } from '../orders/order.ts';
import { type Estimate, estimateLiving } from './estimate.ts';

interface PlanOptions {
  readonly collection: Collection;
  readonly method: OrderMethod;
  readonly sample: Uint32Array;
  readonly alpha: number;
  readonly seed: number;
  /** Test the sample, and nothing else. */
  readonly sampleOnly?: boolean;
  /** Places of a static or sampled order that may be open at once. */
  readonly window: number;
  /** The same for a dynamic order. */
  readonly dynamicWindow: number;
}

/** A point of the cost curve. */
interface CurvePoint {
  readonly tested: number;
  readonly alive: number;
}

const OPEN = 255;
const CURVE_POINTS = 400;

export class Plan {
  readonly #options: PlanOptions;
  /** Pages by place. */
  readonly #pages: Uint32Array;
  /** By page; `OPEN` without one. */
  readonly #verdicts: Uint8Array;
  #places = 0;
  /** The first place whose page has no verdict. */
  #low = 0;
  #order: Order | undefined;
  #exhausted = false;
  #tested = 0;
  readonly #counts = [0, 0, 0];
  #estimate: Estimate | undefined;
  readonly #curve: CurvePoint[] = [];

  constructor(options: PlanOptions) {
    const { pages } = options.collection;
    this.#options = options;
    this.#pages = new Uint32Array(pages);
    this.#verdicts = new Uint8Array(pages).fill(OPEN);
  }

  get tested(): number {
    return this.#tested;
  }

  count(verdict: Verdict): number {
    return this.#counts[verdict];
  }

  /** After the sample. */
  get estimate(): Estimate | undefined {
    return this.#estimate;
  }

  /** The living pages to find; undefined before the sample is tested. */
  get wanted(): number | undefined {
    const { alpha } = this.#options;
    if (!this.#estimate) return undefined;
    // A sample without life gives no number to stop at: only the upper limit is sure.
    const { living, high } = this.#estimate;
    return wantedOf(alpha, living > 0 ? living : high);
  }

  /** Enough living pages are found, or all pages are tested. */
  get isOver(): boolean {
    const { alpha, collection, sample, sampleOnly } = this.#options;
    if (this.#tested === (sampleOnly ? sample.length : collection.pages)) return true;
    const { wanted } = this;
    return alpha < 1 && wanted !== undefined && this.#counts[VERDICT.alive] >= wanted;
  }

  get curve(): readonly CurvePoint[] {
    const last = { tested: this.#tested, alive: this.#counts[VERDICT.alive] };
    return [...this.#curve, last];
  }

  /** The pages that were handed out, by place. */
  get handedOut(): Uint32Array {
    return this.#pages.subarray(0, this.#places);
  }

  /** The page to test next; undefined if verdicts must come first, or all pages are handed out. */
  async next(): Promise<number | undefined> {
    const { sample, sampleOnly } = this.#options;
    if (this.#places < sample.length) {
      return this.#mayOpen() ? this.#handOut(sample[this.#places]) : undefined;
    }
    if (this.#low < sample.length || sampleOnly) return undefined;
    this.#order ??= await this.#openOrder();
    if (this.#exhausted || this.isOver || !this.#mayOpen()) return undefined;
    const page = this.#order.next();
    this.#exhausted = page < 0;
    return this.#exhausted ? undefined : this.#handOut(page);
  }

  /** Takes the verdict on a page. */
  settle(page: number, verdict: Verdict): void {
    const before = this.#verdicts[page];
    this.#verdicts[page] = verdict;
    this.#counts[verdict]++;
    if (before !== OPEN) {
      this.#counts[before]--;
      return;
    }
    this.#tested++;
    this.#order?.tested(page, verdict);
    while (this.#low < this.#places && this.#verdicts[this.#pages[this.#low]] !== OPEN) this.#low++;
    const step = Math.max(1, Math.floor(this.#pages.length / CURVE_POINTS));
    if (this.#tested % step === 0)
      this.#curve.push({ tested: this.#tested, alive: this.#counts[VERDICT.alive] });
  }

  #mayOpen(): boolean {
    const { method, sample, window, dynamicWindow } = this.#options;
    const isDynamic = method.kind === 'dynamic' && this.#places >= sample.length;
    return this.#places - this.#low < (isDynamic ? Math.min(window, dynamicWindow) : window);
  }

  #handOut(page: number): number {
    this.#pages[this.#places++] = page;
    return page;
  }

  async #openOrder(): Promise<Order> {
    const { collection, method, sample, seed } = this.#options;
    const verdicts = Uint8Array.from(sample, (page) => this.#verdicts[page]);
    const alive = verdicts.filter((verdict) => verdict === VERDICT.alive).length;
    const dead = verdicts.filter((verdict) => verdict === VERDICT.dead).length;
    this.#estimate = estimateLiving(alive, alive + dead, collection.pages);
    return method.open(collection, { pages: sample, verdicts }, { seed });
  }
}
