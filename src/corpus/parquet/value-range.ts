/**
 * The least and the greatest value of a column, for the statistics of a row group. Of texts only
 * the beginnings are held: the footer has fewer bytes of them still.
 */
import type { Statistics } from 'hyparquet';
import type { Cell, Column } from './column.ts';

/** More than the library writes of a text, so that it knows that it is cut. */
const HELD_BYTES = 32;

export class ValueRange {
  readonly #kind: Column['kind'];
  #least: number | Uint8Array | undefined;
  #most: number | Uint8Array | undefined;
  #nulls = 0;

  constructor(kind: Column['kind']) {
    this.#kind = kind;
  }

  add(value: Cell): void {
    if (value === null) this.#nulls++;
    else if (value instanceof Uint8Array) this.#addBytes(value);
    else this.#addNumber(Number(value));
  }

  /** The statistics so far; the next row group begins without any. */
  take(): Statistics {
    const statistics: Statistics = { null_count: BigInt(this.#nulls) };
    const [least, most] = [this.#least, this.#most];
    if (least !== undefined && most !== undefined) {
      // The format wants the greater zero as the most, and the lesser one as the least.
      statistics.min_value = this.#stated(least === 0 ? -0 : least);
      statistics.max_value = this.#stated(most === 0 ? 0 : most);
    }
    this.#least = this.#most = undefined;
    this.#nulls = 0;
    return statistics;
  }

  #stated(value: number | Uint8Array): NonNullable<Statistics['min_value']> {
    if (typeof value !== 'number') return value;
    if (this.#kind === 'truth') return value !== 0;
    return this.#kind === 'long' || this.#kind === 'time' ? BigInt(value) : value;
  }

  #addNumber(value: number): void {
    if (Number.isNaN(value)) return;
    if (this.#least === undefined || value < (this.#least as number)) this.#least = value;
    if (this.#most === undefined || value > (this.#most as number)) this.#most = value;
  }

  #addBytes(value: Uint8Array): void {
    if (this.#least === undefined || order(value, this.#least as Uint8Array) < 0)
      this.#least = beginningOf(value);
    if (this.#most === undefined || order(value, this.#most as Uint8Array) > 0)
      this.#most = beginningOf(value);
  }
}

/** A copy of its own, also of a Buffer: the library changes it. */
const beginningOf = (value: Uint8Array): Uint8Array =>
  new Uint8Array(value.subarray(0, HELD_BYTES));

/** How the beginning of a text compares with one that is held. */
function order(value: Uint8Array, held: Uint8Array): number {
  const length = Math.min(value.length, held.length);
  for (let i = 0; i < length; i++) if (value[i] !== held[i]) return value[i] - held[i];
  return Math.min(value.length, HELD_BYTES) - held.length;
}
