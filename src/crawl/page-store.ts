/**
 * Step 10: puts pages into the archive.
 *
 * Ensures   a page that `store` accepted is in its file a few seconds later, and durable after the next `checkpoint`. The URL of
 *           a page counts as waiting until then, so that a disk that refuses costs a second fetch and no page.
 */
import type { WarcWriter, WholeLength } from '../archive/warc-writer.ts';
import type { Clock } from '../clock.ts';
import type { Exchange } from '../fetch/exchange.ts';
import type { Millis } from '../units.ts';

/** How long an accepted page may wait for its batch to fill. */
const FLUSH_AFTER: Millis = 3000;

export class PageStore {
  readonly #writer: WarcWriter | undefined;
  readonly #clock: Clock;
  /** Files of earlier checkpoints, by name. */
  readonly #files: Map<string, WholeLength>;
  #cancelFlush: (() => void) | undefined;

  /** Without a writer nothing is kept. `earlier` are the files that an earlier run has left. */
  constructor(writer: WarcWriter | undefined, clock: Clock, earlier: readonly WholeLength[] = []) {
    this.#writer = writer;
    this.#clock = clock;
    this.#files = new Map(earlier.map((file) => [file.file, file]));
  }

  /** Waits while the archive has more to write than it may hold. */
  async store(exchange: Exchange): Promise<void> {
    if (!this.#writer) return;
    await this.#writer.write(exchange);
    this.#cancelFlush ??= this.#clock.after(FLUSH_AFTER, () => {
      this.#cancelFlush = undefined;
      this.#writer?.flush().catch(() => {}); // the writer keeps its failure, and the next `store` or `close` tells
    });
  }

  /** Makes everything accepted durable; all files of the agent, with the lengths that count. */
  async checkpoint(): Promise<readonly WholeLength[]> {
    for (const file of (await this.#writer?.checkpoint()) ?? []) this.#files.set(file.file, file);
    return [...this.#files.values()];
  }

  async close(): Promise<void> {
    this.#cancelFlush?.();
    await this.#writer?.close();
  }
}
