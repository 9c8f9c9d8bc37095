/**
 * Writes the keys that a new `KeyDrum` knows from the start, when it takes them over from another
 * one.
 *
 * Idea      A repository is a sorted file of keys, and a partition is one range of it: taking over
 *           is copying.
 * Requires  keys strictly increasing over all calls; a folder without a DRUM in it.
 * Ensures   `KeyDrum.open` with the number that `seal` returns knows exactly these keys, and hands
 *           none of them out.
 */

import { join } from 'node:path';
import { AppendLog } from '../disk/append-log.ts';
import type { Disk } from '../disk/disk.ts';
import { keysName } from './key-drum.ts';
import { KEYS_FORMAT } from './key-merge.ts';

export class KnownKeys {
  readonly #log: AppendLog;
  #count = 0;
  #last = -1n;

  private constructor(log: AppendLog) {
    this.#log = log;
  }

  static async create(disk: Disk, folder: string): Promise<KnownKeys> {
    return new KnownKeys(await AppendLog.create(disk, join(folder, keysName(1)), KEYS_FORMAT));
  }

  async append(keys: BigUint64Array): Promise<void> {
    if (keys.length === 0) return;
    if (keys[0] <= this.#last) throw new Error('Known keys must come in increasing order.');
    this.#last = keys[keys.length - 1];
    this.#count += keys.length;
    await this.#log.append(new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength));
  }

  /** Completes the file; returns how many keys it has. */
  async seal(): Promise<number> {
    await this.#log.close();
    return this.#count;
  }

  abandon(): Promise<void> {
    return this.#log.abandon();
  }
}
