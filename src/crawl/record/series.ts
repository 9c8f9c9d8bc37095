/**
 * How a crawl went over time, in fixed memory: what was counted in each stretch of it, and how much there was at its end.
 *
 * Idea      Stretches of one length, a second at first. When there are too many, neighbours become one of twice the length. They begin
 *           at multiples of their length since 1970, so that those of several agents fall together and can be added up.
 * Requires  counts that never fall.
 * Ensures   over all stretches, what was counted in all; never more than `MOST` of them. Time in which nobody crawled takes none.
 * Cost      a microsecond a sample; some ten kilobytes in a checkpoint.
 */
import type { Millis } from '../../base/units.ts';

/** What grows: a stretch has what was added in it. */
const COUNTS = ['pages', 'bytes', 'errors', 'retries'] as const;
/** What goes up and down: a stretch has what there was last. */
const LEVELS = ['fetching', 'front', 'queued', 'backlog'] as const;

export type Sample = Readonly<Record<(typeof COUNTS)[number] | (typeof LEVELS)[number], number>>;

/** `millis`: the time of the stretch in which the crawl ran. */
type Column = keyof Sample | 'millis';
const COLUMNS: readonly Column[] = ['millis', ...COUNTS, ...LEVELS];

/** Plain data: a column each, and where each stretch begins, in multiples of their length. */
export interface SeriesState {
  readonly every: Millis;
  readonly at: readonly number[];
  readonly columns: Readonly<Record<Column, readonly number[]>>;
}

export type Stretch = Readonly<Record<Column, number>> & { readonly begins: Millis };

/** As many points as a plot can show. */
export const MOST = 360;
const FIRST: Millis = 1000;
/** A machine that slept did not crawl meanwhile. */
const LONGEST_SILENCE: Millis = 60_000;

export class Series {
  #every: Millis;
  readonly #at: number[];
  readonly #columns: Record<Column, number[]>;
  #last: Sample = NOTHING;
  #sampledAt: Millis;

  /** Goes on with what there was; counts begin at 0 again. */
  constructor(now: Millis, { every, at, columns }: SeriesState = EMPTY) {
    this.#sampledAt = now;
    this.#every = every;
    this.#at = [...at];
    this.#columns = byColumn((column) => [...columns[column]]);
  }

  sample(now: Millis, sample: Sample): void {
    const columns = this.#columns;
    const row = this.#rowFor(Math.floor(now / this.#every));
    columns.millis[row] += Math.min(Math.max(0, now - this.#sampledAt), LONGEST_SILENCE);
    for (const column of COUNTS) columns[column][row] += sample[column] - this.#last[column];
    for (const column of LEVELS) columns[column][row] = sample[column];
    this.#sampledAt = now;
    this.#last = sample;
    if (this.#at.length > MOST) this.#halve();
  }

  get state(): SeriesState {
    return {
      every: this.#every,
      at: [...this.#at],
      columns: byColumn((column) => [...this.#columns[column]]),
    };
  }

  /** The last row, or a new one; a clock that was set back between two runs leaves no hole and no disorder. */
  #rowFor(at: number): number {
    const last = this.#at.length - 1;
    if (last >= 0 && this.#at[last] >= at) return last;
    this.#at.push(at);
    for (const column of COLUMNS) this.#columns[column].push(0);
    return last + 1;
  }

  #halve(): void {
    const { every, at, columns } = coarser(this.state, 2 * this.#every);
    this.#every = every;
    this.#at.splice(0, Infinity, ...at);
    for (const column of COLUMNS) this.#columns[column].splice(0, Infinity, ...columns[column]);
  }
}

/** The series of a crawl, of those of its agents. */
export function addSeries(all: readonly SeriesState[]): SeriesState {
  let every = Math.max(FIRST, ...all.map((one) => one.every));
  for (; ; every *= 2) {
    const alike = all.map((one) => coarser(one, every));
    const at = [...new Set(alike.flatMap((one) => one.at))].sort((a, b) => a - b);
    if (at.length <= MOST) return sumOf(alike, every, at);
  }
}

/** For whoever draws it. */
export function stretches({ every, at, columns }: SeriesState): Stretch[] {
  return at.map((begin, row) => ({
    begins: begin * every,
    ...byColumn((column) => columns[column][row]),
  }));
}

function sumOf(all: readonly SeriesState[], every: Millis, at: readonly number[]): SeriesState {
  const columns = byColumn(() => new Array<number>(at.length).fill(0));
  const running = new Array<number>(at.length).fill(0);
  // One that was too busy to tell, or ended a little before the others, has what it had before.
  const believed = Math.max(1, LONGEST_SILENCE / every);
  for (const one of all) {
    let row = 0;
    for (const [i, begin] of at.entries()) {
      while (row < one.at.length - 1 && one.at[row + 1] <= begin) row++;
      const age = begin - (one.at[row] ?? Infinity);
      if (!(age >= 0 && age <= believed)) continue;
      running[i]++;
      for (const column of LEVELS) columns[column][i] += one.columns[column][row];
      if (age > 0) continue;
      for (const column of COUNTS) columns[column][i] += one.columns[column][row];
      columns.millis[i] += one.columns.millis[row];
    }
  }
  // They run side by side.
  for (const i of at.keys()) columns.millis[i] /= running[i];
  return { every, at, columns };
}

/** In stretches of a multiple of their length. */
function coarser(series: SeriesState, every: Millis): SeriesState {
  const factor = every / series.every;
  if (factor === 1) return series;
  const at: number[] = [];
  const columns = byColumn((): number[] => []);
  for (const [row, begin] of series.at.entries()) {
    const into = Math.floor(begin / factor);
    if (at.at(-1) !== into) {
      at.push(into);
      for (const column of COLUMNS) columns[column].push(0);
    }
    const last = at.length - 1;
    for (const column of ['millis', ...COUNTS] as const)
      columns[column][last] += series.columns[column][row];
    for (const column of LEVELS) columns[column][last] = series.columns[column][row];
  }
  return { every, at, columns };
}

function byColumn<T>(of: (column: Column) => T): Record<Column, T> {
  return Object.fromEntries(COLUMNS.map((column) => [column, of(column)])) as Record<Column, T>;
}

const EMPTY: SeriesState = { every: FIRST, at: [], columns: byColumn(() => []) };
const NOTHING = byColumn(() => 0);
