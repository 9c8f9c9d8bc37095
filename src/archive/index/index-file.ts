/**
 * The sorted index of an archive: `index.cdxj`, or for large ones `index.cdx.gz` with `index.idx`.
 *
 * Idea      Sorted text is searched by bisection. A compressed index has blocks of 3,000 lines, one
 *           gzip member each. The `.idx` lists the first key, the position and the digest of every
 *           block, and fits into memory. pywb, cdxj-indexer and ReplayWeb.page read both forms.
 * Requires  Lines in bytewise order, without line ends.
 * Ensures   An index exists completely or not at all, in one of the two forms: it is written to a
 *           new file that replaces the old one. `linesFrom(key)` yields every line that is not
 *           below `key`, in order.
 * Cost      A look-up reads some 64 KiB of a plain index, or one block (about 180 KB) of a
 *           compressed one, which also keeps a line of the `.idx` per block in memory.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { readLines } from '../../disk/lines.ts';

export const INDEX_FILES = {
  plain: 'index.cdxj',
  blocks: 'index.cdx.gz',
  list: 'index.idx',
} as const;

const LINES_PER_BLOCK = 3000;
const BLOCK_LEVEL = 6;
/** Bisection ends where sequential reading is as cheap. */
const NEAR: Bytes = 64 * 1024;
const WRITE_BYTES: Bytes = 256 * 1024;

/** The index in a folder; undefined if there is none. */
export async function openIndex(disk: Disk, folder: string): Promise<SortedIndex | undefined> {
  const names = await disk.list(folder).catch(noFolder);
  if (names.includes(INDEX_FILES.plain))
    return new PlainIndex(disk, join(folder, INDEX_FILES.plain));
  if (names.includes(INDEX_FILES.list)) return BlockIndex.open(disk, folder);
  return undefined;
}

/** An index, by the name of its file: a sorted `.cdxj`, or an `.idx` beside its `.cdx.gz`. */
export interface SortedIndex {
  readonly path: string;
  /** The lines that are not below the key, in batches. */
  linesFrom(key: string): AsyncGenerator<string[]>;
}

function noFolder(error: unknown): string[] {
  if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return [];
  throw error;
}

class PlainIndex implements SortedIndex {
  readonly path: string;
  readonly #disk: Disk;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.path = path;
  }

  async *linesFrom(key: string): AsyncGenerator<string[]> {
    const from = key === '' ? 0 : await this.#lineBelow(key);
    yield* fromKey(readLines(this.#disk, this.path, from), key);
  }

  /** The start of a line below the key and near it; or the beginning of the file. */
  async #lineBelow(key: string): Promise<number> {
    const file = await this.#disk.open(this.path, 'read');
    try {
      let low = 0;
      let high = await file.size();
      while (high - low > NEAR) {
        const middle = Math.floor((low + high) / 2);
        const next = await nextLine(file, middle, high, key.length);
        if (next !== undefined && next.start < key) low = next.at;
        else high = middle;
      }
      return low;
    } finally {
      await file.close();
    }
  }
}

/**
 * The first line that begins after `from` and before `to`: its position and its first characters.
 */
async function nextLine(
  file: DiskFile,
  from: number,
  to: number,
  letters: number,
): Promise<{ at: number; start: string } | undefined> {
  for (let width = 4096; ; width *= 2) {
    const bytes = Buffer.allocUnsafe(width);
    const length = await file.readUpTo(bytes, from);
    const end = bytes.subarray(0, length).indexOf(10);
    const at = from + end + 1;
    if (end >= 0 && at >= to) return undefined;
    if (end >= 0 && (end + 1 + letters <= length || length < width)) {
      return { at, start: bytes.toString('latin1', end + 1, Math.min(length, end + 1 + letters)) };
    }
    if (length < width || from + width > to) return undefined;
  }
}

/** The longest block, compressed or not: 3,000 lines are a few megabytes. */
const MOST_BLOCK: Bytes = 256 * 2 ** 20;

interface Block {
  /** The beginning of its first line: key and time. */
  readonly first: string;
  readonly offset: number;
  readonly length: number;
}

class BlockIndex implements SortedIndex {
  readonly path: string;
  readonly #disk: Disk;
  readonly #blocks: readonly Block[];

  private constructor(disk: Disk, path: string, blocks: readonly Block[]) {
    this.#disk = disk;
    this.path = path;
    this.#blocks = blocks;
  }

  static async open(disk: Disk, folder: string): Promise<BlockIndex> {
    const path = join(folder, INDEX_FILES.list);
    const blocks: Block[] = [];
    for await (const lines of readLines(disk, path)) {
      for (const line of lines) if (!line.startsWith('!meta ')) blocks.push(blockOf(line, path));
    }
    return new BlockIndex(disk, join(folder, INDEX_FILES.blocks), blocks);
  }

  async *linesFrom(key: string): AsyncGenerator<string[]> {
    let first = 0;
    let end = this.#blocks.length;
    while (first < end) {
      const middle = (first + end) >>> 1;
      if (this.#blocks[middle].first < key) first = middle + 1;
      else end = middle;
    }
    yield* fromKey(this.#read(Math.max(0, first - 1)), key);
  }

  async *#read(from: number): AsyncGenerator<string[]> {
    const file = await this.#disk.open(this.path, 'read');
    try {
      for (const { offset, length } of this.#blocks.slice(from)) {
        const bytes = Buffer.allocUnsafe(length);
        await file.readAll(bytes, offset);
        yield unpacked(bytes, this.path, offset).split('\n').slice(0, -1);
      }
    } finally {
      await file.close();
    }
  }
}

function blockOf(line: string, path: string): Block {
  const brace = line.indexOf(' {');
  try {
    const { offset, length } = JSON.parse(line.slice(brace + 1));
    const isPlace = Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length);
    if (brace > 0 && isPlace && length > 0 && length <= MOST_BLOCK) {
      return { first: line.slice(0, brace), offset, length };
    }
  } catch {
    // reported below
  }
  throw damaged(path, `has an invalid line: ${line.slice(0, 80)}`);
}

