/**
 * Remembers which bytes of which files were written, so that a copy elsewhere can be brought up to
 * date without reading everything again.
 *
 * Idea      A file system around another one: it notes each write, truncation, creation and rename
 *           when it has ended. `take` returns what was noted of a file and forgets it.
 * Ensures   Of bytes that a finished call changed since the last `take`, none is missing. Bytes
 *           that are noted may be unchanged.
 * Cost      a look-up a write; a number for each 64 KiB that were written.
 */
import { resolve } from 'node:path';
import type { FileSystem, RawFile } from '../../disk/file-system.ts';

const GRAIN_BYTES = 64 * 1024;

class Notes {
  readonly grains = new Set<number>();
  /** Everything from here on. */
  from = Infinity;
}

export class WriteTracker {
  readonly fileSystem: FileSystem;
  readonly #notes = new Map<string, Notes>();

  constructor(around: FileSystem) {
    this.fileSystem = {
      ...bound(around),
      open: async (path, mode) => {
        const file = await around.open(path, mode);
        if (mode === 'create' || mode === 'exclusive') this.#noteFrom(path, 0);
        return mode === 'read' ? file : this.#tracked(path, file);
      },
      rename: async (from, to) => {
        await around.rename(from, to);
        this.#notes.delete(resolve(from));
        this.#noteFrom(to, 0);
      },
    };
  }

  /** Whether bytes of the file were written since the last call; forgets what was noted. */
  take(path: string): (from: number, length: number) => boolean {
    const notes = this.#notes.get(resolve(path));
    this.#notes.delete(resolve(path));
    if (!notes) return () => false;
    return (from, length) => {
      if (from + length > notes.from) return true;
      const end = Math.ceil((from + length) / GRAIN_BYTES);
      for (let grain = Math.floor(from / GRAIN_BYTES); grain < end; grain++)
        if (notes.grains.has(grain)) return true;
      return false;
    };
  }

  #of(path: string): Notes {
    const key = resolve(path);
    const notes = this.#notes.get(key) ?? new Notes();
    this.#notes.set(key, notes);
    return notes;
  }

  #noteFrom(path: string, from: number): void {
    const notes = this.#of(path);
    notes.from = Math.min(notes.from, from);
  }

  #tracked(path: string, file: RawFile): RawFile {
    return {
      read: (...args) => file.read(...args),
      write: async (from, offset, length, position) => {
        try {
          return await file.write(from, offset, length, position);
        } finally {
          const { grains } = this.#of(path);
          const end = Math.ceil((position + length) / GRAIN_BYTES);
          for (let grain = Math.floor(position / GRAIN_BYTES); grain < end; grain++)
            grains.add(grain);
        }
      },
      truncate: async (length) => {
        try {
          await file.truncate(length);
        } finally {
          this.#noteFrom(path, length);
        }
      },
      sync: () => file.sync(),
      size: () => file.size(),
      close: () => file.close(),
    };
  }
}

/** The methods of a file system, also if they are those of a class. */
function bound(around: FileSystem): FileSystem {
  return {
    open: (...args) => around.open(...args),
    rename: (...args) => around.rename(...args),
    remove: (...args) => around.remove(...args),
    removeFolder: (...args) => around.removeFolder(...args),
    makeFolder: (...args) => around.makeFolder(...args),
    list: (...args) => around.list(...args),
    syncFolder: (...args) => around.syncFolder(...args),
    ...(around.link && { link: around.link.bind(around) }),
    ...(around.readWhole && { readWhole: around.readWhole.bind(around) }),
    ...(around.closeFolder && { closeFolder: around.closeFolder.bind(around) }),
    ...(around.lock && { lock: around.lock.bind(around) }),
  };
}
