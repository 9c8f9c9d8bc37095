/**
 * The looks at each page in a series of collections: crawls and refreshes of the same pages.
 *
 * Idea      A capture with status 200 is a look; so is a 304 that we asked for. Payload digests
 *           tell whether the page had changed. The verdicts of a refresh add what has no capture:
 *           a dead page needs no more looks.
 * Ensures   pages in the order of their URLs, each once. A page that was dead at the last look is
 *           left out.
 * Cost      a sort of a line per capture and verdict, in fixed memory.
 */
import { join } from 'node:path';
import { Archive, millisOf } from '../../archive/index/archive.ts';
import { REVISIT_MIME } from '../../archive/index/cdxj.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { canonicalise } from '../../url/canonical.ts';
import { pathOf } from '../../url/parts.ts';
import { VERDICT } from '../orders/order.ts';
import { refreshDir, VERDICT_FILE } from '../refresh-folder.ts';
import { livenessOf, type VerdictName } from '../verdict.ts';
import type { Look } from './change-rate.ts';

const SORT_MEMORY: Bytes = 64 * 2 ** 20;
/** The unit of time of rates. */
export const DAY: Millis = 86_400_000;

export interface LookedAt {
  readonly url: string;
  readonly looks: readonly Look[];
  /** When it was last looked at. */
  readonly last: Millis;
}

/** What a line is about: `dead`, `same` as before (304), or the digest of the payload. */
const [DEAD, SAME] = ['-', '='];

export async function* looksIn(
  disk: Disk,
  folders: readonly string[],
  scratch: string,
): AsyncGenerator<LookedAt> {
  const sorter = new LineSorter(disk, scratch, 'looks', SORT_MEMORY);
  try {
    for (const folder of folders) {
      await addCaptures(disk, folder, sorter);
      await addVerdicts(disk, folder, sorter);
    }
    yield* grouped(sorter.sorted());
  } finally {
    await sorter.close();
  }
}

async function addCaptures(disk: Disk, folder: string, sorter: LineSorter): Promise<void> {
  const archive = await Archive.open(disk, folder);
  for await (const { url, timestamp, mime, status, digest } of archive.captures()) {
    const name = /^https?:/.test(url) ? canonicalise(url) : undefined;
    if (name === undefined || pathOf(name) === '/robots.txt') continue;
    const time = String(millisOf(timestamp)).padStart(15, '0');
    if (status === '304' && mime === REVISIT_MIME) await sorter.add(`${name} ${time} ${SAME}`);
    else if (status === '200') await sorter.add(`${name} ${time} ${digest === '-' ? '?' : digest}`);
    else if (status === '404' || status === '410') await sorter.add(`${name} ${time} ${DEAD}`);
  }
}

async function addVerdicts(disk: Disk, folder: string, sorter: LineSorter): Promise<void> {
  const path = join(refreshDir(folder), VERDICT_FILE);
  try {
    for await (const lines of readLines(disk, path)) {
      for (const line of lines.slice()) {
        const [url, verdict, , time] = line.split('\t');
        if (time === undefined || Number.isNaN(Date.parse(time))) continue;
        if (livenessOf(verdict as VerdictName) !== VERDICT.dead) continue;
        await sorter.add(`${url} ${String(Date.parse(time)).padStart(15, '0')} ${DEAD}`);
      }
    }
  } catch (error) {
    // A crawl that is no refresh has none.
    if (!(error instanceof DrumlinError && error.code === 'FILE_MISSING')) throw error;
  }
}

async function* grouped(batches: AsyncIterable<string[]>): AsyncGenerator<LookedAt> {
  let page: History | undefined;
  for await (const lines of batches) {
    for (const line of lines) {
      const [url, time, what] = line.split(' ');
      if (page?.url !== url) {
        if (page?.isAlive) yield page.asSeen();
        page = new History(url);
      }
      page.add(Number(time), what);
    }
  }
  if (page?.isAlive) yield page.asSeen();
}

/** What is known of a page, look by look. */
class History {
  readonly url: string;
  readonly #looks: Look[] = [];
  #last = Number.NaN;
  #digest: string | undefined;
  isAlive = false;

  constructor(url: string) {
    this.url = url;
  }

  add(time: Millis, what: string): void {
    this.isAlive = what !== DEAD;
    if (what === DEAD) return;
    if (this.#digest !== undefined && time > this.#last) {
      const changed = what !== SAME && what !== this.#digest;
      this.#looks.push({ time: (time - this.#last) / DAY, changed });
    }
    this.#last = time;
    if (what !== SAME) this.#digest = what;
    else this.#digest ??= SAME;
  }

  asSeen(): LookedAt {
    return { url: this.url, looks: this.#looks, last: this.#last };
  }
}
