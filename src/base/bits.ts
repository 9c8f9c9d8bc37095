/** How many bits of a number of 32 are set. */
export function onesIn(bits: number): number {
  let ones = 0;
  for (let left = bits; left !== 0; left &= left - 1) ones++;
  return ones;
}
