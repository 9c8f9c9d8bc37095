/**
 * Appends exchanges to the WARC files of one agent: response and request side by side, one member
 * each.
 *
 * Idea      Members are collected in memory and written in batches while the next ones are being
 *           made. `write` waits only if more than `pendingBytes` are not written yet: that is the
 *           back-pressure.
 * Requires  One writer per agent name and folder.
 * Ensures   A file begins with a warcinfo and always has complete members up to the length that
 *           `checkpoint` returns. The two records of an exchange are in the same file. Existing
 *           files are never written to. With an index, each file has a part, which lists the same
 *           records up to the length that `checkpoint` returns with it. When `write` resolves, the
 *           exchange has its position, but may be in memory only. After `flush`, everything
 *           accepted is in the files (and survives the end of the process). `checkpoint` and
 *           `close` begin with a flush, and sync (so that it survives a power failure). If the disk
 *           refuses, accepted members stay in memory, `write` accepts no more, and `flush` tries
 *           again.
 * Cost      Memory: `pendingBytes` plus the exchanges in progress. A system call per batch.
 *
 * Files are named `<prefix>-<timestamp>-<serial>-<agent>.warc.gz` (`.warc.zst`, `.warc`) from the
 * beginning; no suffix marks the one being written. So an index may refer to it at once, and after
 * a crash its complete members are the archive: recovery truncates the rest and renames nothing.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/clock.ts';
import { together } from '../../base/together.ts';
import type { Bytes } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import {
  type CompressionOptions,
  type Compressor,
  compressorFor,
} from '../compress/compression.ts';
import { cdxjLine } from '../index/cdxj.ts';
import {
  type CrawlInfo,
  type ExchangeNotes,
  type Resource,
  warcinfoBlock,
} from '../warc/warc-record.ts';
import {
  ExchangeRecords,
  type ExchangeRecordsOptions,
  type Location,
  type StoredAs,
} from './exchange-records.ts';
import { MemberQueue } from './member-queue.ts';
import { type NewWarc, WarcFolder } from './warc-folder.ts';

export interface WarcWriterOptions extends ExchangeRecordsOptions, CompressionOptions {
  readonly info: CrawlInfo;
  readonly prefix?: string;
  /** Distinguishes the files of agents that share a folder. */
  readonly agent?: string;
  /**
   * The serial of the first file; default 0. Where an agent's files of several runs have one name
   * space and no common clock, each run needs serials of its own.
   */
  readonly firstSerial?: number;
  /** When a file has this length, the next exchange starts another. */
  readonly rotateBytes?: Bytes;
  /** Bytes that may be waiting for the disk before `write` waits. */
  readonly pendingBytes?: Bytes;
  /** Folder for the parts of the index, one per file; without it there are no parts. */
  readonly indexDir?: string | undefined;
  readonly clock?: Clock;
  readonly uuid?: () => string;
  readonly disk?: Disk;
}

export interface StoredExchange {
  readonly as: StoredAs;
  /** The position of the response, or of the revisit that replaces it; empty for a skipped page. */
  readonly response: Location;
  readonly request: Location;
  /** The labelled digest of the payload, even if the record does not state it. */
  readonly payloadDigest: string;
}

/** A file and how much of it is complete. */
export interface WholeLength {
  readonly file: string;
  /** The length up to which the file has complete members. */
  readonly length: number;
  /** The length of its index part that lists these members; undefined without an index. */
  readonly index?: number | undefined;
  /** The CRC-32 of that length of the part; undefined if it is not known. */
  readonly sum?: number | undefined;
}

const NOWHERE: Location = { file: '', offset: 0, length: 0 };
/** Large enough that a system call per batch costs little, small enough to keep the disk busy. */
const BATCH_BYTES = 256 * 1024;

interface OpenWarc extends NewWarc {
  readonly warcinfoId: string;
}

export class WarcWriter {
  readonly #folder: WarcFolder;
  readonly #info: CrawlInfo;
  readonly #rotateBytes: number;
  readonly #pendingBytes: number;
  readonly #compressor: Compressor;
  readonly #clock: Clock;
  readonly #uuid: () => string;
  readonly #records: ExchangeRecords;

  #current: OpenWarc | undefined;
  /** Members of the current file that are not written yet. */
  #pending = new MemberQueue(BATCH_BYTES);
  /** The position of the next member in the current file. */
  #offset = 0;
  #draining: Promise<void> | undefined;
  #failure: unknown;
  /**
   * After a failed sync the state of the disk is unknown, and a second sync may wrongly succeed:
   * the writer never recovers.
   */
  #failureIsFinal = false;
  /** The end of the chain of operations on the current file. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Operations in that chain that have not ended. */
  #operations = 0;
  #closed = false;
  #finished: WholeLength[] = [];

