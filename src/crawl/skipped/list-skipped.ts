/**
 * The list of what a crawl did not fetch, or did not keep, from the logs of its agents.
 *
 * Ensures   Each URL once, in the order of their bytes, with the weightiest of its reasons (of
 *           several as a link, any of them); none that was fetched and kept. A page that was kept
 *           is listed if its links were not all read. A running crawl can be listed: what is not
 *           written yet is missing.
 * Cost      The memory given; beyond it, runs of sorted lines in a temporary folder.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileWindow } from '../../archive/warc/file-window.ts';
import { inflateMember } from '../../archive/warc/gzip-reading.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { inTemporaryFolder } from '../../disk/temporary-folder.ts';
import { skippedDir } from './skip-log.ts';
import { kindOf, LINKS_NOT_READ, SKIP_REASONS, type SkipKind } from './skip-reasons.ts';

export interface SkippedUrl {
  readonly url: string;
  readonly kind: SkipKind;
  /** As it is counted in `refused` or `errors`; `disallowed` for robots.txt. */
  readonly reason: string;
}

const MEMORY: Bytes = 64 * 2 ** 20;
/** More than the largest piece of text that is compressed at once. */
const LARGEST: Bytes = 2 ** 20;
const WIDTH: Bytes = 2 ** 18;

interface ListOptions {
  readonly memory?: Bytes;
  /** Called with a sentence about a file that is damaged. */
  readonly onDamage?: (sentence: string) => void;
}

/** Calls `show` with the skipped URLs, some at a time. */
export async function listSkipped(
  disk: Disk,
  dir: string,
  show: (urls: AsyncIterable<readonly SkippedUrl[]>) => Promise<void>,
  { memory = MEMORY, onDamage = () => {} }: ListOptions = {},
): Promise<void> {
  const folder = skippedDir(dir);
  const names = await disk.list(folder).catch(() => undefined);
  if (names === undefined) throw noList(dir);
  await inTemporaryFolder(disk, tmpdir(), 'drumlin-skipped-', async (temporary) => {
    const sorter = new LineSorter(disk, temporary, 'skipped', memory);
    for (const name of names) {
      for await (const line of linesOf(disk, join(folder, name), onDamage)) {
        const [reason, url] = line.split('\t');
        await sorter.add(`${url}\t${reason}`);
      }
    }
    await show(decided(sorter.sorted()));
  });
}

/** One answer for each URL. */
async function* decided(sorted: AsyncIterable<string[]>): AsyncGenerator<readonly SkippedUrl[]> {
  let url = '';
  let reasons = new Set<string>();
  for await (const lines of sorted) {
    const found: SkippedUrl[] = [];
    for (const line of lines) {
      const [next, reason] = line.split('\t');
      if (next !== url) {
        found.push(...answerFor(url, reasons));
        url = next;
        reasons = new Set();
      }
      reasons.add(reason);
    }
    yield found;
  }
  yield answerFor(url, reasons);
}

/** The empty reason stands for a page that was kept. */
function answerFor(url: string, reasons: ReadonlySet<string>): SkippedUrl[] {
  const counting = [...reasons].filter((one) =>
    reasons.has('') ? LINKS_NOT_READ.has(one) : one !== '',
  );
  if (counting.length === 0) return [];
  const reason = counting.reduce((a, b) => (weightOf(a) <= weightOf(b) ? a : b));
  return [{ url, kind: kindOf(reason), reason }];
}

const ORDER = new Map(Object.keys(SKIP_REASONS).map((reason, i) => [reason, i]));
/** A failure says more than any reason before it. */
const weightOf = (reason: string): number => ORDER.get(reason) ?? -1;

/** The lines of a log; a member that was not written whole ends it. */
async function* linesOf(
  disk: Disk,
  path: string,
  onDamage: (sentence: string) => void,
): AsyncGenerator<string> {
  for await (const member of membersOf(disk, path, onDamage))
    for (const line of member.toString('latin1').split('\n')) if (line !== '') yield line;
}

/** The text of a log, a member at a time. */
async function* membersOf(
  disk: Disk,
  path: string,
  onDamage: (sentence: string) => void,
): AsyncGenerator<Buffer> {
  const file = await disk.open(path, 'read');
  try {
    const window = new FileWindow(file, await file.size());
    for (let offset = 0; offset < window.fileLength; ) {
      const member = inflateMember(await window.at(offset, WIDTH), LARGEST);
      if (typeof member !== 'object') {
        onDamage(`${path} cannot be read after byte ${offset}: the URLs after it are not listed.`);
        return;
      }
      yield Buffer.from(member.content.buffer, member.content.byteOffset, member.content.length);
      offset += member.length;
    }
  } finally {
    await file.close();
  }
}

/**
 * Why one URL was not fetched, or not kept: what the list says of it, without making the list.
 * Undefined if it does not have it, or there is no list. Reads at most `most` bytes of text, the
 * newest run first.
 *
 * Cost      About 3 ns a byte of text.
 */
export async function skippedUrl(
  disk: Disk,
  dir: string,
  url: string,
  most: Bytes = Number.POSITIVE_INFINITY,
): Promise<SkippedUrl | undefined> {
  const folder = skippedDir(dir);
  const names = await disk.list(folder).catch(() => []);
  const wanted = Buffer.from(`\t${url}\n`, 'latin1');
  const reasons = new Set<string>();
  let read = 0;
  for (const name of names.sort((a, b) => runOf(b) - runOf(a)))
    for await (const text of membersOf(disk, join(folder, name), () => {})) {
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
        reasons.add(text.toString('latin1', text.lastIndexOf(LINE_END, at) + 1, at));
      read += text.length;
      if (read > most) return answerFor(url, reasons)[0];
    }
  return answerFor(url, reasons)[0];
}

const LINE_END = 10;
/** The run that wrote `<agent>-<run>.gz`. */
const runOf = (name: string): number => Number(/-(\d+)\.gz$/.exec(name)?.[1] ?? 0);

function noList(dir: string): DrumlinError {
  return new DrumlinError(
    'NOT_LISTED',
    `${dir} has no list of skipped URLs.`,
    'Only the folder of a crawl has one, if --list-skipped was not turned off.',
  );
}
