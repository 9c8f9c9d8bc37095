/**
 * A run in memory: recent URLs, by host. It is swept like the runs on disk, and becomes one of them
 * when it is too large.
 *
 * Idea      Most hosts have few URLs here, so a host has only a slot in a few typed arrays. Entries
 *           are in blocks, in the order they came, each with the place of the next entry of its
 *           host.
 *
 *             slot of a.example: first ──┐                               last ──┐
 *             block      … │ next │ /x │ … │ next │ /y │ … │ next │ /w │ … │ · │ /z │ …
 *                             └──────────────┘ └─────────────┘ └─────────────┘
 *
 * Ensures   entries of a host come in the order they were appended, prepended ones first. An entry
 *           taken leaves a hole; when holes outweigh entries, all entries are moved together.
 * Cost      an entry costs its bytes and four; a host about `HOST_BYTES`.
 */
import type { Bytes } from '../../base/units.ts';
import { hostKey } from '../../url/fingerprint.ts';
import type { Discovery } from '../queue/discovered-url.ts';
import {
  copyBytes,
  type Entries,
  entryEnd,
  entrySize,
  PathQueue,
  writeEntry,
} from '../queue/path-queue.ts';
import type { HostId } from './run.ts';
import type { RunWriter } from './run-writer.ts';

/** Memory of a host beside its URLs: its slot, its entry in the map, its name. */
const HOST_BYTES: Bytes = 200;
/** Bytes before each entry: the place of the host's next one. */
const LINK = 4;
const BLOCK_BITS = 18;
const BLOCK: Bytes = 1 << BLOCK_BITS;
const WITHIN = BLOCK - 1;
/** A place has 32 bits: the block, and the offset in it. */
const MOST_BLOCKS = 2 ** (32 - BLOCK_BITS);
const FIRST_SLOTS = 16;
/** The index of a run stores the length in 16 bits. */
const LONGEST_NAME = 65_535;

/**
 * Hosts in the order of a sweep: their names, and their keys in halves (low, high, low, high …).
 */
export interface SortedHosts {
  readonly names: readonly string[];
  readonly halves: Uint32Array;
}

const key = new BigUint64Array(1);
const halvesOfKey = new Uint32Array(key.buffer);

export class MemoryRun {
  readonly #slots = new Map<string, number>();
  readonly #freeSlots: number[] = [];
  readonly #names: string[] = [];
  #halves = new Uint32Array(2 * FIRST_SLOTS);
  #first = new Uint32Array(FIRST_SLOTS);
  #last = new Uint32Array(FIRST_SLOTS);
  #counts = new Uint32Array(FIRST_SLOTS);
  #blocks: Buffer[] = [];
  /** Where the next entry goes in the last block. */
  #at: number = BLOCK;
  /** Bytes of entries and holes. */
  #used: Bytes = 0;
  #urls = 0;
  #holes = 0;

  get urls(): number {
    return this.#urls;
  }

  get hosts(): number {
    return this.#slots.size;
  }

  /** Memory that it takes, approximately. */
  get bytes(): Bytes {
    return this.#used + this.#slots.size * HOST_BYTES;
  }

