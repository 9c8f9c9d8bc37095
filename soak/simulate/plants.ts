/**
 * Bugs to plant: each breaks one property that a crawl relies on, from outside of the product. A
 * simulation that does not find them proves nothing.
 */
import type { FileSystem, RawFile } from '../../src/disk/file-system.ts';
import type { Plant } from './crawl.ts';

export const PLANTS: Readonly<Record<string, Plant>> = {
  /** A checkpoint counts pages of the archive that are not durable. */
  'undurable-archive': { fileSystem: (disk) => unsynced(disk, /\/archive\/[^/]+\.warc/) },
  /** A checkpoint is renamed into its place before its content is durable. */
  'undurable-checkpoint': { fileSystem: (disk) => unsynced(disk, /checkpoint\.json\.tmp$/) },
  /** New files and renames are never made durable. */
  'undurable-names': {
    fileSystem: (disk) => changed(disk, { syncFolder: async () => {} }),
  },
  /** A parcel is acknowledged when it arrives, not when the receiver's checkpoint has it. */
  'early-acknowledgement': {
    hooks: (hooks) => ({ ...hooks, mesh: (agents) => acknowledging(hooks.mesh!(agents)) }),
  },
  /**
   * An agent that has run before without a checkpoint is taken for a new one: no delays are kept.
   */
  'forgotten-run': {
    fileSystem: (disk) =>
      changed(disk, {
        list: async (path) => (path.endsWith('/agents') ? [] : disk.list(path)),
      }),
  },
  /** Delays go by the wall clock, which can be set. */
  'wall-clock-delays': {
    hooks: (hooks) => ({ ...hooks, clock: { ...hooks.clock!, pace: undefined } }),
  },
};

function changed(disk: FileSystem, by: Partial<FileSystem>): FileSystem {
  return {
    open: (path, mode) => disk.open(path, mode),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    removeFolder: (path) => disk.removeFolder(path),
    makeFolder: (path, closed) => disk.makeFolder(path, closed),
    list: (path) => disk.list(path),
    syncFolder: (path) => disk.syncFolder(path),
    ...by,
  };
}

/** Syncs of files with such a path do nothing. */
function unsynced(disk: FileSystem, paths: RegExp): FileSystem {
  const open: FileSystem['open'] = async (path, mode) => {
    const file: RawFile = await disk.open(path, mode);
    return paths.test(path) ? { ...file, sync: async () => {} } : file;
  };
  return changed(disk, { open });
}

type Ports = ReturnType<
  NonNullable<NonNullable<Parameters<NonNullable<Plant['hooks']>>[0]['mesh']>>
>;

function acknowledging(mesh: Ports): Ports {
  for (const ports of mesh) {
    for (const port of ports) {
      if (!port) continue;
      const on = port.on.bind(port) as (name: string, take: (message: unknown) => void) => unknown;
      Object.assign(port, {
        on: (name: string, take: (message: unknown) => void) =>
          on(name, (message) => {
            const { sequence } = message as { sequence?: number };
            if (sequence !== undefined) port.postMessage({ acknowledged: sequence });
            take(message);
          }),
      });
    }
  }
  return mesh;
}
