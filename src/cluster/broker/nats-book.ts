/**
 * The book on a key-value bucket of JetStream.
 *
 * Requires  a bucket whose brokers make every write durable before they acknowledge it
 *           (`sync_interval: always`): `refuseLazyBrokers` checks it.
 * Ensures   as `Book`. A watch that has been silent for too long is begun again: a broker that was
 *           killed may have forgotten it. Every worker writes to the book every few seconds.
 */
import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV, KvWatchEntry } from '@nats-io/kv';
import type { Millis } from '../../base/units.ts';
import type { Book, Entry } from '../lease/book.ts';

/** A write without an answer for this long counts as lost. */
const TIMEOUT: Millis = 4000;
/** Another has written the key: the second is what brokers with several copies answer. */
const CHANGED: ReadonlySet<number> = new Set([10071, 10164]);
const SILENT: Millis = 12_000;

export class NatsBook implements Book {
  readonly #kv: KV;

  constructor(kv: KV) {
    this.#kv = kv;
  }

  async get<Value>(key: string): Promise<Entry<Value> | undefined> {
    const entry = await this.#kv.get(key);
    if (entry?.operation !== 'PUT') return undefined;
    return { value: entry.json<Value>(), revision: entry.revision };
  }

  create(key: string, value: unknown): Promise<number | undefined> {
    return unlessChanged(() => this.#kv.create(key, JSON.stringify(value)));
  }

  update(key: string, value: unknown, revision: number): Promise<number | undefined> {
    return unlessChanged(() => this.#kv.update(key, JSON.stringify(value), revision, TIMEOUT));
  }

  async delete(key: string): Promise<void> {
    await this.#kv.delete(key);
  }

  async watch(
    onEntry: (key: string, entry: Entry<unknown> | undefined) => void,
  ): Promise<() => void> {
    let stopped = false;
    let watching: Awaited<ReturnType<KV['watch']>> | undefined;
    let heard = performance.now();
    const take = (entry: KvWatchEntry) => {
      heard = performance.now();
      const { key, operation, revision } = entry;
      onEntry(key, operation === 'PUT' ? { value: entry.json(), revision } : undefined);
    };
    const begin = async () => {
      const entries = await this.#kv.watch();
      watching?.stop();
      watching = entries;
      if (stopped) entries.stop();
      void (async () => {
        for await (const entry of entries) take(entry);
      })().catch(() => {}); // begun again when it is silent
    };
    await this.#all(take);
    await begin();
    const timer = setInterval(() => {
      if (performance.now() - heard < SILENT) return;
      heard = performance.now();
      begin().catch(() => {}); // the next look tries again
    }, SILENT / 4);
    return () => {
      stopped = true;
      clearInterval(timer);
      watching?.stop();
    };
  }

  /** Every key as it is now. */
  async #all(take: (entry: KvWatchEntry) => void): Promise<void> {
    const history = await this.#kv.history();
    for await (const entry of history) take(entry);
  }
}

async function unlessChanged(write: () => Promise<number>): Promise<number | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof JetStreamApiError && CHANGED.has(error.code)) return undefined;
    throw error;
  }
}
