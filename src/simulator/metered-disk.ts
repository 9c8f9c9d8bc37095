/**
 * Real files, and how long an ordinary disk would take for them.
 *
 * Idea      In virtual time the disk's work takes no time, and a frontier that starves would read
 *           the disk without end. So every transfer is counted. A clock that adds the time of the
 *           transfers since the last `rest` tells the distributor how long its work took: so the
 *           distributor keeps to the same shares of time as in a real crawl.
 * Ensures   the same bytes in two runs: a transfer is counted when it is requested, not when the
 *           system has completed it.
 */
import type { Clock } from '../base/clock.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { Disk } from '../disk/disk.ts';
import { nodeFileSystem, type RawFile } from '../disk/file-system.ts';

/** What a disk moves in a millisecond: 200 MB/s, an ordinary disk in shared use. */
const BYTES_A_MILLISECOND = 200_000;
/** Every transfer costs at least a tenth of a millisecond. */
const TRANSFERS_A_MILLISECOND = 10;
/** CPU time counts too: the distributor reads its clock once for every host that a sweep passes. */
const LOOKS_A_MILLISECOND = 200;

export interface DiskMeter {
  read: Bytes;
  written: Bytes;
  transfers: number;
}

export const newMeter = (): DiskMeter => ({ read: 0, written: 0, transfers: 0 });

export function meteredDisk(meter: DiskMeter): Disk {
  return new Disk({
    ...nodeFileSystem,
    open: async (path, mode) => new MeteredFile(await nodeFileSystem.open(path, mode), meter),
  });
}

class MeteredFile implements RawFile {
  readonly #file: RawFile;
  readonly #meter: DiskMeter;

  constructor(file: RawFile, meter: DiskMeter) {
    this.#file = file;
    this.#meter = meter;
  }

  read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    this.#meter.read += length;
    this.#meter.transfers++;
    return this.#file.read(into, offset, length, position);
  }

  write(from: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    this.#meter.written += length;
    this.#meter.transfers++;
    return this.#file.write(from, offset, length, position);
  }

  /** Does nothing: a virtual crawl is never resumed, so its files need not survive a crash. */
  async sync(): Promise<void> {}

  truncate(length: number): Promise<void> {
    return this.#file.truncate(length);
  }

  size(): Promise<number> {
    return this.#file.size();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The time of a clock plus the time of the disk's work since the last `rest`. */
export class DiskClock implements Clock {
  readonly #clock: Clock;
  readonly #meters: readonly DiskMeter[];
  #restedAt: Millis = 0;
  #looks = 0;

  constructor(clock: Clock, meters: readonly DiskMeter[]) {
    this.#clock = clock;
    this.#meters = meters;
  }

  now(): Millis {
    this.#looks++;
    return this.#clock.now() + Math.floor(this.#worked() - this.#restedAt);
  }

  after(delay: Millis, callback: () => void): () => void {
    return this.#clock.after(delay, callback);
  }

  /** Ends a piece of work; returns how long it took. */
  rest(): Millis {
    const before = this.#restedAt;
    this.#restedAt = this.#worked();
    return Math.ceil(this.#restedAt - before);
  }

  /** The time of all work since the beginning. */
  #worked(): Millis {
    let time = this.#looks / LOOKS_A_MILLISECOND;
    for (const { read, written, transfers } of this.#meters)
      time += (read + written) / BYTES_A_MILLISECOND + transfers / TRANSFERS_A_MILLISECOND;
    return time;
  }
}
