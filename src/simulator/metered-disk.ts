/**
 * Real files, and how long a plain disk would have taken over them.
 *
 * Idea      In virtual time the disk's work takes none, and a frontier that starves would read the disk without end. So every transfer is
 *           counted, and a clock that adds the time of those since the last `rest` tells the distributor how long its
 *           work took: it keeps to the shares of time that it keeps to in a real crawl.
 * Ensures   the same bytes in two runs: transfers are counted when they are asked for, not when the system is done with them.
 */
import type { Clock } from '../base/clock.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { Disk } from '../disk/disk.ts';
import { nodeFileSystem, type RawFile } from '../disk/file-system.ts';

/** What a disk moves in a millisecond: 200 MB/s, an ordinary one that others use too; */
const BYTES_A_MILLISECOND = 200_000;
/** and every transfer costs a tenth of one, however small it is. */
const TRANSFERS_A_MILLISECOND = 10;
/** So does thinking: the distributor looks at its clock once for every host that a sweep passes, and that takes some microseconds. */
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

  /** A virtual crawl is never gone on with: nothing of it need outlive the power. */
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

/** The time of a clock plus what the disk has taken since it rested last. */
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

  /** The work is done; returns how long it took. */
  rest(): Millis {
    const before = this.#restedAt;
    this.#restedAt = this.#worked();
    return Math.ceil(this.#restedAt - before);
  }

  /** Since the beginning. */
  #worked(): Millis {
    let time = this.#looks / LOOKS_A_MILLISECOND;
    for (const { read, written, transfers } of this.#meters)
      time += (read + written) / BYTES_A_MILLISECOND + transfers / TRANSFERS_A_MILLISECOND;
    return time;
  }
}
