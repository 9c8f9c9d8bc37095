/**
 * Verifies every state file of a crawl: reads it in order, block by block, in fixed memory.
 *
 * Ensures   every file that a checkpoint names is read to its end. Nothing is changed.
 */
import { join } from 'node:path';
import { archiveDir } from '../../archive/index/index-merge.ts';
import { earlierDir } from '../../archive/payloads/earlier-payloads.ts';
import { openStateFile, verifyStateFile } from '../../disk/block-file.ts';
import { damaged, isDamage, tooShort } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import type { FileKind } from '../../disk/format.ts';
import { AGENTS, namedFiles, storedCheckpoint } from '../state/agent-folder.ts';

/** A file that is missing, or is not what was written. */
export interface Damage {
  /** The agent whose file it is; undefined for a file of the whole crawl. */
  readonly agent?: number;
  /** The file and what is wrong, as a sentence. */
  readonly fact: string;
}

export interface Verified {
  /** State files that were read. */
  readonly files: number;
  readonly damages: readonly Damage[];
}

/** Verifies the agents of a crawl, and the table of earlier crawls. */
export async function verifyState(
  disk: Disk,
  dir: string,
  agents: number,
  onDamage: (damage: Damage) => void,
): Promise<Verified> {
  const damages: Damage[] = [];
  let files = 0;
  const verify = async (work: () => Promise<unknown>, agent?: number): Promise<void> => {
    files++;
    const damage = await damageOf(work, agent);
    if (!damage) return;
    damages.push(damage);
    onDamage(damage);
  };
  for (let agent = 0; agent < agents; agent++) {
    const { damage, named, archive } = await filesOf(disk, dir, agent);
    await verify(async () => {
      if (damage) throw damage;
    }, agent);
    for (const { path, length } of named)
      await verify(() => verifyStateFile(disk, path, length), agent);
    for (const { file, length } of archive)
      await verify(() => verifyLength(disk, join(archiveDir(dir), file), length), agent);
  }
  for (const { name, type } of await earlierFiles(disk, dir))
    await verify(() => verifyWhole(disk, join(earlierDir(dir), name), type));
  return { files, damages };
}

async function damageOf(
  work: () => Promise<unknown>,
  agent: number | undefined,
): Promise<Damage | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { ...(agent !== undefined && { agent }), fact: error.fact };
  }
}

async function filesOf(disk: Disk, dir: string, agent: number) {
  try {
    const stored = await storedCheckpoint(disk, dir, agent);
    if (stored) {
      const named = namedFiles(dir, agent, stored);
      return { named, archive: stored.state.archive, damage: undefined };
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { named: [], archive: [], damage: error };
  }
  return { named: [], archive: [], damage: noCheckpoint(dir, agent) };
}

/** A file of the archive may be missing: finished ones may be moved away. */
async function verifyLength(disk: Disk, path: string, length: number): Promise<void> {
  const file = await disk.open(path, 'read').catch((error) => {
    if (error.code === 'FILE_MISSING') return undefined;
    throw error;
  });
  if (!file) return;
  try {
    const size = await file.size();
    if (size < length) throw tooShort(path, size, length);
  } finally {
    await file.close();
  }
}

function noCheckpoint(dir: string, agent: number): Error {
  const path = join(dir, AGENTS, String(agent), 'checkpoint.json');
  return damaged(path, 'is missing');
}

const EARLIER = [
  { name: 'digests', type: 'dig' },
  { name: 'originals', type: 'org' },
] as const;

async function earlierFiles(disk: Disk, dir: string) {
  const found = await disk.list(dir);
  if (!found.includes('earlier')) return [];
  const names = await disk.list(earlierDir(dir));
  // Without its list of sources the table is made again.
  return names.includes('sources') ? EARLIER : [];
}

async function verifyWhole(disk: Disk, path: string, type: FileKind): Promise<void> {
  const file = await openStateFile(disk, path, { type, version: 1, summed: true });
  try {
    await verifyStateFile(disk, path, await file.size());
  } finally {
    await file.close();
  }
}
