/**
 * The addresses of an agent in a cluster: those that its worker holds, shared with the other agents
 * of the worker; see `AddressGrantor`.
 *
 * Ensures   A turn takes an address only while the worker holds it for long enough. An address that
 *           is to be given back is taken no more, and reported as unused when its last turn here
 *           has ended.
 */
import type { Millis } from '../../base/units.ts';
import type { AddressTable } from '../../frontier/workbench.ts';
import type { HoldTimes } from './hold-times.ts';

interface TableParts {
  readonly times: HoldTimes;
  /** The table that the agents of this worker share. */
  readonly local: AddressTable;
  readonly delayOf: (ip: string) => Millis;
  readonly want: (ip: string, delay: Millis) => void;
  readonly unused: (ip: string, readyAt: Millis) => void;
}

interface Use {
  until: Millis;
  askedAt: Millis;
  out: boolean;
  readyAt: Millis;
  isRevoked: boolean;
}

/** Entries above which old ones are looked for. */
const MANY = 4096;

export class ClusterAddressTable implements AddressTable {
  readonly #parts: TableParts;
  readonly #uses = new Map<string, Use>();

  constructor(parts: TableParts) {
    this.#parts = parts;
  }

  tryTake(ip: string, now: Millis): Millis {
    const { times, local } = this.#parts;
    const use = this.#useOf(ip, now);
    const left = use.until - now;
    if (left < times.renew) this.#ask(ip, use, now);
    if (left < times.reserve || use.isRevoked) return now + times.retry;
    const again = local.tryTake(ip, now);
    if (again === 0) use.out = true;
    return again;
  }

  giveBack(ip: string, readyAt: Millis): void {
    this.#parts.local.giveBack(ip, readyAt);
    const use = this.#uses.get(ip);
    if (!use) return;
    use.out = false;
    use.readyAt = readyAt;
    if (use.isRevoked) this.#return(ip, use);
  }

  /** The worker holds the address until then. */
  held(ip: string, until: Millis): void {
    const use = this.#uses.get(ip);
    if (use && !use.isRevoked) use.until = until;
  }

  /** The worker has to give the address back. */
  revoked(ip: string): void {
    const use = this.#uses.get(ip);
    if (!use) {
      this.#parts.unused(ip, 0);
      return;
    }
    use.isRevoked = true;
    use.until = 0;
    if (!use.out) this.#return(ip, use);
  }

  #return(ip: string, use: Use): void {
    this.#uses.delete(ip);
    this.#parts.unused(ip, use.readyAt);
  }

  #ask(ip: string, use: Use, now: Millis): void {
    const { times, want, delayOf } = this.#parts;
    if (use.isRevoked || now - use.askedAt < times.retry) return;
    use.askedAt = now;
    want(ip, delayOf(ip));
  }

  #useOf(ip: string, now: Millis): Use {
    const known = this.#uses.get(ip);
    if (known) return known;
    const use = { until: 0, askedAt: -Infinity, out: false, readyAt: 0, isRevoked: false };
    this.#uses.set(ip, use);
    if (this.#uses.size > MANY) this.#tidy(now);
    return use;
  }

  #tidy(now: Millis): void {
    for (const [ip, { until, out, askedAt }] of this.#uses)
      if (!out && until < now && now - askedAt > this.#parts.times.hold) this.#uses.delete(ip);
  }
}