  /**
   * Creates the folder if it is missing; refuses one that is not writable. The first exchange
   * creates the first file.
   */
  static async open(dir: string, options: WarcWriterOptions): Promise<WarcWriter> {
    const {
      disk = new Disk(),
      indexDir,
      prefix = 'drumlin',
      agent = '0',
      clock = systemClock,
      firstSerial = 0,
    } = options;
    const compressor = await compressorFor(options);
    const ending = `.warc${compressor.suffix}`;
    const place = { disk, dir, indexDir, prefix, agent, ending, clock, firstSerial };
    const folder = await WarcFolder.open(place);
    return new WarcWriter(folder, compressor, clock, options);
  }

  private constructor(
    folder: WarcFolder,
    compressor: Compressor,
    clock: Clock,
    options: WarcWriterOptions,
  ) {
    this.#folder = folder;
    this.#compressor = compressor;
    this.#clock = clock;
    this.#info = options.info;
    this.#rotateBytes = options.rotateBytes ?? 1e9;
    this.#pendingBytes = options.pendingBytes ?? 4 * 2 ** 20;
    this.#uuid = options.uuid ?? randomUUID;
    this.#records = new ExchangeRecords(options);
  }

  /**
   * Stores the exchange. Resolves when its members are made and accepted: they reach the disk with
   * their batch, at the latest before a later `flush` or `checkpoint` resolves. `onAccepted` is
   * called in the same step in which they are accepted: no `mark` comes between the two.
   */
  write(
    exchange: Exchange,
    onAccepted?: (as: StoredAs) => void,
    notes?: ExchangeNotes,
  ): Promise<StoredExchange> {
    return this.#accepting((current) => this.#append(current, exchange, onAccepted, notes));
  }

