/** A disk that makes nothing durable: for tests that write many small books. */
import { Disk } from '../../src/disk/disk.ts';
import { nodeFileSystem } from '../../src/disk/file-system.ts';

export const unsyncedDisk = (): Disk =>
  new Disk({
    ...nodeFileSystem,
    async open(path, mode) {
      const file = await nodeFileSystem.open(path, mode);
      return {
        read: (...of) => file.read(...of),
        write: (...of) => file.write(...of),
        truncate: (length) => file.truncate(length),
        size: () => file.size(),
        close: () => file.close(),
        sync: async () => {},
      };
    },
    syncFolder: async () => {},
  });
