/**
 * One side of a range of numbers, below or above, and how sure it is that there is nothing beyond.
 *
 * Idea      Of the pages within the range and on this side of it, a share s lay within. If k of them said something, all k lay within by chance
 *           with probability s^k; when that is small enough there is an end. It begins as far out as the sixteenth page with
 *           nothing, because what lies nearer was hardly looked at.
 * Ensures   a few hundred bytes, whatever is counted.
 */

import { onesIn } from '../base/bits.ts';
import type { FieldReader, FieldWriter } from '../base/fields.ts';

/** How unlikely it must be that what is beyond an end is so by chance. */
const CHANCE = 1e-3;
/** Beyond an end there are at least so many pages with nothing, with so many different numbers; within, so many with something. */
const ENOUGH = 16;
const ENOUGH_NUMBERS = 3;
const ENOUGH_OTHERS = 3;
/**
 * Where no page said anything, chance cannot be told; then so many, and one number only differs among them. More than a month has days: of days
 * in two empty months two numbers differ.
 */
const ENOUGH_OF_ONE = 32;
const MARKS = 31;

export type Side = 'below' | 'above';

/** What is known of all pages of the range. */
export interface Counts {
  /** Pages with nothing, and with something. */
  readonly same: number;
  readonly others: number;
  /** The numbers of the URL that were not always the same, a bit each. */
  readonly varied: number;
}

export class NumberEnd {
  readonly side: Side;
  /** The outermost number of a page with something. */
  readonly bound: number;
  /** Pages with nothing beyond it; and which numbers they had, a bit each by their remainder. */
  pages = 0;
  #marks = 0;
  /** The numbers of those of these pages that are nearest to the bound, in their order outwards. */
  readonly #nearest: number[] = [];
  holds = false;

  constructor(side: Side, bound: number) {
    this.side = side;
    this.bound = bound;
  }

  isBeyond(value: number): boolean {
    return this.#isFarther(value, this.bound);
  }

  /** Whether there is an end, and a number is beyond it. */
  covers(value: number): boolean {
    return this.holds && !this.#isFarther(this.#nearest[this.#nearest.length - 1], value);
  }

  /** A page with nothing beyond the bound. */
  count(value: number): void {
    let at = this.#nearest.length;
    while (at > 0 && this.#isFarther(this.#nearest[at - 1], value)) at--;
    if (at < ENOUGH) this.#nearest.splice(at, 0, value);
    if (this.#nearest.length > ENOUGH) this.#nearest.pop();
    this.pages++;
    this.#marks |= markOf(value);
  }

  /** Whether what was counted makes it an end; what was counted on the other side is no part of the comparison. */
  isProven({ same, others, varied }: Counts, opposite: NumberEnd): boolean {
    if (this.#nearest.length < ENOUGH || onesIn(this.#marks) < ENOUGH_NUMBERS) return false;
    if (others === 0) return this.pages >= ENOUGH_OF_ONE && onesIn(varied) === 1;
    const all = same + others - opposite.pages;
    return (
      others >= ENOUGH_OTHERS && others * Math.log((all - this.pages) / all) < Math.log(CHANCE)
    );
  }

  /** With something beyond the bound, that moves outwards: the pages that are still beyond it count, as far as they are known. */
  movedTo(bound: number): NumberEnd {
    const moved = new NumberEnd(this.side, bound);
    const left = this.#nearest.filter((value) => moved.isBeyond(value));
    // Those that are not among the nearest are farther out than all that are; if none of these is left, nobody knows.
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
