/**
 * How many pages match at the end of each epoch.
 *
 * Idea      A version that matches counts in every epoch at whose end it is valid. An epoch is a
 *           crawl, a month or a day; the last ends with the last capture, or with the time asked
 *           for.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { SearchIndex, SearchOptions } from './search-index.ts';
import { ALL_TIMES, type TimeRange } from './times.ts';

export interface TimelineEntry {
  /** The name of the crawl, `2011-10` or `2011-10-15`. */
  readonly epoch: string;
  /** The end of the epoch: the moment that counts. */
  readonly end: Millis;
  readonly pages: number;
}

/** The most epochs of a timeline; earlier ones are left out. */
const MOST_EPOCHS = 5000;

export async function timelineOf(
  index: SearchIndex,
  text: string,
  options: SearchOptions = {},
): Promise<TimelineEntry[]> {
  const { range = ALL_TIMES } = options;
  if (range.from === range.to)
    throw new DrumlinError('USAGE', 'A timeline has no single time.', 'Use --from and --to.');
  const found = new Set(await index.matches(text, options));
  const epochs = epochsOf(index, range);
  const changes = new Int32Array(epochs.length + 1);
  index.pages.eachStretch((version, start, end) => {
    if (!found.has(version)) return;
    changes[firstFrom(epochs, start)]++;
    changes[firstFrom(epochs, end)]--;
  });
  let pages = 0;
  return epochs.map((epoch, i) => {
    pages += changes[i];
    return { ...epoch, pages };
  });
}

interface EpochEnd {
  readonly epoch: string;
  readonly end: Millis;
}

/** The first epoch that ends at a time or after it. */
function firstFrom(epochs: readonly EpochEnd[], time: Millis): number {
  let [low, high] = [0, epochs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (epochs[middle].end < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The epochs of a time. One that it cuts ends with it. */
function epochsOf({ epoch, crawls, pages }: SearchIndex, { from, to }: TimeRange): EpochEnd[] {
  if (pages.versions === 0) return [];
  if (epoch === 'crawl')
    return crawls
      .filter(({ first, last }) => first <= to && last >= from)
      .map(({ name, last }) => ({ epoch: name, end: Math.min(last, to) }));
  return calendar(epoch, Math.max(pages.first, from), Math.min(pages.last, to));
}

/** The months or days from one time to another; the last ones if there are too many. */
function calendar(unit: 'month' | 'day', first: Millis, last: Millis): EpochEnd[] {
  const epochs: EpochEnd[] = [];
  const date = new Date(last);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const startOf = (back: number) =>
    unit === 'month' ? Date.UTC(year, month - back) : Date.UTC(year, month, day - back);
  for (let back = 0; epochs.length < MOST_EPOCHS; back++) {
    const end = Math.min(last, startOf(back - 1) - 1);
    if (end < first) break;
    const name = new Date(startOf(back)).toISOString().slice(0, unit === 'month' ? 7 : 10);
    epochs.push({ epoch: name, end });
  }
  return epochs.reverse();
}
