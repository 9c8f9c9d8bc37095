/**
 * Which nodes are in a sample: a hash decides for each node, so no draw has to be stored.
 *
 * Idea      a node is in the sample if 32 bits of it, mixed with the seed, are below p · 2^32.
 * Requires  32 bits that are the node's own: its number, or the upper half of its name's xxHash64,
 *           which is what `domainKey` stores of a domain. By name, a node stays in or out while the
 *           graph around it grows and its number shifts.
 * Ensures   the sample of a smaller p is part of that of a greater one, if the seed is the same;
 *           samples of two seeds are independent.
 */
import { xxh64 } from '../../base/xxh64.ts';

export type Sampler = (bits: number) => boolean;

const RANGE = 2 ** 32;

export function sampler(p: number, seed: number): Sampler {
  const threshold = p * RANGE;
  const salt = mix(seed);
  return (bits) => mix(bits ^ salt) < threshold;
}

/** The 32 bits by which a name is sampled. */
export function nameBits(name: string): number {
  return Number(xxh64(name) >> 32n);
}

/**
 * The finalizer of MurmurHash3 around an odd constant: a permutation of the 32-bit integers that
 * leaves no pattern.
 */
function mix(bits: number): number {
  let h = Math.imul(bits + 0x6d2b79f5, 0x9e3779b1);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 16;
  return h >>> 0;
}
