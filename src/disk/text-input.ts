/**
 * Reads text files of users, plain or compressed with gzip, some whole lines at a time.
 *
 * Ensures   chunks of whole lines in UTF-8, in order; the last line gets a line end if it has none;
 *           a byte order mark is left out. A line longer than a mebibyte, bytes that are not UTF-8,
 *           and gzip that is cut off or damaged are errors that name file and line. With `onBad` a
 *           line that is not UTF-8 is reported and becomes blank. The caller may change the bytes.
 * Costs     one pass; gzip is undone off the event loop, one chunk ahead.
 */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DrumlinError, systemCode } from '../base/errors.ts';
import type { Disk, DiskFile } from './disk.ts';
import { ReadAhead } from './read-ahead.ts';

/** Lines in `bytes`, each ended by LF. */
export interface LineChunk {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The number of the first line, from 1. */
  readonly line: number;
}

/** Called with the number of bytes just read, as they are on disk. */
export type ReadProgress = (bytes: number) => void;

const CHUNK_BYTES = 256 * 1024;
const LONGEST_LINE = 2 ** 20;
const LF = 10;

interface ReadOptions {
  readonly onRead?: ReadProgress | undefined;
  readonly chunkBytes?: number | undefined;
  /** Called with each line that is not UTF-8; without it such a line is an error. */
  readonly onBad?: ((error: DrumlinError) => void) | undefined;
}

export async function* readLines(
  disk: Disk,
  path: string,
  { onRead = () => {}, chunkBytes = CHUNK_BYTES, onBad }: ReadOptions = {},
): AsyncGenerator<LineChunk> {
  const file = await openInput(disk, path);
  try {
    let line = 1;
    let rest: Uint8Array = new Uint8Array(0);
    const damaged = (what: string) => malformed(path, line, `${what} here, or soon after`);
    for await (const piece of textOf(file, chunkBytes, onRead, damaged)) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
      const end = bytes.lastIndexOf(LF) + 1;
      rest = bytes.slice(end);
      if (rest.length > LONGEST_LINE)
        throw malformed(path, line + countLines(bytes), `is longer than ${LONGEST_LINE} bytes`);
      if (end === 0) continue;
      const chunk = bytes.subarray(0, end);
      requireUtf8(path, chunk, line, onBad);
      yield { path, bytes: chunk, line };
      line += countLines(chunk);
    }
    if (rest.length === 0) return;
    const last = Buffer.concat([rest, Uint8Array.of(LF)]);
    requireUtf8(path, last, line, onBad);
    yield { path, bytes: last, line };
  } finally {
    await file.close();
  }
}

/**
 * The files named, and for a folder the files in it, sorted by name: large graphs are published as
 * `part-00000.gz`, …. Names that begin with `.` or `_` are left out.
 */
export async function inputFiles(disk: Disk, paths: readonly string[]): Promise<string[]> {
  const namesIn = (path: string) => disk.list(path).catch(() => undefined);
  const files: string[] = [];
  for (const path of paths) {
    const names = await namesIn(path);
    if (names === undefined) files.push(path);
    for (const name of names?.filter((text) => !/^[._]/.test(text)).sort() ?? []) {
      const inner = join(path, name);
      if ((await namesIn(inner)) !== undefined)
        throw new DrumlinError(
          'TEXT_INPUT',
          `${inner} is a folder in a folder.`,
          'Name that folder too, or its files.',
        );
      files.push(inner);
    }
  }
  return files;
}

/** Bytes of files on disk, to show progress. */
export async function inputBytes(disk: Disk, files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of files) {
    const file = await openInput(disk, path);
    bytes += await file.size();
    await file.close();
  }
  return bytes;
}

export async function openInput(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (!(error instanceof DrumlinError && error.code === 'FILE_MISSING')) throw error;
    throw new DrumlinError('INPUT_MISSING', `${path} does not exist.`, 'Check its name.', {
      cause: error,
    });
  }
}

export function malformed(path: string, line: number, reason: string): DrumlinError {
  return new DrumlinError(
    'TEXT_INPUT',
    `${path}, line ${line}: ${reason}.`,
    'Repair the file, or get it again.',
  );
}

/** As `malformed`, for the line in which the byte `at` of a chunk stands. */
export function malformedAt(
  { path, bytes, line }: LineChunk,
  at: number,
  reason: string,
): DrumlinError {
  return malformed(path, line + countLines(bytes.subarray(0, at)), reason);
}

async function* textOf(
  file: DiskFile,
  chunkBytes: number,
  onRead: ReadProgress,
  damaged: (what: string) => DrumlinError,
): AsyncGenerator<Uint8Array> {
  const size = await file.size();
  const start = new Uint8Array(2);
  const n = await file.readUpTo(start, 0);
  const bytes = readAll(file, size, chunkBytes, onRead);
  const isGzip = n === 2 && start[0] === 0x1f && start[1] === 0x8b;
  const text = isGzip ? gunzip(bytes, chunkBytes, damaged) : bytes;
  let isFirst = true;
  for await (const piece of text) {
    const hasMark = isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf;
    isFirst = false;
    yield hasMark ? piece.subarray(3) : piece;
  }
}

async function* readAll(
  file: DiskFile,
  size: number,
  chunkBytes: number,
  onRead: ReadProgress,
): AsyncGenerator<Uint8Array> {
  const reader = new ReadAhead(file, 0, size, chunkBytes);
  try {
    for (;;) {
      const bytes = await reader.peek(chunkBytes);
      if (bytes.length === 0) return;
      // A copy: the stream may keep it.
      yield bytes.slice();
      reader.skip(bytes.length);
      onRead(bytes.length);
    }
  } finally {
    await reader.end();
  }
}

async function* gunzip(
  bytes: AsyncGenerator<Uint8Array>,
  chunkBytes: number,
  damaged: (what: string) => DrumlinError,
): AsyncGenerator<Uint8Array> {
  const input = Readable.from(bytes, { objectMode: false, highWaterMark: chunkBytes });
  const output = createGunzip({ chunkSize: Math.max(64, chunkBytes) });
  input.on('error', (error) => output.destroy(error));
  try {
    for await (const piece of input.pipe(output)) yield piece;
  } catch (error) {
    if (!systemCode(error).startsWith('Z_')) throw error;
    throw damaged(
      systemCode(error) === 'Z_BUF_ERROR' ? 'the gzip is cut off' : 'the gzip is damaged',
    );
  } finally {
    input.destroy();
  }
}

const SPACE = 32;

/** Whole lines; with `onBad` those that are not UTF-8 become blank. */
function requireUtf8(
  path: string,
  bytes: Uint8Array,
  line: number,
  onBad: ReadOptions['onBad'],
): void {
  if (isUtf8(bytes)) return;
  let start = 0;
  let number = line;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
    if (!isUtf8(bytes.subarray(start, end))) {
      const error = malformed(path, number, 'is not UTF-8');
      if (!onBad) throw error;
      onBad(error);
      bytes.fill(SPACE, start, end);
    }
    start = end + 1;
    number++;
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}
