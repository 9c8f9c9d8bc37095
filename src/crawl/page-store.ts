/**
 * Step 10: puts pages into the archive, and knows which of them are really there.
 *
 * Ensures   a page that `store` accepted is on disk a few seconds later, or it is among `unsaved`: when the disk refuses, the
 *           crawl can fetch it again instead of counting it as done.
 */
import type { WarcWriter } from '../archive/warc-writer.ts';
import type { Clock } from '../clock.ts';
import type { Exchange } from '../fetch/exchange.ts';
import type { Discovery } from '../frontier/discovery.ts';
import type { Millis } from '../units.ts';

/** How long an accepted page may wait for its batch to fill. */
const FLUSH_AFTER: Millis = 3000;

export class PageStore {
  readonly #writer: WarcWriter | undefined;
  readonly #clock: Clock;
  #unsaved: Discovery[] = [];
  #cancelFlush: (() => void) | undefined;

  /** Without a writer nothing is kept. */
  constructor(writer: WarcWriter | undefined, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Accepted and not known to be on disk. */
  get unsaved(): readonly Discovery[] {
    return this.#unsaved;
  }

  /** Waits while the archive has more to write than it may hold. A file without a discovery (robots.txt) is not missed. */
  async store(exchange: Exchange, discovery?: Discovery): Promise<void> {
    if (!this.#writer) return;
    await this.#writer.write(exchange);
    if (discovery) this.#unsaved.push(discovery);
    this.#cancelFlush ??= this.#clock.after(FLUSH_AFTER, () => {
      this.#cancelFlush = undefined;
      this.#flush().catch(() => {}); // the writer keeps its failure, and the next `store` or `close` tells
    });
  }

  async close(): Promise<void> {
    this.#cancelFlush?.();
    try {
      if (this.#writer) await this.#flush();
    } finally {
      await this.#writer?.close();
    }
  }

  async #flush(): Promise<void> {
    const accepted = this.#unsaved.length;
    await this.#writer?.flush();
    this.#unsaved = this.#unsaved.slice(accepted);
  }
}
