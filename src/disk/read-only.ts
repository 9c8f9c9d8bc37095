/**
 * A file system on which nothing changes: to look into the folder of a crawl that may be running.
 *
 * Idea      Code that opens the files of a checkpoint shortens them to the lengths that it names.
 *           Here a shortened file only looks shorter to the one that opened it.
 * Ensures   No call changes anything on disk: a write, a rename or a removal throws.
 */
import { Disk } from './disk.ts';
import { type FileSystem, nodeFileSystem, type RawFile } from './file-system.ts';

export const readOnlyDisk = (under: FileSystem = nodeFileSystem): Disk =>
  new Disk({
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
