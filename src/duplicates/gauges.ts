/**
 * What is measured of the numbers of a URL, to tell where they end: each number by itself and, where there are several, the one that counts most
 * together with its neighbour.
 *
 *   /calendar/2026/5/17   2026·5, then 2026, 5, 17          /on/17/5/2026   2026·5, then 17, 5, 2026
 *
 * Idea      In a calendar the year counts before the month, wherever it is written, and is the largest number. A calendar that is kept from
 *           March to October is a range of years and months together; of months alone it is none.
 */

const MINOR = 1e6;
const MOST_MAJOR = 1e9;

/** The number that counts before the others: the largest, given the largest that each was. */
export function majorOf(high: readonly number[]): number {
  return high.indexOf(Math.max(...high));
}

/** The neighbour that counts next: the one behind, if the first number counts most; else the one before. */
const minorOf = (major: number): number => (major === 0 ? 1 : major - 1);

export const gaugeCount = (numbers: number): number => (numbers > 1 ? numbers + 1 : 1);

export function gaugeValue(gauge: number, numbers: readonly number[], major: number): number {
  if (numbers.length === 1) return numbers[0];
  if (gauge > 0) return numbers[gauge - 1];
  return (
    Math.min(numbers[major], MOST_MAJOR) * MINOR + Math.min(numbers[minorOf(major)], MINOR - 1)
  );
}

/** What a gauge and a value of it are called. */
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
