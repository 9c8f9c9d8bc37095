/**
 * Where the pages of a crawl go: the archive, a folder of files, a program's own place, or nowhere.
 *
 * One interface for an agent (`Store`: exact bytes, and part of its checkpoint) and one for a user's program (`PageSink`: pages as
 * `onPage` sees them). Both honour back-pressure: until a page is taken, its host is not asked again.
 */

import type { ExchangeNotes } from '../../archive/warc/warc-record.ts';
import type { StoredAs } from '../../archive/write/exchange-records.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import type { Page } from './page.ts';

/**
 * Ensures   `onAccepted` is called in the very step in which a page is accepted. So what a `cut` holds is what had been told by then:
 *           a checkpoint that stores both has each page either in the store or among the URLs that wait.
 */
export interface Store {
  /** Waits while the store has more to write than it may hold. */
  store(
    exchange: Exchange,
    onAccepted?: (as: StoredAs) => void,
    notes?: ExchangeNotes,
  ): Promise<void>;
  /** Keeps what a name server said, where there is a place for it. */
  storeAnswer?(answer: DnsAnswer): Promise<void>;
  /** Its files, with the lengths that hold what was accepted up to this very moment. */
  cut(): readonly WholeLength[];
  /** Makes everything accepted durable: from then on an earlier `cut` holds. */
  makeDurable(): Promise<void>;
  close(): Promise<void>;
  /** Digests of stored pages that had to make room for others: their next copies are stored again. */
  readonly forgotten: number;
}

/** A place of a user's own. A crawl that goes on after a crash may bring pages of its last seconds again. */
export interface PageSink {
  /** Takes a page; the crawl waits for its promise, and ends if it rejects. */
  write(page: Page): void | Promise<void>;
  /** Called once, when no more pages come, however the crawl ended. */
  close?(): void | Promise<void>;
}
