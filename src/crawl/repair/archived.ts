/**
 * What the archive of a crawl tells about its state: the URLs that were fetched, and the links of
 * their pages.
 *
 * Requires  an archive that nothing writes to.
 * Ensures   every whole record counts. Where a file is damaged or gone, the URLs that its part of
 *           the index holds count as fetched. A WARC file never changes here.
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Archive } from '../../archive/index/archive.ts';
import { parseCdxj } from '../../archive/index/cdxj.ts';
import {
  archiveDir,
  mergeIndex,
  partsDir,
  scannedLines,
  warcNames,
} from '../../archive/index/index-merge.ts';
import { partName } from '../../archive/index/index-part.ts';
import { readWarc, type WarcRecord } from '../../archive/warc/warc-reader.ts';
import { agentOfFile } from '../../archive/write/recovery.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { readLines } from '../../disk/lines.ts';
import { droppedParameters, linksOf } from '../../graph/io/crawl-links.ts';
import { canonicalise } from '../../url/canonical.ts';

/** URLs that were fetched, in batches. */
export async function* fetchedUrls(disk: Disk, dir: string): AsyncGenerator<string[]> {
  const parts = new Set(await disk.list(partsDir(dir)));
  for (const warc of await warcNames(disk, archiveDir(dir))) {
    let isWhole = true;
    const lines = scannedLines(disk, join(archiveDir(dir), warc), warc, () => {
      isWhole = false;
    });
    for await (const some of lines) yield urlsOf(some);
    if (isWhole) parts.delete(partName(warc));
  }
  for (const part of parts) {
    if (!part.endsWith('.cdxj')) continue;
    for await (const lines of readLines(disk, join(partsDir(dir), part))) yield urlsOf(lines);
  }
}

/** The names of records are canonical, except for what other programs have put there. */
const urlsOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => canonicalise(parseCdxj(line)?.url ?? '') ?? []);

/** The links that the crawl would have followed from its pages, a page at a time. */
export async function* archivedLinks(
  disk: Disk,
  dir: string,
): AsyncGenerator<{ readonly url: string; readonly targets: readonly string[] }> {
  const names = await warcNames(disk, archiveDir(dir));
  if (names.length === 0) return;
  const drop = await droppedParameters(disk, dir);
  await mergeIndex(disk, dir); // for records that refer to others
  const archive = await Archive.open(disk, dir);
  // In a damaged file there may be none.
  const originalOf = (record: WarcRecord) => archive.original(record).catch(() => undefined);
  for (const warc of names) {
    for await (const record of readWarc(join(archiveDir(dir), warc), { disk })) {
      const page = record.type === 'revisit' ? await originalOf(record) : record;
      const links = await linksOf(record, page ?? record, drop, false);
      if (links && links.targets.length > 0) yield links;
    }
  }
}

/**
 * The archive files of an agent whose checkpoint is lost, or which are shorter than it says: with
 * all their whole records. Their parts of the index are made again.
 */
export async function wholeFiles(
  disk: Disk,
  dir: string,
  agent: number,
  stored: readonly WholeLength[] | undefined,
): Promise<WholeLength[]> {
  const archive = archiveDir(dir);
  const names = await warcNames(disk, archive);
  const ours = stored ?? names.filter((name) => agentOfFile(name) === String(agent)).map(unknown);
  const files: WholeLength[] = [];
  for (const known of ours) {
    const isThere = names.includes(known.file);
    const size = isThere ? await sizeOf(disk, join(archive, known.file)) : Infinity;
    files.push(size >= known.length ? known : await measured(disk, dir, known.file));
  }
  return files;
}

const unknown = (file: string): WholeLength => ({ file, length: Infinity, index: 0 });

async function measured(disk: Disk, dir: string, file: string): Promise<WholeLength> {
  const path = join(archiveDir(dir), file);
  let length = await sizeOf(disk, path);
  const onFault = (at: number) => {
    length = at;
  };
  const lines: string[] = [];
  for await (const some of scannedLines(disk, path, file, onFault)) lines.push(...some);
  const part = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  await replaceFile(disk, partsDir(dir), partName(file), part);
  return { file, length, index: part.length, sum: crc32(part) };
}

async function sizeOf(disk: Disk, path: string): Promise<number> {
  const file = await disk.open(path, 'read');
  try {
    return await file.size();
  } finally {
    await file.close();
  }
}
