/**
 * One side of a range of numbers, below or above, and the evidence that there is nothing beyond it.
 *
 * Idea      Of the pages within the range and on this side of it, a share s is within. If k of them
 *           have content, all k are within by chance with probability s^k. If that is small enough,
 *           there is an end. It begins at the sixteenth empty page beyond the range, because
 *           numbers nearer to the range were hardly visited.
 * Ensures   A few hundred bytes, independent of the number of pages.
 */

import { onesIn } from '../base/bits.ts';
import type { FieldReader, FieldWriter } from '../base/fields.ts';

/** The largest probability that the emptiness beyond an end is chance. */
const CHANCE = 1e-3;
/** The fewest empty pages beyond an end. */
const ENOUGH = 16;
/** The fewest different numbers among the empty pages beyond an end. */
const ENOUGH_NUMBERS = 3;
/** The fewest pages with content within the range. */
const ENOUGH_OTHERS = 3;
/**
 * The fewest empty pages if no page has content, so that chance cannot be computed. Then only one
 * number may vary among them. It is more than the days of a month: for the days of two empty months
 * two numbers vary.
 */
const ENOUGH_OF_ONE = 32;
const MARKS = 31;

export type Side = 'below' | 'above';

/** Counts over all pages of the shape. */
interface Counts {
  /** Empty pages. */
  readonly same: number;
  /** Pages with content. */
  readonly others: number;
  /** The numbers of the URL that varied, a bit each. */
  readonly varied: number;
}

export class NumberEnd {
  readonly side: Side;
  /** The outermost number of a page with content. */
  readonly bound: number;
  /** Empty pages beyond the bound. */
  pages = 0;
  /** The numbers of these pages, a bit each by their remainder. */
  #marks = 0;
  /** The numbers of the empty pages nearest to the bound, ordered outwards. */
  readonly #nearest: number[] = [];
  holds = false;

  constructor(side: Side, bound: number) {
    this.side = side;
    this.bound = bound;
  }

  isBeyond(value: number): boolean {
    return this.#isFarther(value, this.bound);
  }

  /** Whether there is an end, and the number is beyond it. */
  covers(value: number): boolean {
    return this.holds && !this.#isFarther(this.#nearest[this.#nearest.length - 1], value);
  }

  /** Counts an empty page beyond the bound. */
  count(value: number): void {
    let at = this.#nearest.length;
    while (at > 0 && this.#isFarther(this.#nearest[at - 1], value)) at--;
    if (at < ENOUGH) this.#nearest.splice(at, 0, value);
    if (this.#nearest.length > ENOUGH) this.#nearest.pop();
    this.pages++;
    this.#marks |= markOf(value);
  }

  /** Whether the counts prove an end. Pages on the other side are not part of the comparison. */
  isProven({ same, others, varied }: Counts, opposite: NumberEnd): boolean {
    if (this.#nearest.length < ENOUGH || onesIn(this.#marks) < ENOUGH_NUMBERS) return false;
    if (others === 0) return this.pages >= ENOUGH_OF_ONE && onesIn(varied) === 1;
    const all = same + others - opposite.pages;
    return (
      others >= ENOUGH_OTHERS && others * Math.log((all - this.pages) / all) < Math.log(CHANCE)
    );
  }

  /**
   * The end after a page with content beyond the bound: the bound moves outwards, and only the
   * known pages beyond it still count.
   */
  movedTo(bound: number): NumberEnd {
    const moved = new NumberEnd(this.side, bound);
    const left = this.#nearest.filter((value) => moved.isBeyond(value));
    // Pages that are not among the nearest are farther out than all of these. If none of these is
    // left, nothing is known.
    if (left.length === 0) return moved;
    moved.#nearest.push(...left);
    moved.pages = this.pages - (this.#nearest.length - left.length);
    moved.#marks = left.reduce((bits, value) => bits | markOf(value), 0);
    return moved;
  }

  write(out: FieldWriter): void {
    out.time(this.bound);
    for (const n of [this.pages, this.#marks, this.holds ? 1 : 0, this.#nearest.length])
      out.number(n);
    for (const value of this.#nearest) out.time(value);
  }

  static read(side: Side, fields: FieldReader): NumberEnd {
    const end = new NumberEnd(side, fields.time());
    end.pages = fields.number();
    end.#marks = fields.number();
    end.holds = fields.number() === 1;
    for (let left = fields.number(); left > 0; left--) end.#nearest.push(fields.time());
    return end;
  }

  #isFarther(value: number, than: number): boolean {
    return this.side === 'below' ? value < than : value > than;
  }
}

const markOf = (value: number): number => 1 << (value % MARKS);
