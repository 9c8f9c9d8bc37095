/**
 * Copies WARC files from zstd to gzip: browsers read a WACZ, and their readers do not support zstd.
 *
 * Idea      One copy at a time, beside the WACZ file: memory is fixed, and the extra space is that
 *           of one file. Lines of the index are made when records get their new positions; those of
 *           all other files are taken from the index.
 * Requires  `take` for every file of the archive, then `lines` once, then `close`.
 * Ensures   Every record of a copied file, to the byte, in a gzip member of its own. A truncated
 *           file is copied up to its end, as any reader reads it; a damaged file is refused.
 * Cost      A read of the file and zlib's level 6 for each record.
 */
import { tmpdir } from 'node:os';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { type Compressor, compressionOf, compressorFor } from '../compress/compression.ts';
import type { Archive, WarcFile } from '../index/archive.ts';
import { captureOf, cdxjLine, parseCdxj } from '../index/cdxj.ts';
import { freeName } from '../warc/warc-names.ts';
import { readWarc } from '../warc/warc-reader.ts';

const SORT_MEMORY: Bytes = 64 * 2 ** 20;
const LINE_ENDS = Buffer.from('\r\n\r\n');

export class GzipCopies {
  readonly #disk: Disk;
  readonly #archive: Archive;
  readonly #path: string;
  readonly #sorter: LineSorter;
  readonly #names: Set<string>;
  readonly #copied = new Set<string>();

  /** `path` is the place of the temporary copy. */
  constructor(disk: Disk, archive: Archive, path: string) {
    this.#disk = disk;
    this.#archive = archive;
    this.#path = path;
    this.#sorter = new LineSorter(disk, tmpdir(), `drumlin-copies-${process.pid}`, SORT_MEMORY);
    this.#names = new Set(archive.files.map(({ name }) => name));
  }

  /** The file itself, or its copy, which exists until the next call. */
  async take(file: WarcFile): Promise<WarcFile> {
    if (!(await this.#isZstd(file.path))) return file;
    const name = freeName(`${file.name.replace(/\.zst$/, '')}.gz`, this.#names);
    this.#names.add(name);
    this.#copied.add(file.name);
    await this.#copy(file.path, name);
    return { name, path: this.#path };
  }

  /** The lines of an index of the taken files, in order. */
  async *lines(): AsyncGenerator<string[]> {
    if (this.#copied.size === 0) {
      yield* this.#archive.lines();
      return;
    }
    for await (const lines of this.#archive.lines()) {
      for (const line of lines) {
        if (!this.#copied.has(parseCdxj(line)?.filename ?? '')) await this.#sorter.add(line);
      }
    }
    yield* this.#sorter.sorted();
  }

  async close(): Promise<void> {
    await this.#disk.remove(this.#path);
    await this.#sorter.close();
  }

  async #isZstd(path: string): Promise<boolean> {
    const file = await this.#disk.open(path, 'read');
    try {
      const beginning = Buffer.alloc(4);
      await file.readUpTo(beginning, 0);
      return compressionOf(beginning) === 'zstd';
    } finally {
      await file.close();
    }
  }

  async #copy(from: string, name: string): Promise<void> {
    await this.#disk.remove(this.#path);
    const out = await BatchFile.create(this.#disk, this.#path);
    try {
      await this.#copyRecords(
        from,
        name,
        out,
        await compressorFor({ compress: 'gzip', gzipLevel: 6 }),
      );
    } finally {
      await out.close();
    }
  }

  async #copyRecords(from: string, name: string, out: BatchFile, gzip: Compressor): Promise<void> {
    const reader = readWarc(from, { disk: this.#disk });
    for await (const record of reader) {
      const member = await gzip.member(Buffer.concat([record.bytes, LINE_ENDS]), Buffer.from);
      const place = { offset: out.length, length: member.length };
      await out.append([member]);
      const capture = captureOf({ ...record, ...place }, name);
      if (capture) await this.#sorter.add(cdxjLine(capture).slice(0, -1));
    }
    const { fault } = reader;
    if (fault && fault.kind !== 'truncated')
      throw damaged(from, `${fault.fact}, at byte ${fault.offset}`);
  }
}

function damaged(path: string, fact: string): DrumlinError {
  return new DrumlinError(
    'WARC_DAMAGED',
    `${path} cannot be copied to gzip, which a WACZ requires: ${fact}.`,
    'Run "drumlin archive repair" on it first.',
    { exitCode: EXIT.damaged },
  );
}
