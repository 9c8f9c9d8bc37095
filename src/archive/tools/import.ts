/**
 * Makes a folder like that of a crawl from any WARC files, for everything that works on crawls:
 * look-ups, graphs, WACZ, deduplication against them.
 *
 * Idea      Files are linked, not copied, if the file system can: importing a terabyte takes one
 *           read of it for the index.
 * Requires  WARC files, folders of them, or crawl folders; and a new folder. A given file of
 *           another kind is refused. Linked files are shared: a change to one changes both.
 * Ensures   The files to the byte, each under a name of its own, and an index of all of them. A
 *           damaged file is imported and reported; its captures before the damage are in the index.
 *           The new folder cannot be resumed as a crawl.
 * Cost      One read of the files; fixed memory.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import { VERSION } from '../../base/version.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { compressionOf, SUFFIXES } from '../compress/compression.ts';
import { Archive, requireWarc, type WarcFile } from '../index/archive.ts';
import { captureOf, cdxjLine, partLine } from '../index/cdxj.ts';
import { archiveDir, mergeIndex, partsDir } from '../index/index-merge.ts';
import { partName } from '../index/index-part.ts';
import { freeName, isWarcName } from '../warc/warc-names.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';

const IMPORT_FILE = 'import.json';
const COPY_BYTES: Bytes = 2 ** 20;
const BATCH_BYTES: Bytes = 2 ** 18;

interface ImportOptions {
  /** Copies files even if they could be linked. */
  readonly copy?: boolean | undefined;
  readonly now: Millis;
  readonly onWarning?: (sentence: string) => void;
}

interface ImportReport {
  readonly files: number;
  /** Number of linked files. */
  readonly linked: number;
  readonly captures: number;
}

export async function importWarcs(
  disk: Disk,
  places: readonly string[],
  dir: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const sources: WarcFile[] = [];
  for (const place of places) {
    const { files } = await Archive.open(disk, place);
    if (files[0]?.path === place) await requireWarc(disk, place);
    for (const file of files) sources.push(file);
  }
  await requireNew(disk, dir);
  for (const folder of [archiveDir(dir), partsDir(dir)]) await disk.makeFolder(folder);
  const names = new Set<string>();
  let linked = 0;
  for (const source of sources) {
    const name = freeName(await properName(disk, source), names);
    names.add(name);
    const path = join(archiveDir(dir), name);
    if (!options.copy && (await disk.link(source.path, path))) linked++;
    else await copyFile(disk, source.path, path);
    await writePart(disk, path, name, partsDir(dir), options.onWarning);
  }
  await disk.syncFolder(archiveDir(dir));
  const captures = await mergeIndex(disk, dir);
  const about = {
    ...{ drumlin: 'import', version: VERSION, time: new Date(options.now).toISOString() },
    sources: places,
    captures,
  };
  await replaceFile(disk, dir, IMPORT_FILE, Buffer.from(`${JSON.stringify(about, null, 2)}\n`));
  return { files: sources.length, linked, captures };
}

async function requireNew(disk: Disk, dir: string): Promise<void> {
  await disk.makeFolder(dir);
  if ((await disk.list(dir)).length === 0) return;
  throw new DrumlinError(
    'FOLDER_NOT_EMPTY',
    `${dir} is not empty.`,
    'Choose an empty or a new folder with --dir.',
    { exitCode: EXIT.folder },
  );
}

/** A name with the extension that fits the content of the file. */
async function properName(disk: Disk, { name, path }: WarcFile): Promise<string> {
  if (isWarcName(name)) return name;
  const file = await disk.open(path, 'read');
  try {
    const beginning = Buffer.alloc(4);
    await file.readUpTo(beginning, 0);
    return `${name}.warc${SUFFIXES[compressionOf(beginning)]}`;
  } finally {
    await file.close();
  }
}

async function copyFile(disk: Disk, from: string, to: string): Promise<void> {
  const source = await disk.open(from, 'read');
  try {
    const target = await BatchFile.create(disk, to);
    try {
      const bytes = Buffer.allocUnsafe(COPY_BYTES);
      for (;;) {
        const length = await source.readUpTo(bytes, target.length);
        if (length === 0) break;
        await target.append([bytes.subarray(0, length)]);
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Writes the part of the index that a crawl would have written with the file. */
async function writePart(
  disk: Disk,
  path: string,
  name: string,
  folder: string,
  warn: ((sentence: string) => void) | undefined,
): Promise<void> {
  const part = await BatchFile.create(disk, join(folder, partName(name)));
  try {
    const reader = readWarc(path, { disk });
    let lines = '';
    for await (const record of reader) {
      lines += lineOf(record, name);
      if (lines.length < BATCH_BYTES) continue;
      await part.append([Buffer.from(lines, 'latin1')]);
      lines = '';
    }
    if (lines !== '') await part.append([Buffer.from(lines, 'latin1')]);
    await part.sync();
    const { fault } = reader;
    if (fault)
      warn?.(
        `${name} is ${fault.kind} at byte ${fault.offset} (${fault.fact}): records after it are not indexed.`,
      );
  } finally {
    await part.close();
  }
}

function lineOf(record: WarcRecord, name: string): string {
  const capture = captureOf(record, name);
  if (!capture) return '';
  const id = /^<urn:uuid:([0-9a-f-]+)>$/.exec(record.headers.get('WARC-Record-ID') ?? '')?.[1];
  const date = /^[0-9TZ:.-]+Z$/.exec(record.headers.get('WARC-Date') ?? '')?.[0];
  const isOriginal =
    record.type === 'response' && capture.digest !== '-' && id !== undefined && date !== undefined;
  return isOriginal ? partLine(capture, { id, date }) : cdxjLine(capture);
}
