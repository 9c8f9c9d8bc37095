/**
 * Restores the folder of an agent from a manifest.
 *
 * Requires  that nothing uses the files of the agent, and that they are deleted.
 * Ensures   The folder is as it was at the checkpoint, in every byte that the checkpoint covers.
 *           Every piece is compared with its hash. The checkpoint itself is written last, so a
 *           restore that is cut off leaves an agent without checkpoint, never a wrong one. WARC
 *           files stay in the store: an agent resumes without them.
 */
import { dirname, join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { checkpointPath } from './covered-files.ts';
import { damagedObject, type Manifest, missingObject, readManifest } from './manifest.ts';
import { hashOf } from './pack.ts';

/** Most bytes of one request. */
const READ_BYTES: Bytes = 8 * 2 ** 20;

/** A piece, and where it belongs. */
interface Target {
  readonly path: string;
  readonly position: number;
  readonly length: Bytes;
  readonly at: number;
  readonly sum: string;
}

/** Returns the number of the checkpoint. `wanted` selects files by their paths. */
export async function restoreAgent(
  store: ObjectStore,
  disk: Disk,
  dir: string,
  key: string,
  wanted: (path: string) => boolean = () => true,
): Promise<number> {
  const manifest = await readManifest(store, key);
  const last = checkpointPath(manifest.agent);
  const files = new Map<string, DiskFile>();
  const checkpoint = Buffer.alloc(manifest.files.get(last)?.length ?? 0);
  try {
    for (const path of manifest.files.keys()) {
      if (path === last || !wanted(path)) continue;
      await disk.makeFolder(dirname(join(dir, path)));
      const file = await disk.open(join(dir, path), 'create');
      files.set(path, file);
      await file.truncate(manifest.files.get(path)?.length ?? 0); // what is not written is zeros
    }
    for (const [object, targets] of targetsIn(manifest)) {
      for (const run of runs(targets)) {
        const bytes = await read(store, object, run);
        for (const { path, position, length, at, sum } of run) {
          const piece = bytes.subarray(at - run[0].at, at - run[0].at + length);
          if (hashOf(piece) !== sum) throw damagedObject(`${store.place}/${object}`);
          if (path === last) checkpoint.set(piece, position);
          else await files.get(path)?.writeAll(piece, position);
        }
      }
    }
    for (const file of files.values()) await file.sync();
  } finally {
    for (const file of files.values()) await file.close();
  }
  for (const folder of new Set([...files.keys()].map((path) => dirname(path))))
    await disk.syncFolder(join(dir, folder));
  if (wanted(last)) {
    await disk.makeFolder(dirname(join(dir, last)));
    await replaceFile(disk, dirname(join(dir, last)), 'checkpoint.json', checkpoint);
  }
  return manifest.sequence;
}

/** The pieces of each pack, in the order of their places. */
function targetsIn({ files }: Manifest): Map<string, Target[]> {
  const found = new Map<string, Target[]>();
  for (const [path, { length, pieceBytes, pieces }] of files) {
    for (const [i, { object, at, sum }] of pieces.entries()) {
      if (object === '') continue;
      const position = i * pieceBytes;
      const target = { path, position, length: Math.min(pieceBytes, length - position), at, sum };
      const targets = found.get(object);
      if (targets) targets.push(target);
      else found.set(object, [target]);
    }
  }
  for (const targets of found.values()) targets.sort((a, b) => a.at - b.at);
  return found;
}

/** Neighbouring pieces that one request reads. */
function* runs(targets: readonly Target[]): Iterable<readonly Target[]> {
  let run: Target[] = [];
  for (const target of targets) {
    const previous = run.at(-1);
    const fits =
      previous &&
      target.at <= previous.at + 2 * previous.length &&
      target.at + target.length - run[0].at <= READ_BYTES;
    if (!fits && run.length > 0) {
      yield run;
      run = [];
    }
    run.push(target);
  }
  if (run.length > 0) yield run;
}

async function read(store: ObjectStore, object: string, run: readonly Target[]): Promise<Buffer> {
  const from = run[0].at;
  const end = Math.max(...run.map(({ at, length }) => at + length));
  const bytes = await store.get(object, { from, length: end - from });
  if (!bytes) throw missingObject(`${store.place}/${object}`);
  return bytes;
}
