/**
 * A file system with faults on purpose: short writes, a full disk, an fsync or a rename that fails,
 * and a process that "dies" after a number of operations: later ones never reach the disk.
 */
import {
  type FileSystem,
  type Held,
  nodeFileSystem,
  type OpenMode,
  type RawFile,
} from '../../src/disk/file-system.ts';

export interface Faults {
  /** A read or write moves at most this many bytes at a time. */
  shortTransfers?: number;
  /** Bytes that fit on the disk before ENOSPC. */
  room?: number;
  failSync?: boolean;
  /** An fsync does nothing: for tests that crash the process, not the machine. */
  skipSync?: boolean;
  failRename?: boolean;
  /** How many operations that change something succeed; then every call fails, as after a kill. */
  operations?: number;
  /** A removal of a folder that is the first operation to fail is half done. */
  tornRemoval?: boolean;
}

export class FaultyFileSystem implements FileSystem {
  readonly faults: Faults;
  readonly #inner: FileSystem;
  /** Operations that changed something, so far. */
  changes = 0;

  constructor(faults: Faults, inner: FileSystem = nodeFileSystem) {
    this.faults = faults;
    this.#inner = inner;
  }

  async open(path: string, mode: OpenMode): Promise<RawFile> {
    if (mode !== 'read' && mode !== 'update') this.#change();
    return this.#wrap(await this.#inner.open(path, mode));
  }

  async rename(from: string, to: string): Promise<void> {
    if (this.faults.failRename) throw systemError('EIO');
    this.#change();
    await this.#inner.rename(from, to);
  }

  async remove(path: string): Promise<void> {
    this.#change();
    await this.#inner.remove(path);
  }

  async removeFolder(path: string): Promise<void> {
    if (this.faults.tornRemoval && this.faults.operations === 0) await this.#removeSome(path);
    this.#change();
    await this.#inner.removeFolder(path);
  }

  async closeFolder(path: string): Promise<boolean> {
    return (await this.#inner.closeFolder?.(path)) ?? false;
  }

  lock(folder: string): Held {
    return this.#inner.lock?.(folder) ?? { release() {} };
  }

  makeFolder(path: string, closed?: boolean): Promise<void> {
    return this.#inner.makeFolder(path, closed);
  }

  list(folder: string): Promise<string[]> {
    return this.#inner.list(folder);
  }

  async syncFolder(path: string): Promise<void> {
    if (this.faults.failSync) throw systemError('EIO');
    this.#change();
    if (!this.faults.skipSync) await this.#inner.syncFolder(path);
  }

  /** What a kill in the middle leaves: every second entry. */
  async #removeSome(path: string): Promise<void> {
    const entries = await this.#inner.list(path).catch(() => []);
    for (const name of entries.filter((_, i) => i % 2 === 0))
      await this.#inner.removeFolder(`${path}/${name}`);
  }

  #wrap(file: RawFile): RawFile {
    const short = (length: number) => Math.min(length, this.faults.shortTransfers ?? length);
    return {
      read: (into, offset, length, position) => file.read(into, offset, short(length), position),
      write: async (from, offset, length, position) => {
        const n = short(length);
        if (this.faults.room !== undefined) {
          if (this.faults.room < n) throw systemError('ENOSPC');
          this.faults.room -= n;
        }
        this.#change();
        return file.write(from, offset, n, position);
      },
      sync: async () => {
        if (this.faults.failSync) throw systemError('EIO');
        this.#change();
        if (!this.faults.skipSync) await file.sync();
      },
      truncate: async (length) => {
        this.#change();
        return file.truncate(length);
      },
      size: () => file.size(),
      close: () => file.close(),
    };
  }

  #change(): void {
    this.changes++;
    if (this.faults.operations === undefined) return;
    if (this.faults.operations-- <= 0) throw systemError('EIO');
  }
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}
