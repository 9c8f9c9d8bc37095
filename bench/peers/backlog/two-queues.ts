/**
 * The naive way that IRLbot's authors began with: one queue. A round reads all of it, hands out the
 * URLs whose turn it is, and writes the rest to another, which is the queue of the next round. It
 * counts hosts in memory.
 */
import { join } from 'node:path';
import { AppendLog } from '../../../src/disk/append-log.ts';
import type { StateFile } from '../../../src/disk/block-file.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../../src/disk/format.ts';
import { hostOf } from '../../../src/url/parts.ts';
import type { Contender, Task } from './contender.ts';

const FORMAT: Format = { type: 'tst', version: 1 };
const BLOCK = 64 * 1024;
const LONGEST = 4096;

export async function openTwoQueues({ folder, perRound }: Task): Promise<Contender> {
  const disk = new Disk();
  let generation = 0;
  let writer = await QueueWriter.create(disk, join(folder, 'queue.0'));
  return {
    add: (_host, url) => writer.add(url),
    async round(out) {
      const { file, length } = await writer.seal();
      writer = await QueueWriter.create(disk, join(folder, `queue.${++generation}`));
      const turns = new Map<string, number>();
      for await (const urls of blocksOf(file, length)) {
        for (const url of urls) {
          const host = hostOf(url);
          const taken = turns.get(host) ?? 0;
          if (taken < perRound) {
            turns.set(host, taken + 1);
            out(url);
            continue;
          }
          const waits = writer.add(url);
          if (waits) await waits;
        }
      }
      await file.close();
      await disk.remove(join(folder, `queue.${generation - 1}`));
    },
    close: async () => {
      const { file } = await writer.seal();
      await file.close();
    },
  };
}

class QueueWriter {
  readonly #log: AppendLog;
  readonly #block = Buffer.alloc(BLOCK);
  #filled = 0;

  constructor(log: AppendLog) {
    this.#log = log;
  }

  static async create(disk: Disk, path: string): Promise<QueueWriter> {
    return new QueueWriter(await AppendLog.create(disk, path, FORMAT));
  }

  /** Returns a promise if the block is full. */
  add(url: string): void | Promise<void> {
    this.#filled = this.#block.writeUInt16LE(url.length, this.#filled);
    this.#filled += this.#block.write(url, this.#filled, 'latin1');
    if (this.#filled > BLOCK - LONGEST) return this.#flush();
  }

  async seal(): Promise<{ file: StateFile; length: number }> {
    await this.#flush();
    return { file: await this.#log.seal(), length: this.#log.length };
  }

  async #flush(): Promise<void> {
    const filled = this.#block.subarray(0, this.#filled);
    this.#filled = 0;
    await this.#log.append(filled);
  }
}

async function* blocksOf(file: StateFile, length: number): AsyncGenerator<string[]> {
  const block = Buffer.alloc(BLOCK);
  let held = 0;
  for (let position = HEADER_BYTES; position < length; ) {
    const read = await file.readUpTo(block.subarray(held), position);
    position += read;
    const end = held + read;
    const urls: string[] = [];
    let at = 0;
    while (at + 2 <= end && at + 2 + block.readUInt16LE(at) <= end) {
      const size = block.readUInt16LE(at);
      urls.push(block.toString('latin1', at + 2, at + 2 + size));
      at += 2 + size;
    }
    block.copyWithin(0, at, end);
    held = end - at;
    yield urls;
  }
}
