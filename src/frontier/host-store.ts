/**
 * Stores hosts that are not in memory: until when they are paused, their addresses, their
 * robots.txt, how much was fetched. It does the work of IRLbot's RobotsCache and RobotsRequested: a
 * host is in memory while a request to it is under way, so that nothing is requested twice.
 *
 * Idea      A DRUM, sorted by key, the record of a domain before those of its hosts. A host that
 *           leaves memory is an update; a sweep of the backlog, in the order of the same keys,
 *           reads the records alongside.
 * Requires  one caller at a time; `find` with increasing keys.
 * Ensures   `find` gives what was saved before the last `merge`. A host saved during a sweep must
 *           not be looked up in the same sweep.
 */

import { politePacer } from '../base/pacer.ts';
import type { Bytes } from '../base/units.ts';
import type { Frozen } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { Drum, type DrumState } from '../drum/drum.ts';
import { DrumBatch } from '../drum/drum-batch.ts';
import type { Domain, Host } from './host.ts';
import { decodeDomain, decodeHost, encodeDomain, encodeHost, storedDomain } from './host-record.ts';

const UPPER_HALF = 0xffff_ffff_0000_0000n;
const LOWER_HALF = 0xffff_ffffn;

interface HostStoreOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly memory: Bytes;
  readonly at?: Frozen<DrumState> | undefined;
}

export class HostStore {
  readonly #drum: Drum;
  #saved = new DrumBatch();
  #offered = new DrumBatch();

  private constructor(drum: Drum) {
    this.#drum = drum;
  }

  static async open({ disk, folder, memory, at }: HostStoreOptions): Promise<HostStore> {
    return new HostStore(await Drum.open({ disk, folder, memory, at, pacer: politePacer() }));
  }

  save(host: Host): void {
    this.#saved.update(host.id.key, encodeHost(host));
  }

  saveDomain(domain: Domain): void {
    this.#saved.update(domain.key, encodeDomain(domain));
  }

  /** Hands what was saved to the DRUM. */
  async write(): Promise<void> {
    if (this.#saved.length === 0) return;
    [this.#saved, this.#offered] = [this.#offered, this.#saved];
    await this.#drum.offer(this.#offered);
    this.#offered.clear();
    await this.#discardAnswers();
  }

  /** All records of hosts and domains, in the order of keys, for `put`. */
  async *records(): AsyncGenerator<StoredRecord> {
    await this.merge();
    yield* this.#drum.records();
  }

  /**
   * All domains with a record, in the order of keys. The same domains may be saved and written
   * meanwhile: each comes once, as it was before.
   */
  async *domains(): AsyncGenerator<Domain> {
    await this.merge();
    for (let last = -1n, passed = false; !passed; ) {
      const { generation } = this.#drum;
      passed = true;
      for await (const { key, value } of this.#drum.records()) {
        if (key <= last || (key & LOWER_HALF) !== 0n) continue;
        last = key;
        yield storedDomain(value);
        // A merge has closed the file: there is a new one to read.
        passed = this.#drum.generation === generation;
        if (!passed) break;
      }
    }
  }

  /** Adds a record of another store; hosts and domains saved later replace it. */
  put(key: bigint, value: Uint8Array): void {
    this.#saved.update(key, value);
  }

  /** Makes everything saved visible to `find`; the finder starts at the first key. */
  async merge(): Promise<HostFinder> {
    await this.write();
    if (this.#drum.pending > 0) await this.#drum.flush();
    await this.#discardAnswers();
    return new HostFinder(this.#drum);
  }

  /**
   * Updates have no answers, but every merge makes a file for them, which is open until it is read.
   */
  async #discardAnswers(): Promise<void> {
    while (await this.#drum.take());
  }

  async freeze(): Promise<Frozen<DrumState>> {
    await this.write();
    return this.#drum.freeze();
  }

  discardOlder(frozen: Frozen<DrumState>): Promise<void> {
    return this.#drum.discardOlder(frozen);
  }

  close(): Promise<void> {
    return this.#drum.close();
  }
}

type StoredRecord = { readonly key: bigint; readonly value: Uint8Array };

/** Reads the records in the order of keys, alongside a sweep. */
export class HostFinder {
  readonly #drum: Drum;
  #records: AsyncGenerator<StoredRecord> | undefined;
  #generation = -1;
  #next: StoredRecord | undefined;
  /** The record of the last domain passed. */
  #domain: StoredRecord | undefined;

  constructor(drum: Drum) {
    this.#drum = drum;
  }

  /**
   * Fills in what is stored of a host and, if `newDomain`, of its domain; returns which of them had
   * a record.
   */
  async find(
    host: Host,
    newDomain: boolean,
  ): Promise<{ readonly host: boolean; readonly domain: boolean }> {
    const { key } = host.id;
    await this.#advanceTo(key);
    const known = this.#next?.key === key && decodeHost(this.#next.value, host);
    if (!newDomain) return { host: known, domain: true };
    const stored = this.#domain?.key === (key & UPPER_HALF) ? this.#domain : undefined;
    return { host: known, domain: stored !== undefined && decodeDomain(stored.value, host.domain) };
  }

  async #advanceTo(key: bigint): Promise<void> {
    // The DRUM may have merged because it was full: then there is a new file to read.
    if (this.#generation !== this.#drum.generation) await this.#restart();
    while (this.#next && this.#next.key < key) {
      // Values are views that the next record overwrites.
      if ((this.#next.key & LOWER_HALF) === 0n)
        this.#domain = { ...this.#next, value: this.#next.value.slice() };
      await this.#read();
    }
  }

  async #restart(): Promise<void> {
    this.#generation = this.#drum.generation;
    this.#records = this.#drum.records();
    await this.#read();
  }

  async #read(): Promise<void> {
    this.#next = (await this.#records?.next())?.value;
  }
}
