/**
 * The measures of the numbers in a URL that show where they end: each number by itself and, if
 * there are several, the major one together with its neighbour.
 *
 *   /calendar/2026/5/17   2026·5, then 2026, 5, 17
 *   /on/17/5/2026         2026·5, then 17, 5, 2026
 *
 * Idea      In a calendar the year comes before the month in significance, wherever it is written,
 *           and is the largest number. A calendar that is filled from March to October is a range
 *           of years and months together, but not of months alone.
 */

const MINOR = 1e6;
const MOST_MAJOR = 1e9;

/** The most significant number: the one with the largest maximum. */
export function majorOf(high: readonly number[]): number {
  return high.indexOf(Math.max(...high));
}

/**
 * The next significant number: the one after the major if that is the first, else the one before
 * it.
 */
const minorOf = (major: number): number => (major === 0 ? 1 : major - 1);

export const gaugeCount = (numbers: number): number => (numbers > 1 ? numbers + 1 : 1);

export function gaugeValue(gauge: number, numbers: readonly number[], major: number): number {
  if (numbers.length === 1) return numbers[0];
  if (gauge > 0) return numbers[gauge - 1];
  return (
    Math.min(numbers[major], MOST_MAJOR) * MINOR + Math.min(numbers[minorOf(major)], MINOR - 1)
  );
}

/** The names of a gauge and of a value of it. */
export function gaugeName(
  gauge: number,
  numbers: number,
  major: number,
  value: number,
): { readonly name: string; readonly value: string } {
  if (numbers === 1) return { name: 'number', value: String(value) };
  if (gauge > 0) return { name: `number ${gauge}`, value: String(value) };
  return {
    name: `numbers ${major + 1}, ${minorOf(major) + 1}`,
    value: `${Math.floor(value / MINOR)}, ${value % MINOR}`,
  };
}
