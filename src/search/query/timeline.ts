/**
 * How many pages match at the end of each epoch.
 *
 * Idea      A version that matches counts in every epoch at whose end it is valid. An epoch is a
 *           crawl, a month or a day; the last ends with the last capture.
 */
import type { Millis } from '../../base/units.ts';
import type { Pages } from './pages.ts';
import type { SearchIndex, SearchOptions } from './search-index.ts';

interface TimelineEntry {
  /** The name of the crawl, `2011-10` or `2011-10-15`. */
  readonly epoch: string;
  /** The end of the epoch: the moment that counts. */
  readonly end: Millis;
  readonly pages: number;
}

/** The most epochs of a timeline; later ones are left out. */
const MOST_EPOCHS = 5000;

export async function timelineOf(
  index: SearchIndex,
  text: string,
  options: SearchOptions = {},
): Promise<TimelineEntry[]> {
  const epochs = epochsOf(index);
  const found = new Set(await index.matches(text, options));
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

function epochsOf({ epoch, crawls, pages }: SearchIndex): EpochEnd[] {
  if (pages.versions === 0) return [];
  if (epoch === 'crawl') return crawls.map(({ name, last }) => ({ epoch: name, end: last }));
  return calendar(epoch, pages);
}

function calendar(unit: 'month' | 'day', { first, last }: Pages): EpochEnd[] {
  const epochs: EpochEnd[] = [];
  const [year, month, day] = [0, 1, 2].map((i) =>
    Number(new Date(first).toISOString().split(/[-T]/)[i]),
  );
  for (let i = 0; epochs.length < MOST_EPOCHS; i++) {
    const at = (n: number) =>
      unit === 'month' ? Date.UTC(year, month - 1 + n) : Date.UTC(year, month - 1, day + n);
    if (at(i) > last) break;
    const name = new Date(at(i)).toISOString().slice(0, unit === 'month' ? 7 : 10);
    epochs.push({ epoch: name, end: Math.min(last, at(i + 1) - 1) });
  }
  return epochs;
}
