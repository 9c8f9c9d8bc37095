/** "Did you mean …?": the known word that takes the fewest letters to change, add or drop. */
export function nearest<Known extends string>(word: string, known: readonly Known[]): Known {
  const written = word.slice(0, LONGEST_WORD).toLowerCase();
  const distances = known.map((other) => editDistance(written, other.toLowerCase()));
  return known[distances.indexOf(Math.min(...distances))];
}

/** A longer word is no typing mistake, and not worth the time. */
const LONGEST_WORD = 64;

/** The fewest letters to change, add or drop. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
