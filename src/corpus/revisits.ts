/**
 * How often each page was fetched again and was the same: revisit records, joined with the pages
 * that they refer to.
 *
 * Idea      Both sides have keys: the identifier of the record, or its URL and date where a revisit
 *           names only these. The keys of all revisits and of all pages are sorted together, so
 *           memory does not depend on their number.
 */
import type { WarcRecord } from '../archive/warc/warc-reader.ts';
import type { Bytes } from '../base/units.ts';
import { xxh64 } from '../base/xxh64.ts';
import type { Disk } from '../disk/disk.ts';
import { LineSorter } from '../disk/line-sort.ts';
import { bareId } from './stored-page.ts';

/** The key of the record that a revisit refers to. */
export function revisitKey({ headers }: WarcRecord): string {
  const id = headers.get('WARC-Refers-To');
  if (id !== undefined) return idKey(bareId(id));
  const url = headers.get('WARC-Refers-To-Target-URI') ?? headers.targetUri ?? '';
  return urlKey(
    url.replace(/^<(.*)>$/, '$1'),
    Date.parse(headers.get('WARC-Refers-To-Date') ?? ''),
  );
}

/** The keys under which revisits may refer to a page. */
export const pageKeys = (id: string, url: string, date: number): string[] => [
  idKey(id),
  urlKey(url, date),
];

const idKey = (id: string) => hex(`i ${id.toLowerCase()}`);
/** Writers disagree about fractions of seconds. */
const urlKey = (url: string, date: number) => hex(`u ${Math.floor(date / 1000)} ${url}`);
const hex = (text: string) => xxh64(text).toString(16).padStart(16, '0');

/** Collects the keys of revisits and pages, and counts. */
export class RevisitJoin {
  readonly #lines: LineSorter;

  constructor(disk: Disk, folder: string, memory: Bytes) {
    this.#lines = new LineSorter(disk, folder, 'revisits', memory);
  }

  /** Await what it returns, if it returns anything. */
  revisit(key: string): Promise<void> | undefined {
    return this.#lines.add(`${key} 0`);
  }

  /** `side` tells which of its keys it is. Await what it returns, if it returns anything. */
  page(key: string, row: number, side: number): Promise<void> | undefined {
    return this.#lines.add(`${key} 1 ${row} ${side}`);
  }

  /**
   * Calls `take` for every page with revisits; a page may come twice, once for each of its keys.
   */
  async finish(take: (row: number, count: number, side: number) => Promise<void>): Promise<void> {
    let [key, count] = ['', 0];
    for await (const lines of this.#lines.sorted()) {
      for (const line of lines) {
        const [next, kind, row, side] = line.split(' ');
        if (next !== key) [key, count] = [next, 0];
        if (kind === '0') count++;
        else if (count > 0) await take(Number(row), count, Number(side));
      }
    }
  }
}
