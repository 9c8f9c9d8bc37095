/**
 * What is known of the pages of a site: how many were measured, sums and sums of squares of their
 * 24 values, and the sums of those of its home page.
 *
 *   page ─► 24 values ─► sums ─► features of the site
 *
 * Idea      Means and deviations follow from sums, so no page has to be kept. Every value is a
 *           multiple of a power of two (measures.ts), so all sums are exact: they do not depend on
 *           the order in which pages are added and sums are merged.
 * Requires  At most 512 pages a site. Values of `PageMeter`.
 * Ensures   Sums that are written and read again are the same. The features have the same names
 *           and values as in the table of "drumlin spam features" with the same pages.
 * Cost      600 bytes a site.
 */
import { MEASURES } from './measures.ts';

const COUNT = MEASURES.length;
// Places of the sums: pages, home pages, then 24 each.
const PAGES = 0;
const HOMES = 1;
const SUMS = 2;
const SQUARES = SUMS + COUNT;
const HOME = SQUARES + COUNT;
const LENGTH = HOME + COUNT;

/** Pages of a site that are measured. */
export const MOST_PAGES = 400;

export class SiteSums {
  /** The length of `bytes`. */
  static readonly BYTES = 8 * LENGTH;
  readonly #sums: Float64Array;

  private constructor(sums: Float64Array) {
    this.#sums = sums;
  }

  static empty(): SiteSums {
    return new SiteSums(new Float64Array(LENGTH));
  }

  /** Reads what `writeTo` wrote. */
  static read(bytes: Uint8Array, at = 0): SiteSums {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, SiteSums.BYTES);
    return new SiteSums(
      Float64Array.from({ length: LENGTH }, (_, i) => view.getFloat64(8 * i, true)),
    );
  }

  writeTo(bytes: Uint8Array, at = 0): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, SiteSums.BYTES);
    for (let i = 0; i < LENGTH; i++) view.setFloat64(8 * i, this.#sums[i], true);
  }

  /** The number of pages. */
  get pages(): number {
    return this.#sums[PAGES];
  }

  /** Adds a page by its 24 values. */
  add(values: Float64Array, isHome: boolean): void {
    const sums = this.#sums;
    sums[PAGES]++;
    if (isHome) sums[HOMES]++;
    for (let i = 0; i < COUNT; i++) {
      sums[SUMS + i] += values[i];
      sums[SQUARES + i] += values[i] * values[i];
      if (isHome) sums[HOME + i] += values[i];
    }
  }

  /** Adds the pages of other sums. */
  merge(other: SiteSums): void {
    for (let i = 0; i < LENGTH; i++) this.#sums[i] += other.#sums[i];
  }

  /** A value of the home page: the mean if there are several; NaN without one. */
  home(measure: number): number {
    return this.#sums[HOME + measure] / this.#sums[HOMES];
  }

  /** NaN without pages. */
  mean(measure: number): number {
    return this.#sums[SUMS + measure] / this.pages;
  }

  /** The standard deviation over the pages of the site; NaN for fewer than two pages. */
  deviation(measure: number): number {
    const { pages } = this;
    if (pages < 2) return Number.NaN;
    const variance = this.#sums[SQUARES + measure] / pages - this.mean(measure) ** 2;
    return Math.sqrt(Math.max(0, variance));
  }
}
