/**
 * URLs as they leave the sieve of a large crawl: hosts drawn by Zipf's law, the paths of each
 * counted up. Seeded: every contender gets the same. The share of the host of rank h is ln((h+1)/h)
 * / ln(hosts + 1), about 1 / (h ln hosts).
 */
import { hostOf } from '../../../src/url/parts.ts';

export class UrlStream {
  readonly #span: number;
  readonly #counts: Uint32Array;
  readonly #bytes = Buffer.alloc(256);
  #state: number;

  constructor(hosts: number, seed = 1) {
    this.#span = Math.log(hosts + 1);
    this.#counts = new Uint32Array(hosts);
    this.#state = seed;
  }

  next(): { readonly host: string; readonly url: string } {
    const rank = Math.floor(Math.exp(this.#random() * this.#span)) - 1;
    const id = this.#counts[rank]++;
    const text = `https://www.site-${rank}.com/section/${id >> 7}/article-${id}.html`;
    // Through bytes, like URLs from the sieve: a concatenated string is costly for its first
    // reader.
    const url = this.#bytes.toString('latin1', 0, this.#bytes.write(text, 'latin1'));
    return { host: hostOf(url), url };
  }

  /** URLs made for each host so far. */
  get counts(): Uint32Array {
    return this.#counts;
  }

  /** Mulberry32. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}
