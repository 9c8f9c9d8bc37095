/**
 * A state file that is written in order, a value at a time: values go to a buffer without waiting,
 * and `settle` hands full buffers to the file.
 */
import { writeVarint } from '../../base/varint.ts';
import { AppendLog } from '../../disk/append-log.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Format } from '../../disk/format.ts';

const FULL = 2 ** 18;

export class Output {
  readonly #log: AppendLog;
  #bytes = Buffer.alloc(FULL + 4096);
  #filled = 0;

  private constructor(log: AppendLog) {
    this.#log = log;
  }

  static async create(disk: Disk, path: string, format: Format): Promise<Output> {
    return new Output(await AppendLog.create(disk, path, { ...format, summed: true }));
  }

  /** Where the next value goes, as a position of the file's content. */
  get length(): number {
    return this.#log.length + this.#filled;
  }

  varint(value: number): void {
    this.#filled = writeVarint(this.#room(10), this.#filled, value);
  }

  /** A text in UTF-8 after its length. */
  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.#room(length);
    this.#filled += this.#bytes.write(text, this.#filled);
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length).set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  u32(value: number): void {
    this.#room(4);
    this.#filled = this.#bytes.writeUInt32LE(value, this.#filled);
  }

  u64(value: bigint): void {
    this.#room(8);
    this.#filled = this.#bytes.writeBigUInt64LE(value, this.#filled);
  }

  /** Await what it returns before the next value, if it returns anything. */
  settle(): Promise<void> | undefined {
    return this.#filled < FULL ? undefined : this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#log.sync();
    await this.#log.close();
  }

  /** Closes a file that will not be read. */
  abandon(): Promise<void> {
    return this.#log.abandon();
  }

  async #flush(): Promise<void> {
    const filled = this.#bytes.subarray(0, this.#filled);
    this.#filled = 0;
    await this.#log.append(filled);
  }

  #room(bytes: number): Buffer {
    if (this.#filled + bytes > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (this.#filled + bytes));
      larger.set(this.#bytes.subarray(0, this.#filled));
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

/** Creates files, lets `fill` write them and makes them durable; abandons them all on failure. */
export async function writeOutputs<T>(
  disk: Disk,
  files: readonly (readonly [path: string, format: Format])[],
  fill: (outputs: readonly Output[]) => Promise<T>,
): Promise<T> {
  const outputs: Output[] = [];
  try {
    for (const [path, format] of files) outputs.push(await Output.create(disk, path, format));
    const result = await fill(outputs);
    while (outputs.length > 0) {
      await outputs[0].close();
      outputs.shift();
    }
    return result;
  } catch (error) {
    for (const output of outputs) await output.abandon().catch(() => {});
    throw error;
  }
}
