/** A file system that counts the open files, now and at most. */
import {
  type FileSystem,
  nodeFileSystem,
  type OpenMode,
  type RawFile,
} from '../../../src/disk/file-system.ts';

export class OpenFiles implements FileSystem {
  readonly #inner: FileSystem;
  now = 0;
  most = 0;

  constructor(inner: FileSystem = nodeFileSystem) {
    this.#inner = inner;
  }

  async open(path: string, mode: OpenMode): Promise<RawFile> {
    return this.#opened(await this.#inner.open(path, mode));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#inner.rename(from, to);
  }

  remove(path: string): Promise<void> {
    return this.#inner.remove(path);
  }

  removeFolder(path: string): Promise<void> {
    return this.#inner.removeFolder(path);
  }

  makeFolder(path: string): Promise<void> {
    return this.#inner.makeFolder(path);
  }

  list(folder: string): Promise<string[]> {
    return this.#inner.list(folder);
  }

  syncFolder(path: string): Promise<void> {
    return this.#inner.syncFolder(path);
  }

  #opened(file: RawFile): RawFile {
    this.now++;
    this.most = Math.max(this.most, this.now);
    let isOpen = true;
    return {
      read: (into, offset, length, position) => file.read(into, offset, length, position),
      write: (from, offset, length, position) => file.write(from, offset, length, position),
      sync: () => file.sync(),
      truncate: (length) => file.truncate(length),
      size: () => file.size(),
      close: async () => {
        if (isOpen) this.now--;
        isOpen = false;
        await file.close();
      },
    };
  }
}
