/**
 * Links as records of five numbers, so that they can be sorted by the page they lead to.
 *
 *   the key of the target, high and low; the key of the page with the link; the epoch
 *
 * A page with itself as target says that its links were read in this epoch: links of a page to
 * itself do not count. A crawl is numbered by its place in the plan, a month or a day from 1970 on.
 */
import type { Bytes, Millis } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { writeText } from '../../disk/text-file.ts';
import type { Epoch } from '../store/index-folder.ts';
import type { PageLink } from './anchor-records.ts';
import { KEPT, type UrlKeys } from './url-keys.ts';

const DAY: Millis = 86_400_000;
/** Numbers of a record. */
export const LINK_WIDTH = 5;
/** Records of a chunk. */
const CHUNK = 4096;

/** The number of the epoch of a time; that of a crawl is its place in the plan. */
export function epochNumber(unit: Epoch, time: Millis, crawl: number): number {
  if (unit === 'crawl') return crawl;
  if (unit === 'day') return Math.floor(time / DAY);
  const date = new Date(time);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** The links of the captures of a run. */
export class LinkRecords {
  readonly #epoch: Epoch;
  readonly #crawls: readonly string[];
  readonly #keys: UrlKeys;
  /** The last page with a link to each slot of the keys. */
  readonly #seenOn = new Float64Array(KEPT);
  #pages = 0;
  #chunks: Uint32Array[] = [];
  /** Numbers in the last chunk. */
  #filled = LINK_WIDTH * CHUNK;

  /** `crawls`: the crawl of each file of the plan. */
  constructor(epoch: Epoch, crawls: readonly string[], keys: UrlKeys) {
    this.#epoch = epoch;
    this.#crawls = [...new Set(crawls)];
    this.#keys = keys;
  }

  /** Memory that the records take. */
  get bytes(): Bytes {
    return 4 * (LINK_WIDTH * CHUNK * (this.#chunks.length - 1) + this.#filled);
  }

  /** The links of a page; those to itself do not count. */
  add(url: string, crawl: string, time: Millis, links: readonly PageLink[]): void {
    const epoch = epochNumber(this.#epoch, time, this.#crawls.indexOf(crawl));
    const keys = this.#keys;
    const page = keys.slotOf(url);
    const [high, low] = [keys.high(page), keys.low(page)];
    this.#record(high, low, high, low, epoch);
    let [stamp, round] = [++this.#pages, keys.round];
    for (const { url: target } of links) {
      if (target === url) continue;
      const slot = keys.slotOf(target);
      // Slots were given away: from here on a link may come twice, which counts once in the end.
      if (keys.round !== round) [stamp, round] = [++this.#pages, keys.round];
      if (this.#seenOn[slot] === stamp) continue;
      this.#seenOn[slot] = stamp;
      this.#record(keys.high(slot), keys.low(slot), high, low, epoch);
    }
  }

  /** Writes the records to a file, and forgets them. */
  async write(disk: Disk, path: string): Promise<void> {
    await writeText(disk, path, async (file) => {
      for (const [i, chunk] of this.#chunks.entries()) {
        const isLast = i === this.#chunks.length - 1;
        await file.write(new Uint8Array(chunk.buffer, 0, isLast ? 4 * this.#filled : undefined));
      }
    });
    this.#chunks = [];
    this.#filled = LINK_WIDTH * CHUNK;
  }

  #record(a: number, b: number, c: number, d: number, e: number): void {
    if (this.#filled === LINK_WIDTH * CHUNK) {
      this.#chunks.push(new Uint32Array(LINK_WIDTH * CHUNK));
      this.#filled = 0;
    }
    const chunk = this.#chunks[this.#chunks.length - 1];
    const at = this.#filled;
    chunk[at] = a;
    chunk[at + 1] = b;
    chunk[at + 2] = c;
    chunk[at + 3] = d;
    chunk[at + 4] = e;
    this.#filled = at + LINK_WIDTH;
  }
}
