/** Where something may begin in a kernel's memory: the next multiple of its width. */

/** Rounds up to a multiple of 8, the width of a 64-bit number. */
export function alignTo8(address: number): number {
  return Math.ceil(address / 8) * 8;
}

/** Rounds up to a multiple of 16, the width of a vector. */
export function alignTo16(address: number): number {
  return Math.ceil(address / 16) * 16;
}
