/**
 * Where the temporary folders of a run are: in memory if there is room, since a disk takes up to
 * ten times as long to make and remove small files. `TMPDIR=/tmp npm test` uses the disk.
 *
 * Each worker has a folder of its own, so that a test may look for what is left in it. The end of
 * the run removes all of them.
 */
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Several times what a run ever holds at once. */
const ROOM = 4 * 2 ** 30;

export function setup(): () => void {
  const base = process.env.TMPDIR === undefined && hasRoom() ? IN_MEMORY : tmpdir();
  const folder = mkdtempSync(join(base, 'drumlin-test-'));
  process.env.DRUMLIN_TEST_FILES = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}

/** In a worker, before each file. */
export function useOwnFolder(): void {
  const { DRUMLIN_TEST_FILES: folder, VITEST_POOL_ID: worker } = process.env;
  if (folder === undefined || worker === undefined) return;
  process.env.TMPDIR = join(folder, worker);
  mkdirSync(process.env.TMPDIR, { recursive: true });
}
