/**
 * Writes pages to the archive.
 *
 * Ensures   An accepted page is in its file a few seconds later, and durable after the next
 *           `makeDurable`. `onAccepted` is called in the same step in which the page is accepted.
 *           So `lengths` covers exactly the pages reported by then: a checkpoint that stores both
 *           has each page either in the archive or among the queued URLs, never in both.
 */

import type { StoredPayloads } from '../../archive/payloads/stored-payloads.ts';
import { dnsResource } from '../../archive/warc/dns-record.ts';
import type { ExchangeNotes, Resource } from '../../archive/warc/warc-record.ts';
import type { StoredAs } from '../../archive/write/exchange-records.ts';
import type { WarcWriter, WholeLength } from '../../archive/write/warc-writer.ts';
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import type { Store } from './store.ts';

/** The longest time that an accepted page stays in memory while its batch fills. */
const FLUSH_AFTER: Millis = 3000;

export class ArchiveStore implements Store {
  readonly #writer: WarcWriter | undefined;
  readonly #clock: Clock;
  /** Files of earlier checkpoints, by name. */
  readonly #files: Map<string, WholeLength>;
  readonly #payloads: Pick<StoredPayloads, 'forgotten'> | undefined;
  #cancelFlush: (() => void) | undefined;

  /** Without a writer nothing is stored. `earlier` are the files of earlier runs. */
  constructor(
    writer: WarcWriter | undefined,
    clock: Clock,
    earlier: readonly WholeLength[] = [],
    payloads?: Pick<StoredPayloads, 'forgotten'>,
  ) {
    this.#writer = writer;
    this.#payloads = payloads;
    this.#clock = clock;
    this.#files = new Map(earlier.map((file) => [file.file, file]));
  }

  get forgotten(): number {
    return this.#payloads?.forgotten ?? 0;
  }

  /** Waits while too much data is not written yet. */
  async store(
    exchange: Exchange,
    onAccepted: (as: StoredAs) => void = () => {},
    notes?: ExchangeNotes,
  ): Promise<void> {
    if (!this.#writer) return onAccepted('response');
    await this.#writer.write(exchange, onAccepted, notes);
    this.#flushSoon();
  }

  async storeAnswer(answer: DnsAnswer): Promise<void> {
    await this.storeResource(dnsResource(answer));
  }

  async storeResource(resource: Resource): Promise<void> {
    await this.#writer?.writeResource(resource);
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#clock.after(FLUSH_AFTER, () => {
      this.#cancelFlush = undefined;
      // The writer remembers a failure; the next `store` or `close` throws it.
      this.#writer?.flush().catch(() => {});
    });
  }

  /** All files of the agent, with the lengths that cover everything accepted up to now. */
  lengths(): readonly WholeLength[] {
    for (const file of this.#writer?.mark() ?? []) this.#files.set(file.file, file);
    return [...this.#files.values()];
  }

  /** Makes everything accepted so far durable; then earlier `lengths` are valid. */
  async makeDurable(): Promise<void> {
    for (const file of (await this.#writer?.checkpoint()) ?? []) this.#files.set(file.file, file);
  }

  async close(): Promise<void> {
    this.#cancelFlush?.();
    await this.#writer?.close();
  }
}
