/**
 * URLs like those a crawl discovers: 70 bytes, one in nine new, repeats skewed towards the old
 * (half of them fall on an eighth of the URLs known). Seeded: every contender gets the same.
 *
 * They are written directly into packed memory, in a few tens of nanoseconds a URL, so that the
 * stream does not dominate the measurement.
 */
const TEMPLATE = Buffer.from(
  'http://www.site-0000.example.com/section/0000000000/article-00000.html',
);
export const URL_BYTES = TEMPLATE.length;
const HOST_AT = TEMPLATE.indexOf('0000.');
const ID_AT = TEMPLATE.indexOf('0000000000');
const ARTICLE_AT = TEMPLATE.indexOf('00000.html');

export class UrlStream {
  #state: number;
  /** Different URLs made so far. */
  distinct = 0;

  constructor(seed = 1) {
    this.#state = seed;
  }

  /** Makes room for URLs: `fill` only writes the bytes that differ. */
  prepare(bytes: Uint8Array, ends: Uint32Array): void {
    for (let i = 0; i < ends.length; i++) {
      bytes.set(TEMPLATE, i * URL_BYTES);
      ends[i] = (i + 1) * URL_BYTES;
    }
  }

  /** Writes the next n URLs to `bytes`. */
  fill(bytes: Uint8Array, n: number): void {
    for (let i = 0; i < n; i++) {
      const at = i * URL_BYTES;
      const id = this.#next();
      digits(bytes, at + HOST_AT, 4, id % 9973);
      digits(bytes, at + ID_AT, 10, id);
      digits(bytes, at + ARTICLE_AT, 5, id % 99_991);
    }
  }

  #next(): number {
    if (this.distinct === 0 || this.#random() < 1 / 9) return this.distinct++;
    const skew = this.#random();
    return Math.floor(this.distinct * skew * skew * skew);
  }

  /** Mulberry32. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}

function digits(bytes: Uint8Array, at: number, count: number, value: number): void {
  let rest = value;
  for (let i = at + count - 1; i >= at; i--) {
    bytes[i] = 48 + (rest % 10);
    rest = (rest / 10) | 0;
  }
}