  add(host: string, discovery: Discovery): void {
    const slot = this.#slotFor(host);
    const place = this.#room(entrySize(discovery, host));
    writeEntry(this.#blocks[place >>> BLOCK_BITS], (place & WITHIN) + LINK, discovery, host);
    this.#linkLast(slot, place);
    if (this.#holes > this.#urls && this.#used > BLOCK) this.#closeHoles();
  }

  /** Adds after what the host has here. */
  append(host: string, entries: Entries): void {
    if (entries.count === 0) return;
    this.#copyIn(this.#slotFor(host), entries);
    if (this.#holes > this.#urls && this.#used > BLOCK) this.#closeHoles();
  }

  /** Adds before what the host has here. */
  prepend(host: string, entries: Entries): void {
    if (entries.count === 0) return;
    const slot = this.#slotFor(host);
    const [first, last, count] = [this.#first[slot], this.#last[slot], this.#counts[slot]];
    this.#counts[slot] = 0;
    this.#copyIn(slot, entries);
    if (count > 0) {
      this.#link(this.#last[slot], first);
      this.#last[slot] = last;
      this.#counts[slot] += count;
    }
    if (this.#holes > this.#urls && this.#used > BLOCK) this.#closeHoles();
  }

  /** Moves up to `most` of a host's entries to a queue; returns how many. */
  move(host: string, most: number, into: PathQueue): number {
    const slot = this.#slots.get(host);
    if (slot === undefined) return 0;
    const count = Math.min(most, this.#counts[slot]);
    this.#first[slot] = this.#copyOut(slot, count, into);
    this.#leave(host, slot, count);
    return count;
  }

  /** Forgets a host's entries; returns how many there were. */
  drop(host: string): number {
    const slot = this.#slots.get(host);
    if (slot === undefined) return 0;
    const count = this.#counts[slot];
    this.#leave(host, slot, count);
    return count;
  }

  /** A copy of each host's entries, for a checkpoint. */
  *waiting(): Generator<{ readonly queue: PathQueue }> {
    for (const [host, slot] of this.#slots) {
      const queue = new PathQueue(host);
      this.#copyOut(slot, this.#counts[slot], queue);
      yield { queue };
    }
  }

  /** The hosts as they are now, in the order of their keys, those of one key by name. */
  sorted(): SortedHosts {
    const slots = this.#sortedSlots();
    const halves = new Uint32Array(2 * slots.length);
    slots.forEach((slot, i) => {
      halves[2 * i] = this.#halves[2 * slot];
      halves[2 * i + 1] = this.#halves[2 * slot + 1];
    });
    return { names: slots.map((slot) => this.#names[slot]), halves };
  }

  /** Moves the hosts that are `wanted` to a new run. */
  split(wanted: (high: number, low: number, host: string) => boolean): MemoryRun {
    const out = new MemoryRun();
    for (const [host, slot] of this.#slots) {
      if (!wanted(this.#halves[2 * slot + 1], this.#halves[2 * slot], host)) continue;
      const queue = new PathQueue(host);
      this.move(host, Infinity, queue);
      out.append(host, queue.entries());
    }
    this.#closeHoles();
    return out;
  }

  /** Writes everything, host by host; it must not change meanwhile. */
  async writeTo(writer: RunWriter): Promise<void> {
    for (const slot of this.#sortedSlots()) {
      const waits = writer.begin(
        this.#halves[2 * slot + 1],
        this.#halves[2 * slot],
        this.#names[slot],
      );
      if (waits) await waits;
      let place = this.#first[slot];
      for (let left = this.#counts[slot]; left > 0; left--) {
        const block = this.#blocks[place >>> BLOCK_BITS];
        const from = (place & WITHIN) + LINK;
        const waits = writer.append(block, from, entryEnd(block, from), 1);
        if (waits) await waits;
        place = block.readUInt32LE(from - LINK);
      }
    }
  }

  #sortedSlots(): number[] {
    const halves = this.#halves;
    const names = this.#names;
    return [...this.#slots.values()].sort(
      (a, b) =>
        halves[2 * a + 1] - halves[2 * b + 1] ||
        halves[2 * a] - halves[2 * b] ||
        (names[a] < names[b] ? -1 : 1),
    );
  }

  /** Copies the first `count` entries; returns the place of the next. */
  #copyOut(slot: number, count: number, into: PathQueue): number {
    let place = this.#first[slot];
    for (let left = count; left > 0; left--) {
      const block = this.#blocks[place >>> BLOCK_BITS];
      const from = (place & WITHIN) + LINK;
      into.appendRange(block, from, entryEnd(block, from), 1);
      place = block.readUInt32LE(from - LINK);
    }
    return place;
  }

  #copyIn(slot: number, { count, bytes }: Entries): void {
    for (let at = 0, left = count; left > 0; left--) {
      const end = entryEnd(bytes, at);
      const place = this.#room(end - at);
      copyBytes(bytes, at, end, this.#blocks[place >>> BLOCK_BITS], (place & WITHIN) + LINK);
      this.#linkLast(slot, place);
      at = end;
    }
  }

  /** A place for an entry of `size` bytes and its link. */
  #room(size: number): number {
    if (this.#at + LINK + size > BLOCK) {
      if (this.#blocks.length === MOST_BLOCKS)
        throw new Error('A run in memory holds at most 4 GiB.');
      // An entry longer than a block gets a block of its own.
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(BLOCK, LINK + size)));
      this.#at = 0;
    }
    const place = (this.#blocks.length - 1) * BLOCK + this.#at;
    this.#at += LINK + size;
    this.#used += LINK + size;
    return place;
  }

  #linkLast(slot: number, place: number): void {
    if (this.#counts[slot]++ === 0) this.#first[slot] = place;
    else this.#link(this.#last[slot], place);
    this.#last[slot] = place;
    this.#urls++;
  }

  #link(place: number, next: number): void {
    this.#blocks[place >>> BLOCK_BITS].writeUInt32LE(next, place & WITHIN);
  }

  #leave(host: string, slot: number, count: number): void {
    this.#counts[slot] -= count;
    this.#urls -= count;
    this.#holes += count;
    if (this.#counts[slot] > 0) return;
    this.#slots.delete(host);
    this.#names[slot] = '';
    this.#freeSlots.push(slot);
    if (this.#urls === 0) this.#clearBlocks();
  }

  #clearBlocks(): void {
    this.#blocks = [];
    this.#at = BLOCK;
    this.#used = 0;
    this.#holes = 0;
  }

  #closeHoles(): void {
    const old = this.#blocks;
    this.#clearBlocks();
    this.#urls = 0;
    for (const slot of this.#slots.values()) {
      let from = this.#first[slot];
      const count = this.#counts[slot];
      this.#counts[slot] = 0;
      for (let left = count; left > 0; left--) {
        const block = old[from >>> BLOCK_BITS];
        const at = (from & WITHIN) + LINK;
        const end = entryEnd(block, at);
        const place = this.#room(end - at);
        copyBytes(block, at, end, this.#blocks[place >>> BLOCK_BITS], (place & WITHIN) + LINK);
        this.#linkLast(slot, place);
        from = block.readUInt32LE(at - LINK);
      }
    }
  }

  #slotFor(host: string): number {
    const known = this.#slots.get(host);
    if (known !== undefined) return known;
    if (host.length > LONGEST_NAME)
      throw new Error(`The name of a host has at most ${LONGEST_NAME} bytes.`);
    const slot = this.#freeSlots.pop() ?? this.#names.length;
    if (slot === this.#counts.length) this.#moreSlots();
    key[0] = hostKey(host);
    this.#halves.set(halvesOfKey, 2 * slot);
    this.#slots.set(host, slot);
    this.#names[slot] = host;
    this.#counts[slot] = 0;
    return slot;
  }

  #moreSlots(): void {
    const twice = (old: Uint32Array) => {
      const larger = new Uint32Array(2 * old.length);
      larger.set(old);
      return larger;
    };
    this.#halves = twice(this.#halves);
    this.#first = twice(this.#first);
    this.#last = twice(this.#last);
    this.#counts = twice(this.#counts);
  }
}

export function hostId(name: string): HostId {
  return { key: hostKey(name) };
}
