/**
 * Links as lines of text, so that they can be sorted by the page they lead to.
 *
 *   KEY c EPOCH         a page whose links were read in this epoch
 *   KEY l KEY EPOCH     a link to the first page, on the second
 *
 * Keys are 16 hexadecimal digits, epochs 6. A crawl is numbered by its place in the plan, a month or
 * a day from 1970 on.
 */
import type { Bytes, Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk } from '../../disk/disk.ts';
import { writeText } from '../../disk/text-file.ts';
import { HeldBytes } from '../store/held-bytes.ts';
import type { Epoch } from '../store/index-folder.ts';
import type { PageLink } from './anchor-lines.ts';

const DAY: Millis = 86_400_000;
/** Keys of URLs that are kept: menus repeat. */
const KEPT = 50_000;

export const hex = (value: number | bigint, digits: number): string =>
  value.toString(16).padStart(digits, '0');

/** The number of the epoch of a time; that of a crawl is its place in the plan. */
export function epochNumber(unit: Epoch, time: Millis, crawl: number): number {
  if (unit === 'crawl') return crawl;
  if (unit === 'day') return Math.floor(time / DAY);
  const date = new Date(time);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** The links of the captures of a run. */
export class LinkLines {
  readonly #epoch: Epoch;
  readonly #crawls: readonly string[];
  readonly #keys = new Map<string, string>();
  /** As bytes: strings would take three times as much. */
  readonly #lines = new HeldBytes();

  /** `crawls`: the crawl of each file of the plan. */
  constructor(epoch: Epoch, crawls: readonly string[]) {
    this.#epoch = epoch;
    this.#crawls = [...new Set(crawls)];
  }

  /** Memory that the lines take. */
  get bytes(): Bytes {
    return this.#lines.length;
  }

  /** The links of a page; those to itself do not count. */
  add(url: string, crawl: string, time: Millis, links: readonly PageLink[]): void {
    const epoch = hex(epochNumber(this.#epoch, time, this.#crawls.indexOf(crawl)), 6);
    const page = this.#keyOf(url);
    this.#lines.line(`${page} c ${epoch}`);
    for (const target of new Set(links.map((link) => link.url)))
      if (target !== url) this.#lines.line(`${this.#keyOf(target)} l ${page} ${epoch}`);
  }

  /** Writes the lines to a file, and forgets them. */
  async write(disk: Disk, path: string): Promise<void> {
    await writeText(disk, path, async (file) => {
      for (const piece of this.#lines.take()) await file.write(piece);
    });
  }

  #keyOf(url: string): string {
    let key = this.#keys.get(url);
    if (key === undefined) {
      if (this.#keys.size >= KEPT) this.#keys.clear();
      key = hex(xxh64(url), 16);
      this.#keys.set(url, key);
    }
    return key;
  }
}
