/**
 * The interface to the operating system's files, small enough that a test can replace it: to
 * shorten writes, fill the disk, or fail an fsync.
 *
 * `read` and `write` may move fewer bytes than asked, as the system does; `Disk` repeats them.
 */
import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FolderLock } from './folder-lock.ts';

export interface RawFile {
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  write(from: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** `create` empties an existing file, `exclusive` refuses one, `update` and `read` require one. */
export type OpenMode = 'read' | 'update' | 'create' | 'exclusive';

export interface FileSystem {
  open(path: string, mode: OpenMode): Promise<RawFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Gives a file another name; missing where files can have only one. */
  link?(from: string, to: string): Promise<void>;
  /** A whole file or pipe, and its permission bits. A file system without permissions omits it. */
  readWhole?(path: string): Promise<{ readonly bytes: Uint8Array; readonly mode: number }>;
  /** Deletes a folder with everything in it; a missing folder is no failure. */
  removeFolder(path: string): Promise<void>;
  /** Makes a folder and those above it, durably; only its owner can read a `closed` one. */
  makeFolder(path: string, closed?: boolean): Promise<void>;
  /**
   * Closes an existing folder to all users but its owner; false if it was closed. A file system
   * without permissions omits it.
   */
  closeFolder?(path: string): Promise<boolean>;
  list(folder: string): Promise<string[]>;
  /** Makes renames and new names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /** Keeps other processes out of a folder. A file system of one process alone omits it. */
  lock?(folder: string): Held;
}

/** A lock that is held. */
export interface Held {
  release(): void;
}

const FLAGS: Record<OpenMode, string> = { read: 'r', update: 'r+', create: 'w+', exclusive: 'wx+' };

export const nodeFileSystem: FileSystem = {
  async open(path, mode) {
    return new NodeFile(await promised<number>((done) => fs.open(path, FLAGS[mode], done)));
  },
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => fs.promises.unlink(path),
  link: (from, to) => fs.promises.link(from, to),
  async readWhole(path) {
    const handle = await fs.promises.open(path, 'r');
    try {
      const { mode } = await handle.stat();
      return { bytes: await handle.readFile(), mode };
    } finally {
      await handle.close();
    }
  },
  removeFolder: (path) => fs.promises.rm(path, { recursive: true, force: true }),
  async makeFolder(path, closed = false) {
    if (closed) await this.makeFolder(dirname(resolve(path)));
    const highest = await fs.promises.mkdir(path, {
      recursive: true,
      mode: closed ? 0o700 : 0o777,
    });
    if (highest === undefined) return;
    // Each new folder is an entry of the one above it, which must be durable before anything in it
    // counts.
    for (let made = resolve(path); made.length >= resolve(highest).length; made = dirname(made)) {
      await this.syncFolder(dirname(made));
    }
  },
  async closeFolder(path) {
    const { mode } = await fs.promises.stat(path);
    if ((mode & 0o077) === 0) return false;
    await fs.promises.chmod(path, mode & 0o700);
    return true;
  },
  list: (folder) => fs.promises.readdir(folder),
  async syncFolder(path) {
    const handle = await fs.promises.open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  lock: (folder) => FolderLock.acquire(folder),
};

/**
 * Uses descriptors and callbacks: half the cost of a FileHandle for each of the many transfers of a
 * merge.
 */
class NodeFile implements RawFile {
  #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    return promised((done) => fs.read(this.#fd, into, offset, length, position, done));
  }

  write(from: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    return promised((done) => fs.write(this.#fd, from, offset, length, position, done));
  }

  sync(): Promise<void> {
    return promised((done) => fs.fsync(this.#fd, done));
  }

  truncate(length: number): Promise<void> {
    return promised((done) => fs.ftruncate(this.#fd, length, done));
  }

  async size(): Promise<number> {
    return (await promised<fs.Stats>((done) => fs.fstat(this.#fd, done))).size;
  }

  /** A second call does nothing: the descriptor may belong to another file by then. */
  async close(): Promise<void> {
    const fd = this.#fd;
    this.#fd = -1;
    if (fd >= 0) await promised<void>((done) => fs.close(fd, done));
  }
}

type Callback<T> = (error: NodeJS.ErrnoException | null, value?: T) => void;

function promised<T>(call: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value as T)));
  });
}

/**
 * The same files, on which nothing changes: to look into the folder of a crawl that may be running.
 * Code that opens the files of a checkpoint shortens them to the lengths that it names; here a
 * shortened file only looks shorter to the one that opened it. Other changes throw.
 */
export const readOnly = (under: FileSystem = nodeFileSystem): FileSystem => ({
  async open(path, mode) {
    if (mode !== 'read' && mode !== 'update') return refuse();
    return new UnchangedFile(await under.open(path, 'read'));
  },
  list: (folder) => under.list(folder),
  makeFolder: async () => {},
  syncFolder: async () => {},
  rename: refuse,
  remove: refuse,
  removeFolder: refuse,
});

async function refuse(): Promise<never> {
  throw new Error('This view of the files is for reading only.');
}

class UnchangedFile implements RawFile {
  readonly #file: RawFile;
  #length = Infinity;

  constructor(file: RawFile) {
    this.#file = file;
  }

  read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    const most = Math.max(0, Math.min(length, this.#length - position));
    return most === 0 ? Promise.resolve(0) : this.#file.read(into, offset, most, position);
  }

  write(): Promise<number> {
    return refuse();
  }

  async sync(): Promise<void> {}

  async truncate(length: number): Promise<void> {
    this.#length = length;
  }

  async size(): Promise<number> {
    return Math.min(this.#length, await this.#file.size());
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
