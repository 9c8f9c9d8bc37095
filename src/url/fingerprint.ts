/**
 * The 64-bit name of a URL in every stored file.
 *
 * Idea      The first 10 bits are the partition of the URL's pay-level domain. So a partition is
 *           one contiguous range of every sorted file and can be moved. The other 54 bits are a
 *           hash of the URL.
 *
 *             63        54 53                                                   0
 *             ┌───────────┬─────────────────────────────────────────────────────┐
 *             │ partition │ the 54 highest bits of xxh64(URL)                   │
 *             └───────────┴─────────────────────────────────────────────────────┘
 *               the 10 highest bits of xxh64(pay-level domain)
 *
 * Requires  A canonical URL.
 * Ensures   The value fixed in docs/url.md, forever: folders written by one version are read by the
 *           next.
 * Cost      About 0.4 µs, half of it the hash. The domain of a recent host is cached; a new one
 *           adds 0.3 µs.
 */

import { xxh64 } from '../base/xxh64.ts';
import { payLevelDomain } from './domain.ts';
import { hostOf, originOf } from './parts.ts';

export const PARTITION_BITS = 10;
export const PARTITIONS = 1 << PARTITION_BITS;

const HASH_BITS = BigInt(64 - PARTITION_BITS);
const PARTITION_SHIFT = BigInt(PARTITION_BITS);

/**
 * Hosts whose partition is cached, each in the slot of its hash, where it replaces another. A Map
 * of names would create garbage that V8 promotes to the old generation: a quarter of all such
 * garbage in a crawl of a million hosts.
 */
const SLOTS = 8192;
const SLOT_MASK = BigInt(SLOTS - 1);
const hostIn = new BigUint64Array(SLOTS);
hostIn[0] = 1n; // so that a hash of zero is not cached at the start
const partitionIn = new Uint16Array(SLOTS);

/** The partition, 0 to 1023, that owns a pay-level domain and everything in it. */
export function partitionOf(domain: string): number {
  return Number(xxh64(domain) >> HASH_BITS);
}

/** The partition of a fingerprint. */
export function partitionOfFingerprint(fingerprint: bigint): number {
  return Number(fingerprint >> HASH_BITS);
}

const SLASH = 47;
/** The last origin, cached because most links of a page lead to one host. */
let lastOrigin = '';
let lastPartition = 0;

/** The partition of a canonical URL's domain. */
export function partitionOfUrl(url: string): number {
  const { length } = lastOrigin;
  // On URLs that are slices of a page, comparing a slice takes half the time of startsWith.
  if (url.charCodeAt(length) !== SLASH || url.slice(0, length) !== lastOrigin) {
    lastOrigin = originOf(url);
    lastPartition = partitionOfHost(hostOf(url));
  }
  return lastPartition;
}

/**
 * The fingerprint of a canonical URL, which fits an element of a BigUint64Array. For many at once,
 * use `Fingerprints`.
 */
export function fingerprint(url: string): bigint {
  return (BigInt(partitionOfUrl(url)) << HASH_BITS) | (xxh64(url) >> PARTITION_SHIFT);
}

function partitionOfHost(host: string): number {
  const hash = xxh64(host);
  const slot = Number(hash & SLOT_MASK);
  if (hostIn[slot] !== hash) {
    hostIn[slot] = hash;
    partitionIn[slot] = partitionOf(payLevelDomain(host));
  }
  return partitionIn[slot];
}

const UPPER_HALF = 0xffff_ffff_0000_0000n;

/**
 * The key of a host in every stored file: the upper half of its domain's hash, then the upper half
 * of its own. The hosts of a domain are adjacent in a sorted file, and a partition is one range of
 * it. The key that ends in zeros is the domain's own, and comes before those of its hosts.
 */
export function hostKey(host: string): bigint {
  const own = xxh64(host) >> 32n;
  return domainKey(payLevelDomain(host)) | (own === 0n ? 1n : own);
}

export function domainKey(domain: string): bigint {
  return xxh64(domain) & UPPER_HALF;
}

export function isDomainKey(key: bigint): boolean {
  return (key & ~UPPER_HALF) === 0n;
}
