/**
 * The looks at each page in a series of collections: crawls and refreshes of the same pages.
 *
 * Idea      A capture with status 200 is a look; so is a 304 that we asked for. Payload digests
 *           tell whether the page had changed. The verdicts of a refresh add what has no capture:
 *           a dead page needs no more looks. Sitemaps add when pages are said to have changed
 *           (history.ts).
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
import { History } from './history.ts';
import { statementsIn } from './statements.ts';

const SORT_MEMORY: Bytes = 64 * 2 ** 20;
export interface LookedAt {
  readonly url: string;
  readonly looks: readonly Look[];
  /** When it was last looked at. */
  readonly last: Millis;
}

/**
 * What a line is about: `dead`, `same` as before (304), a statement of a sitemap, a payload of
 * unknown digest, or the digest of the payload.
 */
const [DEAD, SAME, STATED, UNKNOWN] = ['-', '=', '@', '?'];

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
  for await (const capture of archive.captures()) {
    const { url, timestamp, mime, status, digest } = capture;
    const name = /^https?:/.test(url) ? canonicalise(url) : undefined;
    if (name === undefined || pathOf(name) === '/robots.txt') continue;
    const time = String(millisOf(timestamp)).padStart(15, '0');
    for await (const { page, from, to } of statementsIn(archive, capture))
      await sorter.add(`${page} ${time} ${STATED}${from}-${to}`);
    if (status === '304' && mime === REVISIT_MIME) await sorter.add(`${name} ${time} ${SAME}`);
    else if (status === '200')
      await sorter.add(`${name} ${time} ${digest === '-' ? UNKNOWN : digest}`);
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
  let page: Noted | undefined;
  for await (const lines of batches) {
    for (const line of lines) {
      const [url, time, what] = line.split(' ');
      if (page?.url !== url) {
        if (page?.history.isAlive) yield seen(page);
        page = { url, history: new History() };
      }
      note(page.history, Number(time), what);
    }
  }
  if (page?.history.isAlive) yield seen(page);
}

interface Noted {
  readonly url: string;
  readonly history: History;
}

const seen = ({ url, history: { looks, last } }: Noted): LookedAt => ({ url, looks, last });

function note(history: History, time: Millis, what: string): void {
  if (what === DEAD) history.dead();
  else if (what === UNKNOWN) history.glance(time);
  else if (what.startsWith(STATED)) {
    const [from, to] = what.slice(STATED.length).split('-').map(Number);
    history.stated(time, { from, to });
  } else history.look(time, what === SAME ? undefined : what);
}