function unpacked(bytes: Uint8Array, path: string, offset: number): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BLOCK }).toString('latin1');
  } catch {
    throw damaged(path, `is damaged at byte ${offset}`);
  }
}

function damaged(path: string, what: string): DrumlinError {
  return new DrumlinError(
    'INDEX_DAMAGED',
    `${path} ${what}.`,
    'Delete it: without an index the archive itself is searched. "drumlin archive index" makes it again.',
    { exitCode: EXIT.folder },
  );
}

/** Drops the lines below the key. */
async function* fromKey(batches: AsyncGenerator<string[]>, key: string): AsyncGenerator<string[]> {
  let found = false;
  for await (const lines of batches) {
    const from = found ? 0 : lines.findIndex((line) => line >= key);
    if (from < 0) continue;
    found = true;
    yield from === 0 ? lines : lines.slice(from);
  }
}

/** Deletes the index of a folder, in either form. */
export async function removeIndex(disk: Disk, folder: string): Promise<void> {
  const names = await disk.list(folder).catch(noFolder);
  const gone = names.filter((name) => /^index\.(?:cdxj|cdx\.gz|idx)(?:\.tmp)?$/.test(name));
  for (const name of gone) await disk.remove(join(folder, name));
  if (gone.length > 0) await disk.syncFolder(folder);
}

/**
 * Writes sorted lines as the index of the folder, replaces any other index, and returns the number
 * of lines.
 */
export async function writeIndex(
  disk: Disk,
  folder: string,
  lines: AsyncIterable<readonly string[]>,
  compressed: boolean,
): Promise<number> {
  const names = compressed ? [INDEX_FILES.blocks, INDEX_FILES.list] : [INDEX_FILES.plain];
  const drafts: Draft[] = [];
  try {
    for (const name of names) drafts.push(await Draft.create(disk, join(folder, `${name}.tmp`)));
    const count = compressed
      ? await writeBlocks(lines, drafts[0], drafts[1])
      : await writePlain(lines, drafts[0]);
    for (const draft of drafts) await draft.finish();
    await removeOther(disk, folder, names[0]);
    // A list never stands beside the blocks of another index: it is gone before, and comes last.
    for (const name of names) {
      await disk.syncFolder(folder);
      await disk.rename(join(folder, `${name}.tmp`), join(folder, name));
    }
    await disk.syncFolder(folder);
    return count;
  } catch (error) {
    for (const draft of drafts) await draft.abandon();
    throw error;
  }
}

/** Removes what is not replaced at once. */
async function removeOther(disk: Disk, folder: string, replaced: string): Promise<void> {
  for (const name of Object.values(INDEX_FILES))
    if (name !== replaced) await disk.remove(join(folder, name));
}

async function writePlain(lines: AsyncIterable<readonly string[]>, draft: Draft): Promise<number> {
  let count = 0;
  for await (const batch of lines) {
    if (batch.length === 0) continue;
    await draft.write(Buffer.from(`${batch.join('\n')}\n`, 'latin1'));
    count += batch.length;
  }
  return count;
}

async function writeBlocks(
  lines: AsyncIterable<readonly string[]>,
  blocks: Draft,
  list: Draft,
): Promise<number> {
  let count = 0;
  let block: string[] = [];
  const filename = INDEX_FILES.blocks;
  await list.write(
    Buffer.from(`!meta 0 ${JSON.stringify({ format: 'cdxj-gzip-1.0', filename })}\n`),
  );
  const writeBlock = async () => {
    if (block.length === 0) return;
    const bytes = gzipSync(Buffer.from(`${block.join('\n')}\n`, 'latin1'), { level: BLOCK_LEVEL });
    const place = {
      offset: blocks.length,
      length: bytes.length,
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      filename,
    };
    const start = block[0].slice(0, block[0].indexOf(' {'));
    await blocks.write(bytes);
    await list.write(Buffer.from(`${start} ${JSON.stringify(place)}\n`, 'latin1'));
    block = [];
  };
  for await (const batch of lines) {
    for (const line of batch) {
      block.push(line);
      if (block.length === LINES_PER_BLOCK) await writeBlock();
    }
    count += batch.length;
  }
  await writeBlock();
  return count;
}

/** A file that is still incomplete. */
class Draft {
  readonly #disk: Disk;
  readonly #file: DiskFile;
  #pending: Uint8Array[] = [];
  #held = 0;
  #written = 0;

  private constructor(disk: Disk, file: DiskFile) {
    this.#disk = disk;
    this.#file = file;
  }

  static async create(disk: Disk, path: string): Promise<Draft> {
    return new Draft(disk, await disk.open(path, 'create'));
  }

  get length(): number {
    return this.#written + this.#held;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#held += bytes.length;
    if (this.#held >= WRITE_BYTES) await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {}); // only the first failure matters
    await this.#disk.remove(this.#file.path).catch(() => {});
  }

  async #flush(): Promise<void> {
    await this.#file.writeAll(Buffer.concat(this.#pending), this.#written);
    this.#written += this.#held;
    this.#pending = [];
    this.#held = 0;
  }
}
