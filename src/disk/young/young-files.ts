/**
 * A file system on which a new file stays in memory until it has to be on disk.
 *
 * Idea      A small crawl merges its DRUMs every few pages. Each merge makes three files of some
 *           hundred bytes, which the next merge deletes. Making, writing, reading and deleting them
 *           costs the system far more than the merge itself. Nothing needs them on disk before a
 *           checkpoint names them, and that comes after their `sync`.
 *
 *             create ─► memory ─┬─ sync, rename, link, too large ─► disk
 *                               └─ remove ─► nothing was ever on disk
 *
 * Requires  A path that is created does not exist yet, or will be synced. Only this process reads
 *           files that were never synced.
 * Ensures   After `sync` a file is durable, as below. Whoever reads through this file system sees
 *           what was written through it. A file is in memory or on disk, never in both.
 * Costs     at most `MOST_HELD` bytes of memory for each file system; a copy of the bytes.
 */
import { dirname, sep } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { FileSystem, OpenMode, RawFile } from '../file-system.ts';

/** A larger file goes to disk. */
const LARGEST: Bytes = 64 * 1024;
/** While more than this is in memory, new files begin on disk. */
const MOST_HELD: Bytes = 1024 * 1024;

/** Keeps new files of the file system `under` in memory until they have to be on disk. */
export function youngFiles(
  under: FileSystem,
  { largest = LARGEST, mostHeld = MOST_HELD } = {},
): FileSystem {
  return new YoungFiles(under, largest, mostHeld);
}

class YoungFiles implements FileSystem {
  readonly under: FileSystem;
  readonly largest: Bytes;
  readonly #mostHeld: Bytes;
  /** Files that are not on disk, or on their way to it, by path. */
  readonly #young = new Map<string, YoungFile>();
  held: Bytes = 0;
  // What the file system below lacks is missing here, too.
  readonly link?: NonNullable<FileSystem['link']>;
  readonly readWhole?: NonNullable<FileSystem['readWhole']>;
  readonly closeFolder?: NonNullable<FileSystem['closeFolder']>;
  readonly lock?: NonNullable<FileSystem['lock']>;

