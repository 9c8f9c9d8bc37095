/**
 * Verifies every state file of a crawl: reads it in order, block by block, in fixed memory.
 *
 * Ensures   every file that a checkpoint names is read to its end. Nothing is changed.
 */
import { join } from 'node:path';
import { earlierDir } from '../../archive/payloads/earlier-payloads.ts';
import { openStateFile, verifyStateFile } from '../../disk/block-file.ts';
import { damaged, isDamage } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
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
    const { damage, named } = await filesOf(disk, dir, agent);
    await verify(async () => {
      if (damage) throw damage;
    }, agent);
    for (const { path, length } of named)
      await verify(() => verifyStateFile(disk, path, length), agent);
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
    if (stored) return { named: namedFiles(dir, agent, stored), damage: undefined };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { named: [], damage: error };
  }
  return { named: [], damage: noCheckpoint(dir, agent) };
}

function noCheckpoint(dir: string, agent: number): Error {
  const path = join(dir, AGENTS, String(agent), 'checkpoint.json');
  return damaged(path, 'is missing');
}

const EARLIER = [
  { name: 'digests', type: 'dig' },
  { name: 'originals', type: 'org' },
];

async function earlierFiles(disk: Disk, dir: string) {
  const found = await disk.list(dir);
  if (!found.includes('earlier')) return [];
  const names = await disk.list(earlierDir(dir));
  // Without its list of sources the table is made again.
  return names.includes('sources') ? EARLIER : [];
}

async function verifyWhole(disk: Disk, path: string, type: string): Promise<void> {
  const file = await openStateFile(disk, path, { type, version: 1, summed: true });
  try {
    await verifyStateFile(disk, path, await file.size());
  } finally {
    await file.close();
  }
}
