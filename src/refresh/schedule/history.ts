/**
 * What is known of a page over time, look by look.
 *
 * A look shows whether the payload changed since the look before. A statement is what a sitemap
 * says: when the page last changed (`lastmod`). Many sites write any date there, so a statement
 * counts as a look only for a page about which statements proved right before, and none proved
 * wrong:
 *
 *   looks     ──── a ─────────────────── b ─────────────────── c ──►
 *   lastmod   says no change     says a change before b    says a change after b
 *   right if  b showed none      b showed one              c shows one
 *
 * Requires  looks and statements in the order of their times.
 * Ensures   each stretch of time counts once. A page that is known to have changed was last looked
 *           at when its copy was made, so it is due all the sooner.
 */
import type { Millis } from '../../base/units.ts';
import type { Look } from './change-rate.ts';

/** The unit of time of rates. */
export const DAY: Millis = 86_400_000;

/** A date has a length: a day, if it gives no time. */
export interface Stated {
  readonly from: Millis;
  readonly to: Millis;
}

export class History {
  readonly looks: Look[] = [];
  /** When the page was last known to be as it was captured. */
  last: Millis = Number.NaN;
  /** The last look did not find it dead. */
  isAlive = false;
  /** The time of the last look. */
  #captured: Millis = Number.NaN;
  /** The time of the last look, or of a later statement that counted as one. */
  #seen: Millis = Number.NaN;
  /** Of the payload at the last look. */
  #digest: string | undefined;
  /** The times of the last two looks, and whether the second one showed a change. */
  #checked: { readonly after: Millis; readonly at: Millis; readonly changed: boolean } | undefined;
  /** A statement says that the page changed after the last look; `counted`: it counted as one. */
  #change: 'none' | 'stated' | 'counted' = 'none';
  #right = 0;
  #wrong = 0;

  /** `digest` is that of the payload; undefined if the server confirmed the last one. */
  look(time: Millis, digest: string | undefined): void {
    const known = this.#digest;
    const changed = digest !== undefined && digest !== known;
    if (known !== undefined && time > this.#captured) {
      // After a change that counted, nothing tells whether there was another.
      if (time > this.#seen && this.#change !== 'counted') this.#add(time, changed);
      if (this.#change !== 'none') this.#prove(changed);
      this.#checked = { after: this.#captured, at: time, changed };
    }
    this.isAlive = true;
    this.#change = 'none';
    this.#digest = digest ?? known ?? CONFIRMED;
    this.#seen = this.#captured = this.last = time;
  }

  /** A capture whose payload has no digest: alive, and nothing to compare with. */
  glance(time: Millis): void {
    this.isAlive = true;
    this.#change = 'none';
    this.#digest = this.#checked = undefined;
    this.#seen = this.#captured = this.last = time;
  }

  dead(): void {
    this.isAlive = false;
  }

  /** At `time` a sitemap said that the page last changed at `when`. */
  stated(time: Millis, when: Stated): void {
    const isTrusted = this.#right > 0;
    if (this.#checked && when.to <= this.#checked.after) this.#prove(!this.#checked.changed);
    else if (this.#checked && when.from > this.#checked.after && when.to <= this.#checked.at)
      this.#prove(this.#checked.changed);
    const isAfter = when.from > this.#captured;
    if (isAfter && this.#change === 'none') this.#change = 'stated';
    const isClear = when.from > this.#seen || when.to <= this.#seen;
    if (!isTrusted || this.#wrong > 0 || !isClear || !this.isAlive || time - this.#seen < DAY)
      return;
    this.#add(time, when.from > this.#seen);
    this.#seen = time;
    if (isAfter) this.#change = 'counted';
    else this.last = time;
  }

  #add(time: Millis, changed: boolean): void {
    this.looks.push({ time: (time - this.#seen) / DAY, changed });
  }

  #prove(isRight: boolean): void {
    if (isRight) this.#right++;
    else this.#wrong++;
  }
}

/** Stands for a payload that was confirmed and never captured. */
const CONFIRMED = '=';
