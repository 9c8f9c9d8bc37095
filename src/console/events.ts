/**
 * The state of a crawl as server-sent events: `status` when it has changed, `log` with new lines.
 *
 * Ensures   A crawl is looked at once for all who watch it, and only while somebody does. A watcher
 *           that reads too slowly misses events; the next `status` holds all that counts.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { Reply, StreamClient } from '../net/loopback-server.ts';

const EVERY: Millis = 1500;

/** A crawl that can be watched. */
export interface Watched {
  /** The same for all who watch the same crawl. */
  readonly key: string;
  status(): Promise<unknown>;
  /** Where the log ends now. */
  logEnd(): Promise<number>;
  /** What came since the log ended at `from`. */
  logAfter(from: number): Promise<{ readonly lines: readonly unknown[]; readonly end: number }>;
}

export class Feeds {
  readonly #clock: Clock;
  readonly #feeds = new Map<string, Feed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watch(watched: Watched): Reply {
    return {
      ...{ status: 200, text: 'retry: 2000\n\n', type: 'text/event-stream' },
      headers: { 'x-accel-buffering': 'no' },
      stream: (client) => {
        const feed = this.#feeds.get(watched.key) ?? new Feed(this.#clock, watched);
        this.#feeds.set(watched.key, feed);
        feed.add(client);
      },
    };
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.end();
  }
}

class Feed {
  readonly #clock: Clock;
  readonly #watched: Watched;
  readonly #clients = new Set<StreamClient>();
  #cancel: (() => void) | undefined;
  #last = '';
  #logEnd: number | undefined;

  constructor(clock: Clock, watched: Watched) {
    this.#clock = clock;
    this.#watched = watched;
  }

  add(client: StreamClient): void {
    this.#clients.add(client);
    client.onClose(() => {
      this.#clients.delete(client);
      if (this.#clients.size === 0) this.end();
    });
    if (this.#last !== '') client.send(`event: status\ndata: ${this.#last}\n\n`);
    if (!this.#cancel) void this.#look();
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#last = '';
    this.#logEnd = undefined;
  }

  async #look(): Promise<void> {
    this.#cancel = () => {};
    try {
      await this.#sendNews();
    } catch (error) {
      this.#send('fault', JSON.stringify({ fact: String((error as Error)?.message) }));
    }
    if (this.#clients.size > 0) this.#cancel = this.#clock.after(EVERY, () => void this.#look());
    else this.#cancel = undefined;
  }

  async #sendNews(): Promise<void> {
    const status = JSON.stringify(await this.#watched.status());
    if (status !== this.#last) this.#send('status', status);
    else for (const client of this.#clients) client.send(': still here\n\n');
    this.#last = status;
    if (this.#logEnd === undefined) {
      this.#logEnd = await this.#watched.logEnd();
      return;
    }
    const from = this.#logEnd;
    const { lines, end } = await this.#watched.logAfter(from);
    this.#logEnd = end;
    if (lines.length > 0) this.#send('log', JSON.stringify({ from, lines }));
  }

  #send(event: string, data: string): void {
    for (const client of this.#clients) client.send(`event: ${event}\ndata: ${data}\n\n`);
  }
}