  constructor(under: FileSystem, largest: Bytes, mostHeld: Bytes) {
    this.under = under;
    this.largest = largest;
    this.#mostHeld = mostHeld;
    const { link, readWhole, closeFolder, lock } = under;
    if (link) this.link = async (from, to) => link.call(under, await this.#onDisk(from), to);
    if (readWhole) this.readWhole = async (path) => readWhole.call(under, await this.#onDisk(path));
    if (closeFolder) this.closeFolder = closeFolder.bind(under);
    if (lock) this.lock = lock.bind(under);
  }

  async open(path: string, mode: OpenMode): Promise<RawFile> {
    const known = this.#young.get(path);
    if (known && mode !== 'create') {
      if (mode !== 'exclusive') return known.handle();
      await known.onDisk();
    }
    if (mode !== 'create' || this.held >= this.#mostHeld) {
      known?.discard();
      return this.under.open(path, mode);
    }
    known?.discard();
    const file = new YoungFile(this, path);
    this.#young.set(path, file);
    return file.handle();
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#onDisk(from);
    this.#young.get(to)?.discard();
    await this.under.rename(from, to);
  }

  async remove(path: string): Promise<void> {
    const known = this.#young.get(path);
    if (known?.discard()) return;
    await known?.onDisk();
    await this.under.remove(path);
  }

  async removeFolder(path: string): Promise<void> {
    for (const [each, file] of this.#young) if (each.startsWith(path + sep)) file.discard();
    await this.under.removeFolder(path);
  }

  makeFolder(path: string, closed?: boolean): Promise<void> {
    return this.under.makeFolder(path, closed);
  }

  async list(folder: string): Promise<string[]> {
    const names = new Set(await this.under.list(folder));
    for (const path of this.#young.keys())
      if (dirname(path) === folder) names.add(path.slice(folder.length + 1));
    return [...names];
  }

  syncFolder(path: string): Promise<void> {
    return this.under.syncFolder(path);
  }

  /** The file is on disk, or deleted. */
  forget(file: YoungFile): void {
    if (this.#young.get(file.path) === file) this.#young.delete(file.path);
  }

  /** The path, when the file at it is on disk. */
  async #onDisk(path: string): Promise<string> {
    await this.#young.get(path)?.onDisk();
    return path;
  }
}

const NONE = Buffer.alloc(0);

/** One file: first its bytes, later a file of the file system below, shared by all its handles. */
class YoungFile {
  readonly path: string;
  readonly #files: YoungFiles;
  #bytes: Buffer = NONE;
  #length = 0;
  #handles = 0;
  #isDeleted = false;
  /** On its way to disk, or there. */
  #moved: Promise<RawFile> | undefined;

  constructor(files: YoungFiles, path: string) {
    this.#files = files;
    this.path = path;
  }

  handle(): RawFile {
    this.#handles++;
    return new Handle(this);
  }

  /** Deletes a file that is not on its way to disk; handles of it can still be used. */
  discard(): boolean {
    if (this.#moved) return false;
    this.#isDeleted = true;
    this.#files.forget(this);
    if (this.#handles === 0) this.#hold(NONE);
    return true;
  }

  /** Writes the file to disk, once, and returns it there. */
  onDisk(): Promise<RawFile> {
    this.#moved ??= this.#move();
    return this.#moved;
  }

  async read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    if (this.#moved) return (await this.#moved).read(into, offset, length, position);
    const end = Math.min(this.#length, position + length);
    if (end <= position) return 0;
    into.set(this.#bytes.subarray(position, end), offset);
    return end - position;
  }

  async write(from: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    const end = length === 0 ? 0 : position + length;
    if (this.#mustMove(end)) return (await this.onDisk()).write(from, offset, length, position);
    this.#grow(end);
    if (length > 0) this.#bytes.set(from.subarray(offset, offset + length), position);
    return length;
  }

  async truncate(length: number): Promise<void> {
    if (this.#mustMove(length)) return (await this.onDisk()).truncate(length);
    this.#grow(length);
    this.#bytes.fill(0, length, this.#length);
    this.#length = length;
  }

  /** A deleted file needs no place on disk. */
  async sync(): Promise<void> {
    if (!this.#isDeleted) await (await this.onDisk()).sync();
  }

  async size(): Promise<number> {
    return this.#moved ? (await this.#moved).size() : this.#length;
  }

  async close(): Promise<void> {
    if (--this.#handles > 0) return;
    if (this.#isDeleted) this.#hold(NONE);
    if (this.#moved) await (await this.#moved).close();
  }

  #mustMove(length: Bytes): boolean {
    if (this.#moved) return true;
    return length > this.#files.largest && !this.#isDeleted;
  }

  async #move(): Promise<RawFile> {
    const file = await this.#files.under.open(this.path, 'create');
    for (let done = 0; done < this.#length; )
      done += await file.write(this.#bytes, done, this.#length - done, done);
    this.#hold(NONE);
    this.#files.forget(this);
    if (this.#handles > 0) return file;
    await file.close();
    return file;
  }

  #grow(length: Bytes): void {
    if (length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#bytes.length, 512));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#hold(larger);
    }
    this.#length = Math.max(this.#length, length);
  }

  #hold(bytes: Buffer): void {
    this.#files.held += bytes.length - this.#bytes.length;
    this.#bytes = bytes;
  }
}

/** A file as one of its users has it open: closed once, whatever others do. */
class Handle implements RawFile {
  readonly #file: YoungFile;
  #isOpen = true;

  constructor(file: YoungFile) {
    this.#file = file;
  }

  read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    return this.#file.read(into, offset, length, position);
  }

  write(from: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    return this.#file.write(from, offset, length, position);
  }

  truncate(length: number): Promise<void> {
    return this.#file.truncate(length);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  size(): Promise<number> {
    return this.#file.size();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }
}
