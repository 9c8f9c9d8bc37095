/** Random numbers by a seed, for draws that must be the same in every run. */

/** Numbers in [0, 1): SplitMix32 in 32 bits, enough for a shuffle of 2^32 values. */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed ^ 0x6a09e667, 0x9e3779b1) ^ Math.floor(seed / 2 ** 32);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Fisher and Yates. */
export function shuffle(values: Uint32Array | Int32Array, random: () => number): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const value = values[i];
    values[i] = values[j];
    values[j] = value;
  }
}
