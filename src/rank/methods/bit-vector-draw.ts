/** The bits that nodes draw in a round of Bit Vector: the same for the same seed and round. */

/**
 * Sets each bit with the given probability, by drawing how many to skip before the next: few draws
 * where few are set.
 */
export function drawBits(bits: Uint32Array, chance: number, seed: number, round: number): void {
  const random = randomNumbers(seed, round);
  const scale = 1 / Math.log1p(-chance);
  const skip = () => Math.floor(Math.log(1 - random()) * scale);
  const end = bits.length * 32;
  bits.fill(0);
  for (let bit = skip(); bit < end; bit += 1 + skip())
    bits[Math.floor(bit / 32)] |= 1 << (bit % 32);
}

/**
 * Numbers in [0, 1), by the seed and the round (Mulberry32: one word of state, more than enough
 * draws).
 */
function randomNumbers(seed: number, round: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(round + 1, 0xc2b2ae35);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
