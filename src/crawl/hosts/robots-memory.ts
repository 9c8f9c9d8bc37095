/**
 * Bounds the memory of all robots rules together. The origin whose rules were used longest ago
 * loses them first; its robots.txt is fetched again if it is needed. One hostile robots.txt may
 * fill 10 MB; a thousand must not fill the machine.
 *
 * Requires  a call of `hostEntered` and `hostLeft` for every host that enters or leaves memory.
 */

import type { Bytes } from '../../base/units.ts';
import type { Host } from '../../frontier/host.ts';

/** For the rules of all hosts of an agent. */
const RULES_MEMORY: Bytes = 64 * 2 ** 20;
/** The memory of an origin beside its rules. */
const ENTRY_BYTES: Bytes = 400;

export class RobotsMemory {
  readonly #limit: Bytes;
  /** By origin, the one used last at the end. */
  readonly #kept = new Map<string, { readonly host: Host; readonly size: Bytes }>();
  #size: Bytes = 0;

  constructor(limit = RULES_MEMORY) {
    this.#limit = limit;
  }

  get size(): Bytes {
    return this.#size;
  }

  /** Counts the rules that the host was stored with. */
  hostEntered(host: Host): void {
    for (const [origin, { rules }] of host.robots) {
      if (rules) this.added(host, origin, rules.size + ENTRY_BYTES);
    }
  }

  hostLeft(host: Host): void {
    for (const origin of host.robots.keys()) this.removed(origin);
  }

  /** Counts the rules that an inquiry has just ended with. */
  learned(host: Host, origin: string): void {
    const rules = host.robots.get(origin)?.rules;
    if (rules) this.added(host, origin, rules.size + ENTRY_BYTES);
  }

  used(origin: string): void {
    const entry = this.#kept.get(origin);
    if (!entry) return;
    this.#kept.delete(origin);
    this.#kept.set(origin, entry);
  }

  /** Counts rules of `size` in the host's map. Older rules may be dropped, but never these. */
  added(host: Host, origin: string, size: Bytes): void {
    this.removed(origin);
    this.#kept.set(origin, { host, size });
    this.#size += size;
    for (const [oldest, entry] of this.#kept) {
      if (this.#size <= this.#limit || oldest === origin) break;
      entry.host.robots.delete(oldest);
      this.removed(oldest);
    }
  }

  /** The rules of an origin are no longer kept. */
  removed(origin: string): void {
    this.#size -= this.#kept.get(origin)?.size ?? 0;
    this.#kept.delete(origin);
  }
}
