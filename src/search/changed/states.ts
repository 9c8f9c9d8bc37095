/**
 * The two states of the web that are compared: the ends of two epochs.
 *
 * Idea      What happened on a day shows in the next crawl. So the state after is that of the last
 *           epoch that ended in the time asked for or, if none did, of the first that ended later;
 *           the state before is that of the last epoch that ended before the time. Two times give
 *           the last epochs that ended by the end of each.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { epochNumber } from '../links/link-records.ts';
import type { SearchIndex } from '../query/search-index.ts';
import { parseTime, requireTime } from '../query/times.ts';

/** The end of an epoch. */
interface State {
  /** The number of the epoch, as links have it. */
  readonly epoch: number;
  /** A crawl, or the month or day as in a timeline. */
  readonly name: string;
  readonly end: Millis;
}

export interface TwoStates {
  readonly before: State;
  readonly after: State;
}

interface Asked {
  readonly at?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The states around a time, or those at two times. */
export function statesOf(index: SearchIndex, { at, from, to }: Asked): TwoStates {
  const isAt = at !== undefined && from === undefined && to === undefined;
  const isBetween = at === undefined && from !== undefined && to !== undefined;
  if (!isAt && !isBetween)
    throw new DrumlinError(
      'SEARCH_TIME',
      'What changed is asked for around one time, or between two.',
      'Give --at, or both --from and --to.',
    );
  const epochs = new Epochs(index);
  if (!epochs.hasSeveral)
    throw new DrumlinError(
      'ONE_EPOCH',
      'The index has one epoch only, so it does not know what changed.',
      'Add a later crawl with "drumlin search index", or index again with --epoch month or day.',
    );
  return isAt ? around(index, epochs, at) : between(index, epochs, from ?? '', to ?? '');
}

/** The states so many epochs later, or earlier; undefined if the index does not reach so far. */
export function shifted(index: SearchIndex, states: TwoStates, by: number): TwoStates | undefined {
  const epochs = new Epochs(index);
  const [before, after] = [states.before, states.after].map(({ epoch }) => epochs.at(epoch + by));
  return before && after && { before, after };
}

function around(index: SearchIndex, epochs: Epochs, at: string): TwoStates {
  const asked = parseTime(at);
  requireTime({ from: asked.to, to: asked.to }, asked, index.pages);
  const before = epochs.lastBy(asked.from - 1);
  const within = epochs.lastBy(asked.to);
  const after = within && within.end >= asked.from ? within : epochs.firstFrom(asked.from);
  if (before === undefined || after === undefined) throw nothingBefore(epochs);
  return { before, after };
}

function between(index: SearchIndex, epochs: Epochs, from: string, to: string): TwoStates {
  const [first, second] = [parseTime(from), parseTime(to)];
  requireTime({ from: first.to, to: second.to }, { from: first.from, to: second.to }, index.pages);
  const [before, after] = [epochs.lastBy(first.to), epochs.lastBy(second.to)];
  if (before === undefined || after === undefined) throw nothingBefore(epochs);
  if (before.end >= after.end)
    throw new DrumlinError(
      'SEARCH_TIME',
      `No epoch ended between ${from} and ${to}.`,
      'Choose an earlier --from, or a later --to.',
    );
  return { before, after };
}

function nothingBefore(epochs: Epochs): DrumlinError {
  const day = new Date(epochs.firstEnd).toISOString().slice(0, 16).replace('T', ' ');
  return new DrumlinError(
    'SEARCH_TIME',
    'The index has no epoch that ended before this time.',
    `Choose a time after ${day} (UTC), when its first epoch ended.`,
  );
}

/** The epochs of an index, in the order of their ends. */
class Epochs {
  readonly #index: SearchIndex;
  readonly #first: number;
  readonly #last: number;

  constructor(index: SearchIndex) {
    this.#index = index;
    const { epoch, pages, crawls } = index;
    this.#first = epoch === 'crawl' ? 0 : epochNumber(epoch, pages.first, 0);
    this.#last = epoch === 'crawl' ? crawls.length - 1 : epochNumber(epoch, pages.last, 0);
  }

  get hasSeveral(): boolean {
    return this.#index.pages.versions > 0 && this.#last > this.#first;
  }

  get firstEnd(): Millis {
    return this.#endOf(this.#first);
  }

  at(epoch: number): State | undefined {
    return epoch >= this.#first && epoch <= this.#last ? this.#state(epoch) : undefined;
  }

  /** The last epoch that ended by a time. */
  lastBy(time: Millis): State | undefined {
    let [low, high] = [this.#first, this.#last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#endOf(middle) <= time) low = middle + 1;
      else high = middle;
    }
    return low === this.#first ? undefined : this.#state(low - 1);
  }

  /** The first epoch that ended at a time or after it. */
  firstFrom(time: Millis): State | undefined {
    const before = this.lastBy(time - 1);
    const epoch = before === undefined ? this.#first : before.epoch + 1;
    return epoch > this.#last ? undefined : this.#state(epoch);
  }

  #state(epoch: number): State {
    const { epoch: unit, crawls } = this.#index;
    const end = this.#endOf(epoch);
    if (unit === 'crawl') return { epoch, end, name: crawls[epoch].name };
    return { epoch, end, name: new Date(end).toISOString().slice(0, unit === 'month' ? 7 : 10) };
  }

  #endOf(epoch: number): Millis {
    const { epoch: unit, crawls } = this.#index;
    if (unit === 'crawl') return crawls[epoch].last;
    return unit === 'day' ? (epoch + 1) * 86_400_000 - 1 : Date.UTC(1970, epoch + 1) - 1;
  }
}
