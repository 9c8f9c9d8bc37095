/**
 * Which links of a page did no page of its domain have a moment ago?
 *
 * Idea      The pages of a domain link to the same sites again and again. A link that was found a
 *           moment ago leads to an edge that was gathered then. It is recognised by a hash, which
 *           costs less than to look up the domain that it leads to.
 * Requires  canonical URLs. Most are found again if only the origins of the links are given.
 * Ensures   never a false hit, except that two pairs share a key with probability 2^-64. A link
 *           that is forgotten passes again, which costs only time.
 * Cost      about 0.2 µs a link, and the memory given.
 */
import type { Bytes } from '../base/units.ts';
import { Fingerprints } from '../sieve/fingerprints.ts';
import { RecentCache } from '../sieve/recent-cache.ts';
import { PackedUrls } from '../url/packed-urls.ts';

export class RecentLinks {
  readonly #memory: Bytes;
  readonly #hashes = new Fingerprints();
  #cache: RecentCache;
  #isNew = new Uint8Array(64);

  constructor(memory: Bytes) {
    this.#memory = memory;
    this.#cache = new RecentCache(memory);
  }

  /** The links that were not found lately on a page of the domain with this key. */
  newOf(source: bigint, links: PackedUrls): PackedUrls {
    const { length } = links;
    if (length > this.#isNew.length) this.#isNew = new Uint8Array(2 * length);
    const keys = this.#hashes.hash(links);
    // Of one domain no two links share a key that did not share a hash.
    const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * length);
    const low = Math.imul(Number(source & 0xffff_ffffn), 0x9e3779b1);
    const high = Math.imul(Number(source >> 32n), 0x85ebca6b);
    for (let i = 0; i < length; i++) {
      words[2 * i] += low;
      words[2 * i + 1] += high;
    }
    const count = this.#cache.admit(keys, length, this.#isNew);
    if (count === length) return links;
    const passed: string[] = [];
    for (let i = 0; i < length && passed.length < count; i++)
      if (this.#isNew[i]) passed.push(links.at(i));
    return PackedUrls.of(passed);
  }

  forget(): void {
    this.#cache = new RecentCache(this.#memory);
  }
}
