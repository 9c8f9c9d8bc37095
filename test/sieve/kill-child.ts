/**
 * A process for the crash test: it uses a sieve as a crawl does, and kills itself with SIGKILL at a
 * given file operation. Its output is a log that its checkpoint names with the sieve's files, so
 * that both are truncated together: over all runs every key must be in the output exactly once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { politePacer } from '../../src/base/pacer.ts';
import { AppendLog } from '../../src/disk/append-log.ts';
import {
  type CheckpointFormat,
  loadCheckpoint,
  saveCheckpoint,
} from '../../src/disk/checkpoint.ts';
import { Disk } from '../../src/disk/disk.ts';
import { type FileSystem, nodeFileSystem, type RawFile } from '../../src/disk/file-system.ts';
import type { Format } from '../../src/disk/format.ts';
import { DrumSieve, type SieveState } from '../../src/sieve/disk-sieve.ts';
import { type Offer, pack, unpack } from './packing.ts';

const CHECKPOINT: CheckpointFormat = { name: 'crawl.json', kind: 'kill-test', version: 1 };
const OUTPUT: Format = { type: 'tst', version: 1 };
const OFFERS = 1200;
const GEOMETRY = {
  buckets: 4,
  keyChunk: 64,
  textChunk: 256,
  bucketKeys: 60,
  bucketTexts: Number.MAX_SAFE_INTEGER,
  window: 512,
  stagedEntries: 16,
  stagedBytes: 512,
};

/** The same in every process: about one in three is new. */
export function crawlLikeOffers(from: number, to: number): Offer[] {
  return Array.from({ length: to - from }, (_, k) => {
    const i = from + k;
    const id = i % 3 === 0 ? i : (i * 7) % (i + 1);
    return {
      key: BigInt.asUintN(64, BigInt(id + 1) * 0x9e3779b97f4a7c15n),
      text: `http://host/${id}`,
    };
  });
}

export function readOutput(folder: string): string[] {
  const text = readFileSync(join(folder, 'output')).subarray(8).toString();
  return text.split('\n').slice(0, -1);
}

interface State {
  readonly position: number;
  readonly sieve: SieveState;
}

async function main(folder: string, killAt: number): Promise<void> {
  const disk = new Disk(dyingFileSystem(killAt));
  const stored = await loadCheckpoint<State>(disk, folder, CHECKPOINT);
  let sequence = stored?.sequence ?? 0;
  const sieve = await DrumSieve.openAt(
    { folder, memory: 2 ** 20, geometry: GEOMETRY, disk, pacer: politePacer(0) },
    stored?.state.sieve,
  );
  const path = join(folder, 'output');
  const output = stored
    ? await AppendLog.open(disk, path, OUTPUT, stored.files.output)
    : await AppendLog.create(disk, path, OUTPUT);
  const drain = async () => {
    for (let batch = await sieve.take(); batch; batch = await sieve.take()) {
      for (const { text } of unpack(batch)) await output.append(Buffer.from(`${text}\n`));
    }
  };
  for (let position = stored?.state.position ?? 0; position < OFFERS; ) {
    await sieve.offer(pack(crawlLikeOffers(position, position + 50)));
    position += 50;
    await drain();
    if (position === OFFERS) {
      await sieve.flush();
      await drain();
    }
    if (position % 200 !== 0) continue;
    const frozen = await sieve.freeze();
    await output.sync();
    await saveCheckpoint<State>(disk, folder, CHECKPOINT, {
      sequence: ++sequence,
      files: { output: output.length },
      state: { position, sieve: frozen },
    });
    await sieve.discardOlder(frozen);
  }
  await output.close();
  await sieve.close();
}

/** Counts the operations that change anything, and dies in the middle of the given one. */
function dyingFileSystem(killAt: number): FileSystem {
  let operations = 0;
  const live = () => {
    if (++operations >= killAt) process.kill(process.pid, 'SIGKILL');
  };
  const wrap = (file: RawFile): RawFile => ({
    read: (into, offset, length, position) => file.read(into, offset, length, position),
    async write(from, offset, length, position) {
      // Half of the bytes reach the disk first.
      if (operations + 1 >= killAt) await file.write(from, offset, length >> 1, position);
      live();
      return file.write(from, offset, length, position);
    },
    async sync() {
      live();
      return file.sync();
    },
    async truncate(length) {
      live();
      return file.truncate(length);
    },
    size: () => file.size(),
    close: () => file.close(),
  });
  return {
    ...nodeFileSystem,
    async open(path, mode) {
      if (mode === 'create') live();
      return wrap(await nodeFileSystem.open(path, mode));
    },
    async rename(from, to) {
      live();
      return nodeFileSystem.rename(from, to);
    },
    async remove(path) {
      live();
      return nodeFileSystem.remove(path);
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main(process.argv[2], Number(process.argv[3]));
