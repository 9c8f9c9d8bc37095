/** Keys of pages and URLs, in order. */

/** Where a key is in a sorted list; -1 if it is not there. */
export function placeOf(keys: ArrayLike<bigint>, key: bigint): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? low : -1;
}
