/**
 * A file of a part, opened for reading.
 *
 * Idea      The manifest has the length of each file, and a hash of its beginning and end. A file
 *           that was cut, even between two blocks, or that belongs to another part, has others.
 * Ensures   Every damage that is seen is an error that names the file and says how to get a whole
 *           index: nothing repairs one.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { xxh64Bytes } from '../../base/xxh64.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import { isDamage } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { FORMATS, type PartFileName } from './formats.ts';

/** What a file of a part must have. */
interface FileMark {
  /** The length of its content. */
  readonly bytes: Bytes;
  /** The hash of its first and last bytes. */
  readonly hash: string;
}

/**
 * The marks of the files of a part, by name; only the length in parts made before there were more.
 */
export type FileLengths = Partial<Readonly<Record<PartFileName, Bytes | FileMark>>>;

/** Bytes at the beginning and the end that the hash is about. */
const MARKED: Bytes = 16 * 1024;

const REMEDY = 'Index the archives again into another folder with "drumlin search index".';

/** `fact` continues the path: "is damaged: it is not JSON". */
export function damagedIndex(path: string, fact: string): DrumlinError {
  return new DrumlinError('FILE_DAMAGED', `${path} ${fact}.`, REMEDY, { exitCode: EXIT.folder });
}

/** The same failure; damage with the remedy for an index. */
async function ofIndex<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { code, fact } = error;
    throw new DrumlinError(code, fact, REMEDY, { exitCode: EXIT.folder, cause: error });
  }
}

export class IndexFile {
  readonly #file: StateFile;
  /** The length of its content. */
  readonly length: Bytes;

  private constructor(file: StateFile, length: Bytes) {
    this.#file = file;
    this.length = length;
  }

  /** Opens a file; refuses one that has not the length in `lengths`. */
  static async open(
    disk: Disk,
    folder: string,
    name: PartFileName,
    lengths: FileLengths | undefined,
  ): Promise<IndexFile> {
    const file = await ofIndex(openStateFile(disk, join(folder, name), FORMATS[name]));
    try {
      const length = await ofIndex(file.size());
      const mark = lengths?.[name];
      const written = (typeof mark === 'object' ? mark.bytes : mark) ?? length;
      if (length !== written)
        throw damagedIndex(
          file.path,
          `is damaged: it holds ${length} bytes, but ${written} were written`,
        );
      const opened = new IndexFile(file, length);
      if (typeof mark === 'object' && (await opened.hash()) !== mark.hash)
        throw damagedIndex(
          file.path,
          'is not the file that was written: it belongs to another part',
        );
      return opened;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get path(): string {
    return this.#file.path;
  }

  readAll(into: Uint8Array, position: number): Promise<void> {
    return ofIndex(this.#file.readAll(into, position));
  }

  /** The hash of its beginning and its end. */
  async hash(): Promise<string> {
    const bytes = new Uint8Array(Math.min(this.length, 2 * MARKED));
    const half = bytes.length - Math.min(MARKED, bytes.length);
    await this.readAll(bytes.subarray(half), this.length - (bytes.length - half));
    await this.readAll(bytes.subarray(0, half), 0);
    return xxh64Bytes(bytes).toString(16);
  }

  /** The whole content. */
  async content(): Promise<Uint8Array> {
    const bytes = new Uint8Array(this.length);
    await this.readAll(bytes, 0);
    return bytes;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The content of a file that is not needed afterwards. */
export async function contentOf(
  disk: Disk,
  folder: string,
  name: PartFileName,
  lengths: FileLengths | undefined,
): Promise<Uint8Array> {
  const file = await IndexFile.open(disk, folder, name, lengths);
  try {
    return await file.content();
  } finally {
    await file.close();
  }
}

/** The marks of the files of a part, just written. */
export async function lengthsOf(disk: Disk, folder: string): Promise<FileLengths> {
  const lengths: Partial<Record<PartFileName, FileMark>> = {};
  for (const name of (await disk.list(folder)) as PartFileName[]) {
    const file = await IndexFile.open(disk, folder, name, undefined);
    lengths[name] = { bytes: file.length, hash: await file.hash() };
    await file.close();
  }
  return lengths;
}
