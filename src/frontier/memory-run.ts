/**
 * A run that is still in memory: what came lately, by host. It is swept like the runs on disk, and written out as one of
 * them when it has grown too large.
 */

import type { Bytes } from '../units.ts';
import { hostKey } from '../url/fingerprint.ts';
import { xxh64 } from '../url/xxh64.ts';
import type { Discovery } from './discovery.ts';
import { type Entries, PathQueue } from './path-queue.ts';
import { compareIds, type HostId, type Run, type RunPlace, RunWriter } from './run.ts';

/** What a host costs beside its URLs: the queue, its array, its entry in the map. */
const HOST_BYTES: Bytes = 400;

const NONE: Entries = { count: 0, bytes: new Uint8Array(0) };

export interface WaitingHost extends HostId {
  readonly queue: PathQueue;
}

export class MemoryRun {
  readonly #hosts = new Map<string, WaitingHost>();
  #urls = 0;
  #spills = 0;
  #bytes: Bytes = 0;

  get urls(): number {
    return this.#urls;
  }

  /** How often it was written out. */
  get spills(): number {
    return this.#spills;
  }

  get hosts(): number {
    return this.#hosts.size;
  }

  /** What it takes of memory, about. */
  get bytes(): Bytes {
    return this.#bytes + this.#hosts.size * HOST_BYTES;
  }

  add(host: string, discovery: Discovery): void {
    const { queue } = this.#hostFor(host);
    this.#bytes -= queue.byteLength;
    queue.push(discovery);
    this.#bytes += queue.byteLength;
    this.#urls++;
  }

  append(host: string, entries: Entries): void {
    if (entries.count === 0) return;
    this.#hostFor(host).queue.append(entries);
    this.#urls += entries.count;
    this.#bytes += entries.bytes.length;
  }

  /** Takes up to `most` of a host's entries; a view, valid until the next call. */
  take(host: string, most: number): Entries {
    const queue = this.#hosts.get(host)?.queue;
    if (!queue || most <= 0) return NONE;
    const taken = queue.take(most);
    this.#urls -= taken.count;
    this.#bytes -= taken.bytes.length;
    if (queue.length === 0) this.#hosts.delete(host);
    return taken;
  }

  /** The hosts as they came. */
  waiting(): Iterable<WaitingHost> {
    return this.#hosts.values();
  }

  /** The hosts in order, as they are now. */
  sorted(): WaitingHost[] {
    return [...this.#hosts.values()].sort(compareIds);
  }

  /** Moves everything to a file. */
  async spill(place: RunPlace, id: number): Promise<Run> {
    const writer = await RunWriter.create(place, id);
    try {
      const hosts = this.sorted();
      this.#clear();
      this.#spills++;
      for (const host of hosts) {
        await writer.begin(host, host.queue.host);
        await writer.append(host.queue.entries());
      }
      return await writer.seal();
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  #clear(): void {
    this.#hosts.clear();
    this.#urls = 0;
    this.#bytes = 0;
  }

  #hostFor(name: string): WaitingHost {
    let host = this.#hosts.get(name);
    if (!host) {
      host = { ...hostId(name), queue: new PathQueue(name) };
      this.#hosts.set(name, host);
    }
    return host;
  }
}

export function hostId(name: string): HostId {
  return { key: hostKey(name), check: Number(xxh64(name) & 0xffff_ffffn) };
}
