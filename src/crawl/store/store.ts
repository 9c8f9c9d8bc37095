/**
 * Where the pages of a crawl go: the archive, a folder of files, a user's own sink, or nowhere.
 *
 * Agents use `Store`: exact bytes, part of their checkpoints. Programs implement `PageSink`: pages
 * as `onPage` sees them. Both exert back-pressure: until a page is accepted, its host is not
 * fetched from again.
 */

import type { ExchangeNotes, Resource } from '../../archive/warc/warc-record.ts';
import type { StoredAs } from '../../archive/write/exchange-records.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import type { ReadablePage } from './readable-page.ts';

/**
 * The store of an agent.
 *
 * Ensures   `onAccepted` is called in the same step in which a page is accepted. So `lengths`
 *           covers exactly the pages reported by then: a checkpoint that stores both has each page
 *           either in the store or among the queued URLs.
 */
export interface Store {
  /** Stores a page; waits while too much data is not written yet. */
  store(
    exchange: Exchange,
    onAccepted?: (as: StoredAs) => void,
    notes?: ExchangeNotes,
  ): Promise<void>;
  /** Stores the answer of a name server; absent if the store has no place for it. */
  storeAnswer?(answer: DnsAnswer): Promise<void>;
  /** Stores what is no exchange of HTTP; absent if the store has no place for it. */
  storeResource?(resource: Resource): Promise<void>;
  /** Its files, with the lengths that cover everything accepted up to now. */
  lengths(): readonly WholeLength[];
  /** Makes everything accepted so far durable; then earlier `lengths` are valid. */
  makeDurable(): Promise<void>;
  close(): Promise<void>;
  /** Digests of stored pages dropped from memory: the next copies of these are stored again. */
  readonly forgotten: number;
}

/** A user's own store. After a crash, the pages of the last seconds may be written again. */
export interface PageSink {
  /** Writes a page; the crawl waits for its promise, and fails if it rejects. */
  write(page: ReadablePage): void | Promise<void>;
  /** Called once after the last page, however the crawl ended. */
  close?(): void | Promise<void>;
}
