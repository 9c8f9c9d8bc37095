/**
 * Bounds the memory of all robots rules together: the host that was visited longest ago forgets its rules first, and asks
 * again should it be visited once more. One hostile robots.txt may fill 10 MB; a thousand must not fill the machine.
 */

import type { Bytes } from '../../base/units.ts';
import type { Host } from '../../frontier/host.ts';

export class RobotsMemory {
  readonly #limit: Bytes;
  /** By origin, the one used last at the end. */
  readonly #kept = new Map<string, { readonly host: Host; readonly size: Bytes }>();
  #size: Bytes = 0;

  constructor(limit: Bytes) {
    this.#limit = limit;
  }

  get size(): Bytes {
    return this.#size;
  }

  used(origin: string): void {
    const entry = this.#kept.get(origin);
    if (!entry) return;
    this.#kept.delete(origin);
    this.#kept.set(origin, entry);
  }

  /** Rules of `size` were put into the host's map; others may have to go for it, but never they themselves. */
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

  /** The rules of an origin are kept no longer. */
  removed(origin: string): void {
    this.#size -= this.#kept.get(origin)?.size ?? 0;
    this.#kept.delete(origin);
  }
}
