/** Numbers between −0.5 and 0.5 that depend only on a place and a seed: the same on every run. */
export function drawn(place: number, seed: number): number {
  let h = Math.imul((place + Math.imul(seed, 0x9e3779b9)) | 0, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 16;
  return ((h >>> 0) + 0.5) / 2 ** 32 - 0.5;
}
