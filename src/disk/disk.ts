/**
 * Files as the rest of the project uses them: whole transfers, bytes counted, errors with a remedy.
 *
 * Ensures   a `writeAll` or `readAll` that returns has moved every byte; one that fails throws a
 *           DrumlinError that names the file. Nothing is retried after a failed write or fsync:
 *           what the disk then holds is unknown until the folder is opened again at its last
 *           checkpoint.
 * Costs     nothing over the system call; there is no buffering here.
 */
import { basename } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import { tooShort } from './damage.ts';
import {
  type FileSystem,
  type Held,
  nodeFileSystem,
  type OpenMode,
  type RawFile,
} from './file-system.ts';

export class Disk {
  readonly fileSystem: FileSystem;
  /** Bytes moved since the start, for the benchmarks and the metrics. */
  readonly traffic = { read: 0, written: 0 };

  constructor(fileSystem: FileSystem = nodeFileSystem) {
    this.fileSystem = fileSystem;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    return new DiskFile(this, path, await guard(path, 'opened', this.fileSystem.open(path, mode)));
  }

  /** The text of a small file. */
  async readText(path: string): Promise<string> {
    const file = await this.open(path, 'read');
    try {
      const bytes = Buffer.alloc(await file.size());
      await file.readAll(bytes, 0);
      return bytes.toString('utf8');
    } finally {
      await file.close();
    }
  }

  /** The text and the permission bits of a small file or a pipe. */
  async readTextAndMode(path: string): Promise<{ readonly text: string; readonly mode: number }> {
    const { readWhole } = this.fileSystem;
    if (readWhole === undefined) return { text: await this.readText(path), mode: 0o600 };
    const { bytes, mode } = await guard(path, 'read', readWhole.call(this.fileSystem, path));
    this.traffic.read += bytes.length;
    return { text: Buffer.from(bytes).toString('utf8'), mode };
  }

  /**
   * Makes a folder and those above it; only its owner can read a `closed` one. An existing folder
   * stays as it is.
   */
  makeFolder(path: string, closed = false): Promise<void> {
    return guard(path, 'created', this.fileSystem.makeFolder(path, closed));
  }

  /** Closes an existing folder to all users but its owner; false if it was closed. */
  async closeFolder(path: string): Promise<boolean> {
    const { closeFolder } = this.fileSystem;
    if (closeFolder === undefined) return false;
    return guard(path, 'closed to other users', closeFolder.call(this.fileSystem, path));
  }

  list(folder: string): Promise<string[]> {
    return guard(folder, 'read', this.fileSystem.list(folder));
  }

  rename(from: string, to: string): Promise<void> {
    return guard(to, 'replaced', this.fileSystem.rename(from, to));
  }

  /**
   * Gives a file another name; false where the file system cannot: then the file must be copied.
   */
  async link(from: string, to: string): Promise<boolean> {
    try {
      await this.fileSystem.link?.(from, to);
      return this.fileSystem.link !== undefined;
    } catch (error) {
      if (CANNOT_LINK.has(systemCode(error))) return false;
      throw failure(to, 'linked', error);
    }
  }

  syncFolder(path: string): Promise<void> {
    return guard(path, 'made durable', this.fileSystem.syncFolder(path));
  }

  /** Keeps other processes out of a folder until it is released; throws if another is in it. */
  lock(folder: string): Held {
    return this.fileSystem.lock?.(folder) ?? { release() {} };
  }

  /** Deletes a folder with everything in it; a missing folder is no failure. */
  removeFolder(path: string): Promise<void> {
    return guard(path, 'deleted', this.fileSystem.removeFolder(path));
  }

  /** Deletes a file; a missing file is no failure. */
  async remove(path: string): Promise<void> {
    await guard(
      path,
      'deleted',
      this.fileSystem.remove(path).catch((error) => {
        if (systemCode(error) !== 'ENOENT') throw error;
      }),
    );
  }
}

export class DiskFile {
  readonly path: string;
  /** Its bytes are its content; see `BlockFile`. */
  readonly isSummed: boolean = false;
  readonly #disk: Disk;
  readonly #raw: RawFile;

  constructor(disk: Disk, path: string, raw: RawFile) {
    this.path = path;
    this.#disk = disk;
    this.#raw = raw;
  }

  async writeAll(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const n = await guard(
        this.path,
        'written',
        this.#raw.write(bytes, done, bytes.length - done, position + done),
      );
      if (n <= 0) throw failure(this.path, 'written', new Error('the system wrote nothing'));
      done += n;
      this.#disk.traffic.written += n;
    }
  }

  /**
   * Fills `into` from `position` and returns how many bytes there were: fewer only at the end of
   * the file.
   */
  async readUpTo(into: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const n = await guard(
        this.path,
        'read',
        this.#raw.read(into, done, into.length - done, position + done),
      );
      if (n === 0) break;
      done += n;
      this.#disk.traffic.read += n;
    }
    return done;
  }

  async readAll(into: Uint8Array, position: number): Promise<void> {
    const n = await this.readUpTo(into, position);
    if (n < into.length) throw tooShort(this.path, position + n, position + into.length);
  }

  sync(): Promise<void> {
    return guard(this.path, 'made durable', this.#raw.sync());
  }

  truncate(length: number): Promise<void> {
    return guard(this.path, 'shortened', this.#raw.truncate(length));
  }

  size(): Promise<number> {
    return guard(this.path, 'read', this.#raw.size());
  }

  close(): Promise<void> {
    return guard(this.path, 'closed', this.#raw.close());
  }
}

async function guard<T>(path: string, what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof DrumlinError ? error : failure(path, what, error);
  }
}

/**
 * The error for a call of the system that no `Disk` made: the disk is full or may not be written;
 * undefined for any other error.
 */
export function diskFailure(error: unknown): DrumlinError | undefined {
  const { path, syscall } = (error ?? {}) as { path?: unknown; syscall?: unknown };
  const code = systemCode(error);
  const isKnown = FULL.has(code) || Object.hasOwn(REMEDIES, code);
  if (!isKnown || typeof path !== 'string' || typeof syscall !== 'string') return undefined;
  return failure(path, `used: ${syscall}`, error);
}

const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EACCES']);
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const DENIED = 'Make the folder readable and writable, or choose another --dir.';
const TOO_MANY_OPEN =
  'Too many files are open: raise the limit ("ulimit -n 65536"), or lower --fetches.';
/** Remedies for failures with a known cause. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: DENIED,
  ENOTDIR: DENIED,
  EEXIST: DENIED,
  EMFILE: TOO_MANY_OPEN,
  ENFILE: TOO_MANY_OPEN,
};

function failure(path: string, what: string, cause: unknown): DrumlinError {
  const code = systemCode(cause);
  if (FULL.has(code)) {
    return new DrumlinError(
      'DISK_FULL',
      `The disk has no room left for ${path}.`,
      'Free some space and run the same command again: it resumes from the last checkpoint.',
      { exitCode: EXIT.disk, cause },
    );
  }
  if (code === 'ENOENT') {
    return new DrumlinError(
      'FILE_MISSING',
      `${path} does not exist.`,
      `Check the folder's name, or restore ${basename(path)} from a copy.`,
      { exitCode: EXIT.folder, cause },
    );
  }
  const reason = code || (cause instanceof Error ? cause.message : String(cause));
  return new DrumlinError(
    'DISK_FAILED',
    `${path} could not be ${what} (${reason}).`,
    REMEDIES[code] ??
      'Check the permissions and the health of the disk, then run the same command again.',
    { exitCode: EXIT.disk, cause },
  );
}
