/**
 * How far the sweep of the backlog has come, and which hosts left memory ahead of it.
 *
 * Idea      A sweep reads the records of hosts as they were when it began. It must not bring back a
 *           host that was in memory then and has left since: its record is older than what was
 *           known when it left.
 */
import type { Host } from './host.ts';

/** The part of a host's key that is its domain's. */
const DOMAIN_BITS = 0xffff_ffff_0000_0000n;

export class SweepMark {
  #at: bigint | undefined;
  readonly #leftAhead = new Set<string>();

  /** A sweep is about to begin (0), or has come to this key, or is over (undefined). */
  moveTo(key: bigint | undefined): void {
    if (key === undefined || this.#at === undefined) this.#leftAhead.clear();
    this.#at = key;
  }

  /** A host has left memory. */
  left({ id, name }: Host): void {
    if (this.#at !== undefined && id.key > this.#at) this.#leftAhead.add(name);
  }

  /** Whether the host with this name has left ahead of the sweep. */
  isLeft(name: string): boolean {
    return this.#leftAhead.has(name);
  }

  /**
   * Whether the sweep has passed all hosts of the domain with this key, so that it will not read
   * its older record.
   */
  hasPassed(domain: bigint): boolean {
    return this.#at === undefined || domain < (this.#at & DOMAIN_BITS);
  }
}