  /** Stores a resource under its own URI; accepted like an exchange. */
  writeResource(resource: Resource): Promise<Location> {
    return this.#accepting((current) => {
      const { record, capture } = this.#records.resource(
        resource,
        this.#uuid(),
        current.warcinfoId,
      );
      return this.#compressor.member(record, (member) => {
        const place = this.#accept(current, member);
        current.part?.add(cdxjLine({ ...capture, ...place, filename: place.file }));
        return place;
      });
    });
  }

  /**
   * Hands everything accepted so far to the operating system: when it resolves, every exchange
   * whose `write` had resolved is in its file. Call it again after a failure to retry.
   */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#flushAll());
  }

  /**
   * What was accepted up to this moment: the files that `checkpoint` would return, with their
   * lengths. They count once a later `checkpoint` has resolved.
   */
  mark(): WholeLength[] {
    const current = this.#current;
    if (!current) return [...this.#finished];
    return [...this.#finished, wholeLength(current, this.#offset)];
  }

  /**
   * Makes everything accepted before durable. Returns the file being written, if any, and every
   * file finished since the last checkpoint, each with the length of its complete members.
   */
  checkpoint(): Promise<WholeLength[]> {
    return this.#inTurn(async () => {
      await this.#flushAll();
      const current = this.#current;
      if (current) await this.#sync(current);
      const cut = this.#finished;
      this.#finished = [];
      return current ? [...cut, wholeLength(current, current.file.length)] : cut;
    });
  }

  /**
   * Writes what is left and closes the file, even if writing fails: then it rejects, unwritten
   * members are lost, and the file ends with its last complete batch. Closing twice is allowed.
   */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#closed = true;
      await this.#records.close();
      const current = this.#current;
      if (!current) return;
      try {
        await this.#finishFile();
      } catch (error) {
        this.#giveUp(error);
        await current.file.close().catch(() => {});
        await current.part?.close().catch(() => {});
        throw error;
      }
    });
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    this.#operations++;
    const result = this.#turn.then(action);
    const ended = () => {
      this.#operations--;
    };
    this.#turn = result.then(ended, ended);
    return result;
  }

  /**
   * Makes and accepts records in the current file; waits while too much is waiting for the disk.
   * Nearly every page finds the writer free, and is accepted at once: the steps of a turn would
   * cost more than its records.
   */
  #accepting<T>(accept: (current: OpenWarc) => T | Promise<T>): Promise<T> {
    const current = this.#current;
    if (this.#operations > 0 || !current || !this.#isReady)
      return this.#inTurn(() => this.#acceptInTurn(accept));
    try {
      const stored = accept(current);
      if (stored instanceof Promise || this.#pending.length >= this.#pendingBytes)
        return this.#inTurn(async () => this.#withRoom(await stored));
      if (this.#pending.length >= BATCH_BYTES) this.#startDraining();
      return Promise.resolve(stored);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #acceptInTurn<T>(accept: (current: OpenWarc) => T | Promise<T>): Promise<T> {
    this.#refuseIfUnable();
    if (this.#current && this.#offset >= this.#rotateBytes) await this.#finishFile();
    return this.#withRoom(await accept(this.#current ?? (await this.#startFile())));
  }

  /** The result, once there is room for more. */
  async #withRoom<T>(stored: T): Promise<T> {
    if (this.#pending.length >= BATCH_BYTES) this.#startDraining();
    while (this.#pending.length >= this.#pendingBytes && this.#failure === undefined) {
      await this.#startDraining();
    }
    return stored;
  }

  get #isReady(): boolean {
    return this.#failure === undefined && !this.#closed && this.#offset < this.#rotateBytes;
  }

  #refuseIfUnable(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closed) throw new Error('WarcWriter: write after close');
  }

  /** A promise only if a payload must be read, or a huge record compressed. */
  #append(
    current: OpenWarc,
    exchange: Exchange,
    onAccepted: ((as: StoredAs) => void) | undefined,
    notes: ExchangeNotes | undefined,
  ): StoredExchange | Promise<StoredExchange> {
    return then(this.#records.plan(exchange, notes), (plan) => {
      const { as, payloadDigest } = plan;
      if (as === 'skipped') {
        onAccepted?.(as);
        return { as, response: NOWHERE, request: NOWHERE, payloadDigest };
      }
      const ids = {
        responseId: this.#uuid(),
        requestId: this.#uuid(),
        warcinfoId: current.warcinfoId,
      };
      // All members are made before any is accepted: an exchange is stored completely or not at
      // all.
      const records = this.#records.others(exchange, ids, this.#uuid, notes, as);
      return then(this.#members(records, []), (others) =>
        this.#compressor.member(this.#records.response(exchange, ids, plan), (member) => {
          const response = this.#accept(current, member);
          const [request] = others.map((other) => this.#accept(current, other));
          if (current.part) this.#records.enter(current.part, exchange, ids, plan, response);
          onAccepted?.(as);
          return { as, response, request, payloadDigest };
        }),
      );
    });
  }

  /** The members of all records, one after the other. */
  #members(
    records: Iterator<Uint8Array>,
    made: Uint8Array[],
  ): Uint8Array[] | Promise<Uint8Array[]> {
    for (let next = records.next(); !next.done; next = records.next()) {
      const member = this.#compressor.member(next.value, copyOf);
      if (member instanceof Promise)
        return member.then((later) => this.#members(records, [...made, later]));
      made.push(member);
    }
    return made;
  }

  #accept(current: OpenWarc, member: Uint8Array): Location {
    const location = { file: current.name, offset: this.#offset, length: member.length };
    this.#pending.add(member);
    this.#offset += member.length;
    return location;
  }

  async #startFile(): Promise<OpenWarc> {
    const current = { ...(await this.#folder.begin()), warcinfoId: this.#uuid() };
    const member = await this.#compressor.member(
      this.#warcinfo(current.name, current.warcinfoId),
      copyOf,
    );
    this.#current = current;
    this.#offset = 0;
    this.#accept(current, member);
    if (current.part) this.#records.beginFile(current.name, current.part);
    return current;
  }

  #warcinfo(filename: string, id: string): Uint8Array {
    return this.#records.assembler.assemble(
      {
        type: 'warcinfo',
        id,
        date: this.#clock.now(),
        filename,
        contentType: 'application/warc-fields',
      },
      [warcinfoBlock(this.#info)],
    );
  }

  async #finishFile(): Promise<void> {
    await this.#flushAll();
    const current = this.#current!;
    await this.#sync(current);
    // The file is complete and durable from here on, even if closing it fails.
    this.#current = undefined;
    this.#finished.push(wholeLength(current, current.file.length));
    await together([current.file.close(), current.part?.close() ?? Promise.resolve()]);
  }

  get #isWritten(): boolean {
    return this.#pending.length === 0 && (this.#current?.part?.isWritten ?? true);
  }

  async #flushAll(): Promise<void> {
    if (!this.#failureIsFinal) this.#failure = undefined;
    while (!this.#isWritten && this.#failure === undefined) await this.#startDraining();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #startDraining(): Promise<void> {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  /**
   * Writes batches until none is left or the disk refuses. Never rejects: the failure is kept and
   * reported later.
   */
  async #drain(): Promise<void> {
    const { file, part } = this.#current!;
    while (!this.#isWritten) {
      part?.hold();
      try {
        await file.append(this.#pending.take());
      } catch (error) {
        this.#pending.refused();
        this.#failure = error;
        return;
      }
      this.#pending.written();
      try {
        await part?.write();
      } catch (error) {
        this.#failure = error;
        return;
      }
    }
  }

  async #sync({ file, part }: OpenWarc): Promise<void> {
    try {
      await together([file.sync(), part?.sync() ?? Promise.resolve()]);
    } catch (error) {
      this.#failure = error;
      this.#failureIsFinal = true;
      throw error;
    }
  }

  /** The file will be closed: drops the waiting members, and fails every later call. */
  #giveUp(error: unknown): void {
    this.#failure = error;
    this.#failureIsFinal = true;
    this.#current = undefined;
    this.#pending = new MemberQueue(BATCH_BYTES);
  }
}

/** Continues at once with a value, later with a promised one. */
function then<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function copyOf(member: Uint8Array): Uint8Array {
  return Buffer.from(member);
}

function wholeLength({ name, part }: OpenWarc, length: number): WholeLength {
  return part ? { file: name, length, index: part.length, sum: part.sum } : { file: name, length };
}
