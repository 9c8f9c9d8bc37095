/**
 * The history of a crawl in fixed memory: the counts in each stretch of time, and the levels at its
 * end.
 *
 * Idea      All stretches have the same length, at first one second. When there are too many, two
 *           neighbours become one of twice the length. Stretches begin at multiples of their
 *           length since 1970, so those of several agents coincide and can be added up.
 * Requires  Counts never fall.
 * Ensures   The stretches together hold all counts; there are never more than `MOST`. Time between
 *           two runs has no stretches.
 * Cost      A microsecond per sample; about ten kilobytes in a checkpoint.
 */
import type { Millis } from '../../base/units.ts';

/** Counters: a stretch holds the increase in it. */
const COUNTS = ['pages', 'bytes', 'errors', 'retries', 'spam'] as const;
/** A count that is left out of a series in which it is always 0. */
const RARE = 'spam';
/** Levels, which go up and down: a stretch holds the last value. */
const LEVELS = ['fetching', 'front', 'queued', 'backlog'] as const;

export type Sample = Readonly<Record<(typeof COUNTS)[number] | (typeof LEVELS)[number], number>>;

/** `millis` is the time in the stretch during which the crawl ran. */
type Column = keyof Sample | 'millis';
const COLUMNS: readonly Column[] = ['millis', ...COUNTS, ...LEVELS];

/** A series as plain data. */
export interface SeriesState {
  /** The length of a stretch. */
  readonly every: Millis;
  /** The begin of each stretch, in multiples of `every`. */
  readonly at: readonly number[];
  readonly columns: Readonly<Record<Exclude<Column, typeof RARE>, readonly number[]>> & {
    readonly [RARE]?: readonly number[];
  };
}

export type Stretch = Readonly<Record<Column, number>> & { readonly begins: Millis };

/** The most stretches: as many points as a plot can show. */
export const MOST = 360;
const FIRST: Millis = 1000;
/** The longest time that counts between two samples: a machine may have slept. */
const LONGEST_SILENCE: Millis = 60_000;

export class Series {
  #every: Millis;
  readonly #at: number[];
  readonly #columns: Record<Column, number[]>;
  #last: Sample = NOTHING;
  #sampledAt: Millis;

  /** Continues an earlier series; the counts that are sampled start at 0 again. */
  constructor(now: Millis, { every, at, columns }: SeriesState = EMPTY) {
    this.#sampledAt = now;
    this.#every = every;
    this.#at = [...at];
    this.#columns = byColumn((column) => [...(columns[column] ?? zeros(at.length))]);
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
    const columns = byColumn((column) => [...this.#columns[column]]);
    return { every: this.#every, at: [...this.#at], columns: withoutZeros(columns) };
  }

  /** The last row, or a new one; if the clock was set back, the last row grows. */
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
    for (const column of COLUMNS)
      this.#columns[column].splice(0, Infinity, ...(columns[column] ?? zeros(at.length)));
  }
}

/** The series of a crawl: the sum of the series of its agents. */
export function addSeries(all: readonly SeriesState[]): SeriesState {
  let every = Math.max(FIRST, ...all.map((one) => one.every));
  for (; ; every *= 2) {
    const alike = all.map((one) => coarser(one, every));
    const at = [...new Set(alike.flatMap((one) => one.at))].sort((a, b) => a - b);
    if (at.length <= MOST) return sumOf(alike, every, at);
  }
}

/** The series as one object per stretch, for plots. */
export function stretches({ every, at, columns }: SeriesState): Stretch[] {
  return at.map((begin, row) => ({
    begins: begin * every,
    ...byColumn((column) => columns[column]?.[row] ?? 0),
  }));
}

function sumOf(all: readonly SeriesState[], every: Millis, at: readonly number[]): SeriesState {
  const columns = byColumn(() => zeros(at.length));
  const running = new Array<number>(at.length).fill(0);
  // An agent without a sample (too busy, or ended a little earlier) keeps its last levels.
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
      for (const column of COUNTS) columns[column][i] += one.columns[column]?.[row] ?? 0;
      columns.millis[i] += one.columns.millis[row];
    }
  }
  // Agents run at the same time: take the mean.
  for (const i of at.keys()) columns.millis[i] /= running[i];
  return { every, at, columns: withoutZeros(columns) };
}

/** The series in longer stretches; `every` is a multiple of the old length. */
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
      columns[column][last] += series.columns[column]?.[row] ?? 0;
    for (const column of LEVELS) columns[column][last] = series.columns[column][row];
  }
  return { every, at, columns: withoutZeros(columns) };
}

const zeros = (length: number): number[] => new Array<number>(length).fill(0);

function withoutZeros({
  [RARE]: rare,
  ...columns
}: Record<Column, number[]>): SeriesState['columns'] {
  return rare.some((count) => count !== 0) ? { ...columns, [RARE]: rare } : columns;
}

function byColumn<T>(of: (column: Column) => T): Record<Column, T> {
  return Object.fromEntries(COLUMNS.map((column) => [column, of(column)])) as Record<Column, T>;
}

const EMPTY: SeriesState = { every: FIRST, at: [], columns: byColumn(() => []) };
const NOTHING = byColumn(() => 0);
