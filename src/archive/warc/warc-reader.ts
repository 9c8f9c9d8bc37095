/**
 * Reads WARC files record by record: compressed, a member at a time, or plain.
 *
 * Idea      A record comes with its offset and length in the file, so that a caller that reads
 *           everything can also index, check and repair. The reader stops at the first invalid byte
 *           and reports where complete records end: a repaired file would end there.
 * Requires  A regular file. Records are held in memory one at a time, up to `maxRecordBytes`.
 * Ensures   Yields every record before the fault and none after it. Damage never throws; an error
 *           of the system when the file is opened or read does.
 * Cost      One read of the file; a member that does not fit the window is read again with one
 *           twice as wide.
 */

import type { Bytes } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import { type Compression, compressionOf } from '../compress/compression.ts';
import { FileWindow } from './file-window.ts';
import { gzipReading } from './gzip-reading.ts';
import { plainReading } from './plain-reading.ts';
import type { NextStep, WarcFault, WarcRecord } from './warc-parse.ts';
import { zstdReading } from './zstd-reading.ts';

export type { WarcRecord } from './warc-parse.ts';

export interface ReadWarcOptions {
  readonly maxRecordBytes?: Bytes;
  /** Where to start: the offset of a record (of its gzip member or zstd frame). */
  readonly start?: number;
  readonly disk?: Disk;
}

const READINGS: Readonly<Record<Compression, (window: FileWindow) => NextStep>> = {
  gzip: gzipReading,
  zstd: zstdReading,
  none: plainReading,
};

/** Iterate it once; `fault` and `wholeLength` are final when the iteration has ended. */
export function readWarc(path: string, options: ReadWarcOptions = {}): WarcReader {
  return new WarcReader(path, options);
}

export class WarcReader implements AsyncIterable<WarcRecord> {
  readonly path: string;
  /** Undefined while everything read so far was complete. */
  fault: WarcFault | undefined;
  /** The number of bytes up to which all records are complete. */
  wholeLength: number;
  /** Known after the iteration has begun. */
  compression: Compression = 'none';
  readonly #start: number;
  readonly #maxRecordBytes: number;
  readonly #disk: Disk;

  constructor(path: string, options: ReadWarcOptions) {
    this.path = path;
    this.#start = options.start ?? 0;
    this.wholeLength = this.#start;
    this.#maxRecordBytes = options.maxRecordBytes ?? 256 * 2 ** 20;
    this.#disk = options.disk ?? new Disk();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WarcRecord> {
    const file = await this.#disk.open(this.path, 'read');
    try {
      const window = new FileWindow(file, await file.size());
      let offset = this.#start;
      this.compression = compressionOf(await window.at(offset, 4));
      const next = READINGS[this.compression](window);
      while (offset < window.fileLength) {
        const step = await next(offset, this.#maxRecordBytes);
        if ('fact' in step) {
          this.fault = step;
          return;
        }
        yield* step.records;
        offset = step.end;
        this.wholeLength = offset;
      }
    } finally {
      await file.close();
    }
  }
}
