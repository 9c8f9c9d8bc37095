/**
 * One pass over a sorted file: looks up sorted keys and, with a writer, writes the file with
 * changes.
 *
 * Idea      Both sides are sorted, so one look at each record suffices. Records between two changes
 *           are copied as one piece. Whether a record lies before the key sought mostly follows
 *           from the length of the prefix that it shares with the record before: no byte of it is
 *           compared.
 * Requires  `seek` with keys in non-decreasing order, `put` and `drop` after the `seek` of the same
 *           key, each at most once per key.
 * Ensures   the new file holds every record that was not dropped, and every key put, once, in
 *           order.
 * Cost      about 0.1 µs for a record that is copied.
 */
import type { Disk } from '../../disk/disk.ts';
import { commonPrefix, LONGEST, RecordReader, RecordWriter } from './record-file.ts';

export class RecordPass {
  readonly #reader: RecordReader | undefined;
  readonly #writer: RecordWriter | undefined;
  /** Whether the reader is at a record: one that is neither copied nor dropped. */
  #hasCurrent = false;
  /** Whether the last record written has the key of the record before the current one. */
  #inStep = true;
  /** Where in the window the records begin that are to be copied as they are; -1 for none. */
  #runStart = -1;
  #runRecords = 0;
  readonly #target = Buffer.alloc(LONGEST);
  #targetLength = 0;
  #isFound = false;

  private constructor(reader: RecordReader | undefined, writer: RecordWriter | undefined) {
    this.#reader = reader;
    this.#writer = writer;
  }

  /** `from` may be undefined: a file that does not exist yet. */
  static async open(disk: Disk, from: string | undefined, to?: string): Promise<RecordPass> {
    const reader = from === undefined ? undefined : await RecordReader.open(disk, from);
    try {
      const writer = to === undefined ? undefined : await RecordWriter.create(disk, to);
      const pass = new RecordPass(reader, writer);
      pass.#hasCurrent = (await reader?.next()) ?? false;
      return pass;
    } catch (error) {
      await reader?.close();
      throw error;
    }
  }

  /** Moves to a key; true if the file has it. */
  async seek(key: string): Promise<boolean> {
    this.#targetLength = this.#target.write(key, 0, 'latin1');
    this.#isFound = await this.#find();
    return this.#isFound;
  }

  /** The value of the key that `seek` has found. */
  get value(): string {
    return this.#reader?.value ?? '';
  }

  /** Gives the key sought this value. */
  async put(value: string): Promise<void> {
    const writer = this.#writer!;
    await this.#endRun();
    if (writer.isFull) await writer.drain();
    writer.put(this.#target, this.#targetLength, value);
    this.#inStep = false;
    if (!this.#isFound) return;
    await this.#advance();
    this.#inStep = true; // the key written is that of the record replaced
  }

  /** Leaves out the record that `seek` has found. */
  async drop(): Promise<void> {
    await this.#endRun();
    await this.#advance();
    this.#inStep = false;
  }

  /** Copies the rest and makes the new file durable; returns its records and bytes. */
  async finish(): Promise<{ readonly records: number; readonly bytes: number }> {
    while (this.#hasCurrent) {
      await this.#keep();
      if (!this.#stepFast()) await this.#advance();
    }
    await this.#endRun();
    await this.#reader?.close();
    const bytes = (await this.#writer?.close()) ?? 0;
    return { records: this.#writer?.records ?? 0, bytes };
  }

  /** Ends a pass that writes nothing, or whose file is not to stay. */
  async abandon(): Promise<void> {
    await this.#reader?.close();
    await this.#writer?.abandon().catch(() => {}); // the file is deleted anyway
  }

  /** Moves to the first record whose key is not before the one sought. */
  async #find(): Promise<boolean> {
    const reader = this.#reader;
    if (!reader || !this.#hasCurrent) return false;
    const target = this.#target;
    const length = this.#targetLength;
    let common = commonPrefix(reader.key, reader.keyLength, target, length);
    while (this.#isBefore(common)) {
      await this.#keep();
      // Keys that share more with the key before than that shares with the one sought lie before
      // it too.
      let stepped = this.#stepFast();
      while (stepped && reader.shared > common) stepped = this.#stepInRun();
      if (!stepped) {
        await this.#advance();
        if (!this.#hasCurrent) return false;
      }
      if (reader.shared < common) return false;
      if (reader.shared === common)
        common = commonPrefix(reader.key, reader.keyLength, target, length, common);
    }
    return common === length && common === reader.keyLength;
  }

  /** Whether the current key lies before the one sought, which begin with `common` equal bytes. */
  #isBefore(common: number): boolean {
    const { key, keyLength } = this.#reader!;
    if (common === this.#targetLength) return false;
    return common === keyLength || key[common] < this.#target[common];
  }

  /** Keeps the current record: adds it to the run, or writes it after a change. */
  async #keep(): Promise<void> {
    const [reader, writer] = [this.#reader!, this.#writer];
    if (!writer) return;
    if (this.#inStep) {
      if (this.#runStart < 0) this.#runStart = reader.start;
      this.#runRecords++;
      return;
    }
    await this.#endRun();
    if (writer.isFull) await writer.drain();
    writer.put(reader.key, reader.keyLength, reader.value);
    this.#inStep = true;
  }

  /** Steps within the window. */
  #stepFast(): boolean {
    return this.#reader!.step();
  }

  /** Keeps the current record, which follows the one kept before, and steps within the window. */
  #stepInRun(): boolean {
    if (this.#writer) {
      if (this.#runStart < 0) this.#runStart = this.#reader!.start;
      this.#runRecords++;
    }
    return this.#reader!.step();
  }

  /** Moves to the next record, also into the next window. */
  async #advance(): Promise<void> {
    const reader = this.#reader!;
    if (reader.step()) return;
    await this.#flushRun(reader.end, reader.key, reader.keyLength);
    this.#hasCurrent = await reader.next();
  }

  /** Writes the run, which ends before the current record. */
  async #endRun(): Promise<void> {
    const reader = this.#reader;
    if (!reader || this.#runStart < 0) return;
    if (this.#hasCurrent)
      await this.#flushRun(reader.start, reader.previous, reader.previousLength);
    else await this.#flushRun(reader.end, reader.key, reader.keyLength);
  }

  async #flushRun(end: number, key: Uint8Array, keyLength: number): Promise<void> {
    if (this.#runStart < 0) return;
    await this.#writer!.copy(this.#reader!.window.subarray(this.#runStart, end));
    this.#writer!.follow(key, keyLength, this.#runRecords);
    this.#runStart = -1;
    this.#runRecords = 0;
  }
}
