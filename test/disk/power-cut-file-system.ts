/**
 * A file system whose power can be cut: what was not made durable is lost. Data is durable after
 * the file's sync, names (of created, renamed and deleted files) after their folder's. With
 * `eagerRenames` a rename is durable at once: systems may write the names of a folder in any order.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type FileSystem,
  type Held,
  nodeFileSystem,
  type OpenMode,
  type RawFile,
} from '../../src/disk/file-system.ts';

interface Inode {
  durable: Buffer;
}

export class PowerCutFileSystem implements FileSystem {
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  readonly #eagerRenames: boolean;

  constructor({ eagerRenames = false } = {}) {
    this.#eagerRenames = eagerRenames;
  }

  async open(path: string, mode: OpenMode): Promise<RawFile> {
    if (!this.#names.has(path) && existsSync(path)) this.#takeOver(path);
    const file = await nodeFileSystem.open(path, mode);
    const inode = this.#names.get(path) ?? { durable: Buffer.alloc(0) };
    this.#names.set(path, inode);
    return {
      read: (into, offset, length, position) => file.read(into, offset, length, position),
      write: (from, offset, length, position) => file.write(from, offset, length, position),
      async sync() {
        const bytes = Buffer.alloc(await file.size());
        await file.read(bytes, 0, bytes.length, 0);
        inode.durable = bytes;
      },
      truncate: (length) => file.truncate(length),
      size: () => file.size(),
      close: () => file.close(),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await nodeFileSystem.rename(from, to);
    for (const names of [this.#names, this.#durableNames]) this.#moveFolder(names, from, to);
    const inode = this.#names.get(from);
    if (!inode) return;
    this.#names.set(to, inode);
    this.#names.delete(from);
    if (!this.#eagerRenames) return;
    this.#durableNames.set(to, inode);
    this.#durableNames.delete(from);
  }

  /**
   * Moves the files of a folder with it; whether the folder's own name is durable is not modelled.
   */
  #moveFolder(names: Map<string, Inode>, from: string, to: string): void {
    for (const [path, inode] of [...names]) {
      if (!isIn(path, from)) continue;
      names.delete(path);
      names.set(to + path.slice(from.length), inode);
    }
  }

  async remove(path: string): Promise<void> {
    await nodeFileSystem.remove(path);
    this.#names.delete(path);
  }

  async removeFolder(path: string): Promise<void> {
    await nodeFileSystem.removeFolder(path);
    for (const name of [...this.#names.keys()]) if (isIn(name, path)) this.#names.delete(name);
    for (const name of [...this.#durableNames.keys()])
      if (isIn(name, path)) this.#durableNames.delete(name);
  }

  async closeFolder(path: string): Promise<boolean> {
    return (await nodeFileSystem.closeFolder?.(path)) ?? false;
  }

  lock(folder: string): Held {
    return nodeFileSystem.lock?.(folder) ?? { release() {} };
  }

  makeFolder(path: string, closed?: boolean): Promise<void> {
    return nodeFileSystem.makeFolder(path, closed);
  }

  list(folder: string): Promise<string[]> {
    return nodeFileSystem.list(folder);
  }

  async syncFolder(folder: string): Promise<void> {
    for (const path of this.#durableNames.keys()) {
      if (dirname(path) === folder && !this.#names.has(path)) this.#durableNames.delete(path);
    }
    for (const [path, inode] of this.#names) {
      if (dirname(path) === folder) this.#durableNames.set(path, inode);
    }
  }

  /** A file that existed before it was first opened here counts as durable. */
  #takeOver(path: string): void {
    const inode = { durable: readFileSync(path) };
    this.#names.set(path, inode);
    this.#durableNames.set(path, inode);
  }

  /** Leaves on the disk only what is durable. */
  cutPower(): void {
    for (const path of this.#names.keys()) {
      if (!this.#durableNames.has(path) && existsSync(path)) rmSync(path);
    }
    for (const [path, inode] of this.#durableNames) writeFileSync(path, inode.durable);
    this.#names = new Map(this.#durableNames);
  }
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
