/** Pages and bytes per second over a sliding window, not since the start of the crawl. */
import type { Bytes, Millis } from '../../base/units.ts';

export interface Rate {
  readonly pages: number;
  readonly bytes: number;
}

interface Sample {
  readonly elapsed: Millis;
  readonly pages: number;
  readonly bytes: Bytes;
}

export class Rates {
  readonly #window: Millis;
  #samples: Sample[] = [];

  constructor(window: Millis) {
    this.#window = window;
  }

  update({ elapsed, pages, bytes }: Sample): Rate {
    const samples = this.#samples;
    samples.push({ elapsed, pages, bytes });
    while (samples.length > 2 && samples[1].elapsed <= elapsed - this.#window) samples.shift();
    const [oldest] = samples;
    // With a single sample, the rate is that since the start.
    const from = samples.length === 1 ? { elapsed: 0, pages: 0, bytes: 0 } : oldest;
    const seconds = Math.max(elapsed - from.elapsed, 1) / 1000;
    return { pages: (pages - from.pages) / seconds, bytes: (bytes - from.bytes) / seconds };
  }
}
