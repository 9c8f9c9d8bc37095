/**
 * The order of records of a few 32-bit numbers, by their digits.
 *
 * Idea      Places of records are sorted by one digit of 11 bits after the other, the last first.
 *           Digits that all records share cost one look.
 * Cost      Twice four bytes of memory a record; about 5 ns for each record and digit.
 */

const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/**
 * The first `count` records of `width` numbers, sorted by the numbers named, the weightiest first.
 */
export function orderOf(
  records: Uint32Array,
  width: number,
  count: number,
  numbers: readonly number[],
): Uint32Array {
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  const starts = new Uint32Array(DIGITS);
  for (const number of numbers.toReversed()) {
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      if (!countDigits(records, number, width, shift, count, starts)) continue;
      place(records, number, width, shift, order, next, starts);
      [order, next] = [next, order];
    }
  }
  return order;
}

/** Where the records of each digit begin; false if all have the same. */
function countDigits(
  records: Uint32Array,
  number: number,
  width: number,
  shift: number,
  count: number,
  starts: Uint32Array,
): boolean {
  starts.fill(0);
  const end = count * width;
  for (let at = number; at < end; at += width) starts[(records[at] >>> shift) & (DIGITS - 1)]++;
  let sum = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const some = starts[digit];
    if (some === count) return false;
    starts[digit] = sum;
    sum += some;
  }
  return true;
}

function place(
  records: Uint32Array,
  number: number,
  width: number,
  shift: number,
  order: Uint32Array,
  next: Uint32Array,
  starts: Uint32Array,
): void {
  for (let i = 0; i < order.length; i++) {
    const record = order[i];
    next[starts[(records[record * width + number] >>> shift) & (DIGITS - 1)]++] = record;
  }
}
