/**
 * The folder of an index: which parts count, and what each holds.
 *
 * Ensures   A part counts when index.json names it; that file is replaced in one step. An index of
 *           another version, or a folder that is no index, is an error.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { sumOf, withSum } from '../../disk/summed-json.ts';
import { INDEX_VERSION } from './formats.ts';
import { damagedIndex, type FileLengths } from './index-file.ts';

export type Epoch = 'crawl' | 'month' | 'day';

export interface IndexSettings {
  readonly epoch: Epoch;
  readonly positions: boolean;
  /** Postings of a block. */
  readonly block: number;
  /** Whether links are kept; absent in indexes made before they were. */
  readonly links?: boolean;
}

/** A crawl with the times of its first and last capture. */
export interface CrawlSpan {
  readonly name: string;
  readonly first: Millis;
  readonly last: Millis;
}

/** A WARC file that was indexed. */
export interface IndexedFile {
  readonly path: string;
  readonly bytes: number;
  /** The place that the user named: what `drumlin archive get` takes. */
  readonly place: string;
  /** The name of its crawl; absent in parts made before it was kept. */
  readonly crawl?: string;
}

/** The links of a part. */
export interface LinkInfo {
  /** URLs: pages, and what they link to. */
  readonly nodes: number;
  readonly links: number;
  /** The crawls that epochs number, in the order of time; empty if epochs are months or days. */
  readonly crawls: readonly string[];
}

export interface PartInfo {
  readonly files: readonly IndexedFile[];
  readonly languages: readonly string[];
  readonly crawls: readonly CrawlSpan[];
  readonly versions: number;
  readonly terms: number;
  readonly postings: number;
  /** Absent in parts made before lengths were kept. */
  readonly lengths?: FileLengths;
  /** Absent if the part has no links. */
  readonly links?: LinkInfo;
  /** Anchors of links to pages; absent without links, and in parts made before they were kept. */
  readonly anchors?: number;
}

export interface IndexManifest {
  readonly settings: IndexSettings;
  readonly parts: readonly PartInfo[];
}

const NAME = 'index.json';
const KIND = 'search index';

export const partFolder = (folder: string, part: number): string =>
  join(folder, 'parts', String(part).padStart(5, '0'));

export async function writeManifest(
  disk: Disk,
  folder: string,
  manifest: IndexManifest,
): Promise<void> {
  const text = JSON.stringify({ drumlin: KIND, version: INDEX_VERSION, ...manifest });
  await replaceFile(disk, folder, NAME, Buffer.from(withSum(text)));
}

/** The manifest; undefined if the folder has none. */
export async function readManifest(disk: Disk, folder: string): Promise<IndexManifest | undefined> {
  const path = join(folder, NAME);
  const text = await textOf(disk, path);
  if (text === undefined) return undefined;
  let stored: { drumlin?: unknown; version?: unknown } & IndexManifest;
  try {
    stored = JSON.parse(text);
  } catch {
    throw damagedIndex(path, 'is damaged: it is not JSON');
  }
  if (stored?.drumlin !== KIND) throw noIndex(folder);
  if (stored.version !== INDEX_VERSION)
    throw new DrumlinError(
      'INDEX_VERSION',
      `${folder} is an index of version ${stored.version}; this build reads version ${INDEX_VERSION}.`,
      'Index the archives again into another folder with "drumlin search index".',
      { exitCode: EXIT.folder },
    );
  if (sumOf(text) !== 'right') throw damagedIndex(path, 'is damaged: its checksum is wrong');
  return stored;
}

export async function requireManifest(disk: Disk, folder: string): Promise<IndexManifest> {
  const manifest = await readManifest(disk, folder);
  if (manifest === undefined) throw noIndex(folder);
  return manifest;
}

function noIndex(folder: string): DrumlinError {
  return new DrumlinError(
    'NO_INDEX',
    `${folder} is not an index.`,
    `Make one with "drumlin search index ARCHIVE --out ${folder}".`,
    { exitCode: EXIT.folder },
  );
}

async function textOf(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return await disk.readText(path);
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
}
