/**
 * Where a key is in a frozen DRUM of keys that is not opened: its process may be running.
 *
 *   offered    collected, and not compared with the keys seen yet
 *   answered   new, and not taken yet
 *   decided    seen, and taken if it was new
 *   absent     never offered, as far as the checkpoint knows
 *
 * Requires  a disk on which nothing changes (`readOnly`).
 * Cost      a bisection in the file of keys; the keys of one bucket; all answers not taken.
 */
import { join } from 'node:path';
import type { Bytes } from '../base/units.ts';
import { openStateFile } from '../disk/block-file.ts';
import type { Frozen } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { HEADER_BYTES } from '../disk/format.ts';
import { ChunkLog, type OpenChunk } from './chunk-log.ts';
import type { DrumState } from './drum.ts';
import { SLOTS } from './kernel.ts';
import { KeyAnswers, TakeBuffers } from './key-answers.ts';
import { type KeyDrumState, keysName } from './key-drum.ts';
import { KEYS_FORMAT } from './key-merge.ts';
import { answersName, offersName, type Shape } from './offers.ts';
import { VALUE_ANSWERS_FORMAT } from './value-merge.ts';

type KeyPlace = 'offered' | 'answered' | 'decided' | 'absent';

const WINDOW = 64 * 1024;
const SLOT_SHIFT = BigInt(64 - Math.log2(SLOTS));

export async function keyPlace(
  disk: Disk,
  folder: string,
  { files, state }: Frozen<KeyDrumState>,
  key: bigint,
): Promise<KeyPlace> {
  const { repository, size, collecting, decided } = state;
  if (repository > 0 && (await isDecided(disk, join(folder, keysName(repository)), size, key))) {
    for (const shape of decided)
      if (await isAnswered(disk, folder, files, shape, key)) return 'answered';
    return 'decided';
  }
  return (await isOffered(disk, folder, files, collecting, key)) ? 'offered' : 'absent';
}

async function isDecided(disk: Disk, path: string, count: number, key: bigint): Promise<boolean> {
  const file = await openStateFile(disk, path, KEYS_FORMAT);
  try {
    const one = new BigUint64Array(1);
    const bytes = new Uint8Array(one.buffer);
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      await file.readAll(bytes, HEADER_BYTES + 8 * middle);
      if (one[0] === key) return true;
      if (one[0] < key) low = middle + 1;
      else high = middle;
    }
    return false;
  } finally {
    await file.close();
  }
}

/** Opens the log of a generation, uses it and closes it. */
async function withLog<T>(
  disk: Disk,
  folder: string,
  files: Readonly<Record<string, number>>,
  { generation, buckets }: Shape,
  open: readonly OpenChunk[],
  use: (log: ChunkLog) => Promise<T>,
): Promise<T> {
  const name = offersName(generation);
  const log = await ChunkLog.open(disk, join(folder, name), buckets, WINDOW, files[name], open);
  try {
    return await use(log);
  } finally {
    await log.abandon();
  }
}

function isOffered(
  disk: Disk,
  folder: string,
  files: Readonly<Record<string, number>>,
  collecting: KeyDrumState['collecting'],
  key: bigint,
): Promise<boolean> {
  const { starts, open } = collecting;
  const slot = Number(key >> SLOT_SHIFT);
  const bucket = Math.max(
    0,
    starts.findLastIndex((start) => start <= slot),
  );
  return withLog(disk, folder, files, collecting, open, async (log) => {
    const last = log.opened(bucket);
    for (const { count, keysAt } of last ? [...log.chunks(bucket), last] : log.chunks(bucket)) {
      const keys = new BigUint64Array(count);
      await log.read(new Uint8Array(keys.buffer), keysAt);
      if (keys.includes(key)) return true;
    }
    return false;
  });
}

function isAnswered(
  disk: Disk,
  folder: string,
  files: Readonly<Record<string, number>>,
  shape: KeyDrumState['decided'][number],
  key: bigint,
): Promise<boolean> {
  return withLog(disk, folder, files, shape, [], async (log) => {
    await log.seal();
    const path = join(folder, answersName(shape.generation));
    const answers = await KeyAnswers.open(disk, path, { ...shape, log }, WINDOW);
    const buffers = new TakeBuffers(shape);
    try {
      for (let batch = await answers.take(buffers); batch; batch = await answers.take(buffers))
        if (batch.keys.subarray(0, batch.length).includes(key)) return true;
      return false;
    } finally {
      await answers.abandon();
    }
  });
}

const PIECE: Bytes = 2 ** 20;

/**
 * Looks through the texts that a DRUM with values has not merged, or whose answers are not taken.
 * `find` gets pieces that overlap by `longest` bytes.
 */
export async function findPending<T>(
  disk: Disk,
  folder: string,
  { files, state }: Frozen<DrumState>,
  longest: Bytes,
  find: (bytes: Uint8Array) => T | undefined,
): Promise<T | undefined> {
  const { collecting, decided } = state;
  const { buckets, open } = collecting;
  const offered = await withLog(disk, folder, files, collecting, open, async (log) => {
    for (let bucket = 0; bucket < buckets; bucket++) {
      const last = log.opened(bucket);
      for (const chunk of last ? [...log.chunks(bucket), last] : log.chunks(bucket)) {
        const texts = new Uint8Array(chunk.textBytes);
        await log.read(texts, chunk.textsAt);
        const found = find(texts);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  });
  if (offered !== undefined) return offered;
  for (const { generation, position } of decided) {
    const name = answersName(generation);
    const file = await openStateFile(disk, join(folder, name), VALUE_ANSWERS_FORMAT);
    try {
      for (let at = position; at < files[name]; at += PIECE) {
        const bytes = new Uint8Array(Math.min(files[name] - at, PIECE + longest));
        await file.readAll(bytes, at);
        const found = find(bytes);
        if (found !== undefined) return found;
      }
    } finally {
      await file.close();
    }
  }
  return undefined;
}
