/** What a worker keeps in its folder beside its agents: its name. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';

const WORKER_FILE = 'worker.json';

/** A worker keeps its name as long as it keeps its folder. */
export async function workerId(disk: Disk, dir: string): Promise<string> {
  if ((await disk.list(dir)).includes(WORKER_FILE)) {
    const { id } = JSON.parse(await disk.readText(join(dir, WORKER_FILE)));
    if (typeof id === 'string' && /^[a-z0-9-]{1,80}$/.test(id)) return id;
  }
  const host = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  const id = `${host || 'worker'}-${randomBytes(4).toString('hex')}`;
  await replaceFile(disk, dir, WORKER_FILE, Buffer.from(`${JSON.stringify({ id })}\n`));
  return id;
}
