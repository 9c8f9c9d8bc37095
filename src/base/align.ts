/** Where something may begin in a kernel's memory: the next multiple of its width. */

/** To the width of a 64-bit number. */
export function alignTo8(address: number): number {
  return Math.ceil(address / 8) * 8;
}

/** To the width of a vector. */
export function alignTo16(address: number): number {
  return Math.ceil(address / 16) * 16;
}
