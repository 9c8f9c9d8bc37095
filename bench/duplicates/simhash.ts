/** Charikar's simhash in plain JavaScript, as the packages of that name do it: the peer. */
import { onesIn } from '../../src/base/bits.ts';

export type Simhash = readonly [low: number, high: number];

/** FNV-1a with two offsets: 64 bits without BigInts. */
function hashOf(text: string): Simhash {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    low = Math.imul(low ^ c, 0x01000193);
    high = Math.imul(high ^ c, 0x85ebca6b);
  }
  return [mix(low), mix(high ^ low)];
}

function mix(x: number): number {
  let h = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}

export function simhash(features: Iterable<string>): Simhash {
  const votes = new Int32Array(64);
  for (const feature of features) {
    const [low, high] = hashOf(feature);
    for (let bit = 0; bit < 32; bit++) {
      votes[bit] += ((low >>> bit) & 1) * 2 - 1;
      votes[32 + bit] += ((high >>> bit) & 1) * 2 - 1;
    }
  }
  let [low, high] = [0, 0];
  for (let bit = 0; bit < 32; bit++) {
    if (votes[bit] > 0) low |= 1 << bit;
    if (votes[32 + bit] > 0) high |= 1 << bit;
  }
  return [low, high];
}

export function distance(one: Simhash, other: Simhash): number {
  return onesIn(one[0] ^ other[0]) + onesIn(one[1] ^ other[1]);
}

/**
 * Reads a page like such packages: removes tags by a pattern, finds words by another, three in a
 * row.
 */
export function simhashOfPage(body: Uint8Array): Simhash {
  const text = Buffer.from(body)
    .toString('latin1')
    .replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ');
  const words = text.toLowerCase().match(/[0-9a-z\x80-\xff]+/g) ?? [];
  const features: string[] = [];
  for (let i = 2; i < words.length; i++)
    features.push(`${words[i - 2]} ${words[i - 1]} ${words[i]}`);
  return simhash(features);
}
