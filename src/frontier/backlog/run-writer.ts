/**
 * Writes a run, host by host in increasing order.
 *
 * Ensures   a call that returns no promise is done. Do not read the run before `seal`.
 */
import { AppendLog, closeOnFailure } from '../../disk/append-log.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { copyBytes } from '../queue/path-queue.ts';
import { dataName, RUN_FORMAT, Run } from './run.ts';
import { IndexWriter, type RunPlace, rowSize } from './run-index.ts';

const BLOCK = 64 * 1024;
const LOG_BUFFER = 256 * 1024;

export class RunWriter {
  readonly #id: number;
  readonly #place: RunPlace;
  readonly #log: AppendLog;
  readonly #index: IndexWriter;
  /** Entries to be written to the log. */
  readonly #block = Buffer.allocUnsafeSlow(BLOCK);
  #filled = 0;
  #high = 0;
  #low = 0;
  #host = '';
  /** Where the present host begins. */
  #start: number;
  /** Entries of the present host. */
  #count = 0;
  #urls = 0;
  #hosts = 0;

  private constructor(id: number, place: RunPlace, log: AppendLog) {
    this.#id = id;
    this.#place = place;
    this.#log = log;
    this.#start = log.length;
    this.#index = new IndexWriter(place, id, 0);
  }

  /** Makes the run `id` from what `write` writes. */
  static async make(
    place: RunPlace,
    id: number,
    write: (writer: RunWriter) => Promise<void>,
  ): Promise<Run> {
    const log = await AppendLog.create(
      place.disk,
      place.files.path(dataName(id)),
      RUN_FORMAT,
      LOG_BUFFER,
    );
    const writer = new RunWriter(id, place, log);
    try {
      return await closeOnFailure([log], async () => {
        await write(writer);
        return writer.#seal();
      });
    } catch (error) {
      await writer.#index.abandon();
      throw error;
    }
  }

  /** Ends the host before, and begins a new one. */
  begin(high: number, low: number, host: string): void | Promise<void> {
    const waits = this.#count > 0 ? this.#index.reserve(rowSize(this.#host)) : undefined;
    if (waits) return waits.then(() => this.#turnTo(high, low, host));
    this.#turnTo(high, low, host);
  }

  /** Adds `count` whole entries to the host. */
  append(bytes: Uint8Array, from: number, to: number, count: number): void | Promise<void> {
    this.#count += count;
    if (to - from > BLOCK - this.#filled) return this.#appendLong(bytes.subarray(from, to));
    copyBytes(bytes, from, to, this.#block, this.#filled);
    this.#filled += to - from;
  }

  #turnTo(high: number, low: number, host: string): void {
    const end = this.#log.length + this.#filled;
    if (this.#count > 0) {
      this.#index.add(
        this.#high,
        this.#low,
        this.#host,
        this.#start,
        end - this.#start,
        this.#count,
      );
      this.#urls += this.#count;
      this.#hosts++;
    }
    this.#high = high;
    this.#low = low;
    this.#host = host;
    this.#start = end;
    this.#count = 0;
  }

  async #appendLong(bytes: Uint8Array): Promise<void> {
    await this.#flush();
    await this.#log.append(bytes);
  }

  async #flush(): Promise<void> {
    await this.#log.append(this.#block.subarray(0, this.#filled));
    this.#filled = 0;
  }

  async #seal(): Promise<Run> {
    await this.begin(0, 0, '');
    await this.#flush();
    const data = { file: await this.#log.seal(), length: this.#log.length };
    const index = await this.#index.seal();
    const bytes = data.length - HEADER_BYTES;
    return new Run(this.#place, this.#id, data, index, {
      urls: this.#urls,
      hosts: this.#hosts,
      bytes,
    });
  }
}
