/** The WARC files of an export, in order: those of the first place, then those of the next. */
import { basename, resolve } from 'node:path';
import { Archive, requireWarc } from '../archive/index/archive.ts';
import { freeName } from '../archive/warc/warc-names.ts';
import type { Bytes } from '../base/units.ts';
import type { Disk } from '../disk/disk.ts';

export interface InputFile {
  /** Its name in the corpus: that of the file, changed if another file has it already. */
  readonly name: string;
  readonly path: string;
  readonly bytes: Bytes;
  /** The crawl it is part of, unless the file itself names one. */
  readonly crawl: string;
  /** The folder of the crawl that it is in, whose name then counts. */
  readonly folder?: string;
}

export async function inputFiles(disk: Disk, places: readonly string[]): Promise<InputFile[]> {
  const inputs: InputFile[] = [];
  const names = new Set<string>();
  for (const place of places) {
    const archive = await Archive.open(disk, place);
    const { files, dir } = archive;
    if (files[0]?.path === place) await requireWarc(disk, place);
    const crawl = basename(resolve(place)).replace(/\.warc(?:\.gz|\.zst)?$/, '');
    for (const { name: given, path } of files) {
      const name = freeName(given, names);
      names.add(name);
      const file = await disk.open(path, 'read');
      const bytes = await file.size();
      await file.close();
      const folder = dir === undefined ? {} : { folder: resolve(dir) };
      inputs.push({ name, path: resolve(path), bytes, crawl, ...folder });
    }
  }
  return inputs;
}
