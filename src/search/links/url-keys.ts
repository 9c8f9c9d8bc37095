/**
 * The keys of URLs, as two 32-bit numbers: those of the last `KEPT` different ones are kept,
 * because menus repeat.
 */
import { xxh64 } from '../../base/xxh64.ts';

/** Slots for keys. */
export const KEPT = 50_000;

export class UrlKeys {
  /** How often all slots were given away. */
  round = 0;
  readonly #slots = new Map<string, number>();
  readonly #keys = new BigUint64Array(KEPT);
  readonly #words = new Uint32Array(this.#keys.buffer);

  /** Where the key of a URL is, until the next call. */
  slotOf(url: string): number {
    let slot = this.#slots.get(url);
    if (slot !== undefined) return slot;
    if (this.#slots.size >= KEPT) {
      this.#slots.clear();
      this.round++;
    }
    slot = this.#slots.size;
    this.#keys[slot] = xxh64(url);
    this.#slots.set(url, slot);
    return slot;
  }

  high(slot: number): number {
    return this.#words[2 * slot + 1];
  }

  low(slot: number): number {
    return this.#words[2 * slot];
  }
}
