/** Plane rotations of two neighbouring rows or columns. */

/** Rotates rows `first` and `first + 1` from column `from` on. */
export function rotateRows(
  a: Float64Array,
  n: number,
  first: number,
  from: number,
  cos: number,
  sin: number,
): void {
  const [p, q] = [first * n, (first + 1) * n];
  for (let j = from; j < n; j++) {
    const [x, y] = [a[p + j], a[q + j]];
    a[p + j] = cos * x + sin * y;
    a[q + j] = cos * y - sin * x;
  }
}

/** Rotates columns `first` and `first + 1` of the first `rows` rows. */
export function rotateColumns(
  a: Float64Array,
  n: number,
  first: number,
  rows: number,
  cos: number,
  sin: number,
): void {
  for (let i = 0, at = first; i < rows; i++, at += n) {
    const [x, y] = [a[at], a[at + 1]];
    a[at] = cos * x + sin * y;
    a[at + 1] = cos * y - sin * x;
  }
}
