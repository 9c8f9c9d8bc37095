/**
 * URLs that differ in their numbers only, and how far the numbers of those met so far reach.
 *
 *   http://a.org/calendar/2026/5/17   shape /calendar/#/#/#   numbers 2026, 5, 17
 *   http://a.org/list?page=3          shape /list?page=#      number 3
 *
 * Idea      A calendar, or a list, is a shape. How often it was met, and from which number to which, is all that is remembered of a shape in which
 *           nothing was ever the same; in tables of fixed size, where the newest take the places of the oldest.
 * Requires  canonical URLs.
 * Cost      about 1 µs a URL; 112 bytes a shape.
 */

import { xxh64 } from '../base/xxh64.ts';
import { originOf, pathStart } from '../url/parts.ts';

/** Of a whole word, so that tokens are not taken apart. */
const NUMBER = /(?<![0-9A-Za-z])\d{1,15}(?![0-9A-Za-z])/g;
const MOST_NUMBERS = 6;
const LONGEST_SHAPE = 200;

export interface NumberShape {
  /** Scheme and host. */
  readonly origin: string;
  /** Path and query, `#` for every number. */
  readonly shape: string;
  readonly numbers: readonly number[];
}

/** Undefined for URLs without numbers, and for those with too many. */
export function numberShapeOf(url: string): NumberShape | undefined {
  const numbers: number[] = [];
  const shape = url.slice(pathStart(url)).replace(NUMBER, (digits) => {
    numbers.push(Number(digits));
    return '#';
  });
  if (numbers.length === 0 || numbers.length > MOST_NUMBERS || shape.length > LONGEST_SHAPE)
    return undefined;
  return { origin: originOf(url), shape, numbers };
}

const WAYS = 4;
/** Doubles of a shape: how often it was met, and two for each number. */
const ROOM = 1 + 2 * MOST_NUMBERS;

/** How often it was met; from where to where, by number. */
export interface Reach {
  readonly times: number;
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** How far the numbers of shapes reach. */
export class Reaches {
  readonly #sets: number;
  /** Two halves of the hash of a shape; both 0 where there is none. */
  readonly #keys: Uint32Array;
  readonly #values: Float64Array;

  /** For about so many shapes. */
  constructor(shapes: number) {
    this.#sets = Math.max(1, Math.floor(shapes / WAYS));
    this.#keys = new Uint32Array(this.#sets * WAYS * 2);
    this.#values = new Float64Array(this.#sets * WAYS * ROOM);
  }

  /** Takes the numbers of a URL in. */
  widen({ origin, shape, numbers }: NumberShape): void {
    const values = this.#valuesOf(origin + shape);
    const isFirst = values[0] === 0;
    values[0]++;
    for (const [i, number] of numbers.entries()) {
      const at = 1 + 2 * i;
      values[at] = isFirst ? number : Math.min(values[at], number);
      values[at + 1] = isFirst ? number : Math.max(values[at + 1], number);
    }
  }

  /** Of a shape that was just widened. */
  of({ origin, shape, numbers }: NumberShape): Reach {
    const values = this.#valuesOf(origin + shape);
    const low = numbers.map((_, i) => values[1 + 2 * i]);
    const high = numbers.map((_, i) => values[2 + 2 * i]);
    return { times: values[0], low, high };
  }

  /** What is known of a shape, at the first place of its set; of one that is not known, zeros in place of the oldest. */
  #valuesOf(key: string): Float64Array {
    const keys = this.#keys;
    const hash = xxh64(key);
    const [low, high] = [Number(hash & 0xffffffffn), Number(hash >> 32n)];
    const first = (low % this.#sets) * WAYS;
    let at = first;
    const isHere = () => keys[at * 2] === low && keys[at * 2 + 1] === high;
    while (at < first + WAYS - 1 && !isHere()) at++;
    const known = isHere()
      ? this.#values.slice(at * ROOM, (at + 1) * ROOM)
      : new Float64Array(ROOM);
    keys.copyWithin((first + 1) * 2, first * 2, at * 2);
    this.#values.copyWithin((first + 1) * ROOM, first * ROOM, at * ROOM);
    keys[first * 2] = low;
    keys[first * 2 + 1] = high;
    this.#values.set(known, first * ROOM);
    return this.#values.subarray(first * ROOM, (first + 1) * ROOM);
  }
}
