/** The files that a checkpoint of an agent covers, beside its WARC files. */
import { join, relative } from 'node:path';
import { partsDir } from '../../archive/index/index-merge.ts';
import { partName } from '../../archive/index/index-part.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import {
  agentDir,
  namedFiles,
  type StoredState,
  storedCheckpoint,
} from '../../crawl/state/agent-folder.ts';
import { storedLength } from '../../disk/block-sums.ts';
import type { Checkpoint } from '../../disk/checkpoint.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { isSummed } from '../../disk/format.ts';

export interface CoveredFile {
  /** Below the folder of the crawl. */
  readonly path: string;
  /** As stored on disk. */
  readonly length: Bytes;
  readonly file: DiskFile;
}

/** The name of the file that makes the others count; it is restored last. */
export const checkpointPath = (agent: number): string =>
  `${relative('/', agentDir('/', agent))}/checkpoint.json`;

/** The checkpoint of the agent; throws if it has none. */
export async function checkpointOf(
  disk: Disk,
  dir: string,
  agent: number,
): Promise<Checkpoint<StoredState>> {
  const stored = await storedCheckpoint(disk, dir, agent);
  if (stored) return stored;
  throw new DrumlinError(
    'CHECKPOINT_MISSING',
    `Agent ${agent} in ${dir} has no checkpoint to upload.`,
    'This is a bug of drumlin: please report it.',
  );
}

/**
 * Opens each file in turn. The parts of the index that are missing are made again from the WARC.
 */
export async function* coveredFiles(
  disk: Disk,
  dir: string,
  agent: number,
  checkpoint: Checkpoint<StoredState>,
): AsyncIterable<CoveredFile> {
  for (const { path, length } of namedFiles(dir, agent, checkpoint)) {
    yield* opened(disk, dir, path, async (file) =>
      length > 0 && (await isSummed(file)) ? storedLength(length) : length,
    );
  }
  for (const { file, index } of checkpoint.state.archive) {
    if (index === undefined) continue;
    const path = join(partsDir(dir), partName(file));
    if (await exists(disk, path)) yield* opened(disk, dir, path, async () => index);
  }
  yield* opened(disk, dir, join(dir, checkpointPath(agent)), (file) => file.size());
}

async function* opened(
  disk: Disk,
  dir: string,
  path: string,
  lengthOf: (file: DiskFile) => Promise<Bytes>,
): AsyncIterable<CoveredFile> {
  const file = await disk.open(path, 'read');
  try {
    yield { path: relative(dir, path), length: await lengthOf(file), file };
  } finally {
    await file.close();
  }
}

export async function exists(disk: Disk, path: string): Promise<boolean> {
  try {
    await (await disk.open(path, 'read')).close();
    return true;
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return false;
    throw error;
  }
}
