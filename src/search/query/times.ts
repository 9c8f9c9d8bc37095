/**
 * Which versions are valid in a time, and their statistics.
 *
 * Idea      BM25 needs the number of versions and their mean lengths. Both are those of the time
 *           asked for: a search in the past ranks as it would have ranked then.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { Part } from '../store/part.ts';
import type { Pages } from './pages.ts';

/** From `from` to `to`, both included; at one moment if they are equal. */
export interface TimeRange {
  readonly from: Millis;
  readonly to: Millis;
}

export const ALL_TIMES: TimeRange = {
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
};

/** The versions that are valid at some moment of a time. */
export interface Selection {
  /** 1 for each version that is valid. */
  readonly valid: Uint8Array;
  readonly count: number;
  /** The mean words of texts, and of titles. */
  readonly meanWords: number;
  readonly meanTitleWords: number;
  /** The mean words of anchors. */
  readonly meanAnchorWords: number;
  /** Whether every version is valid. */
  readonly isAll: boolean;
}

/** Whether a stretch has a moment in a time. */
const overlaps = (start: Millis, end: Millis, { from, to }: TimeRange): boolean =>
  start <= to && end > from;

export function select(
  parts: readonly Part[],
  pages: Pages,
  anchorWords: Uint32Array,
  range: TimeRange,
): Selection {
  const valid = new Uint8Array(pages.versions);
  pages.eachStretch((version, start, end) => {
    if (overlaps(start, end, range)) valid[version] = 1;
  });
  let [count, words, titleWords, inAnchors] = [0, 0, 0, 0];
  for (const [i, { versions }] of parts.entries()) {
    const base = pages.bases[i];
    for (let v = 0; v < versions.count; v++) {
      if (valid[base + v] === 0) continue;
      count++;
      words += versions.words[v];
      titleWords += versions.titleWords[v];
      inAnchors += anchorWords[base + v];
    }
  }
  const mean = (sum: number) => (count === 0 ? 0 : sum / count);
  return {
    ...{ valid, count, isAll: count === pages.versions },
    ...{ meanWords: mean(words), meanTitleWords: mean(titleWords) },
    meanAnchorWords: mean(inAnchors),
  };
}

export const iso = (time: Millis): string => new Date(time).toISOString();

const FORM = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?Z?)?)?)?$/;

/** A time as a user writes it: a year, month, day, minute or second, with its first and last ms. */
export function parseTime(text: string): TimeRange {
  const fields = FORM.exec(text.trim());
  const [year, month, day, hour, minute, second] = (fields ?? []).slice(1).map(Number);
  const from = Date.UTC(year, (month || 1) - 1, day || 1, hour || 0, minute || 0, second || 0);
  const isReal =
    fields !== null &&
    iso(from).startsWith(text.trim().slice(0, 10)) &&
    (hour || 0) < 24 &&
    (minute || 0) < 60 &&
    (second || 0) < 60;
  if (!isReal)
    throw new DrumlinError(
      'SEARCH_TIME',
      `"${text}" is not a time.`,
      'Write a time in UTC, such as 2011, 2011-10, 2011-10-15 or 2011-10-15T12:00.',
    );
  let to = from + 1000;
  if (!fields[2]) to = Date.UTC(year + 1, 0);
  else if (!fields[3]) to = Date.UTC(year, month);
  else if (!fields[4]) to = from + 86_400_000;
  else if (!fields[6]) to = from + 60_000;
  return { from, to: to - 1 };
}

/** The time that a user asks for: at a moment, or from one to another. */
export function rangeOf({
  at,
  from,
  to,
}: {
  readonly at?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): { readonly range: TimeRange; readonly asked: TimeRange } {
  if (at !== undefined) {
    if (from !== undefined || to !== undefined)
      throw new DrumlinError(
        'SEARCH_TIME',
        'A search is at one time, or from one time to another.',
        'Give "at" alone, or "from" and "to".',
      );
    const asked = parseTime(at);
    return { range: { from: asked.to, to: asked.to }, asked };
  }
  const range = {
    from: from === undefined ? ALL_TIMES.from : parseTime(from).from,
    to: to === undefined ? ALL_TIMES.to : parseTime(to).to,
  };
  if (range.from > range.to)
    throw new DrumlinError(
      'SEARCH_TIME',
      `The time from ${from} to ${to} ends before it begins.`,
      'Exchange "from" and "to".',
    );
  return { range, asked: range };
}

/** Refuses a time before the first or after the last capture. */
export function requireTime(range: TimeRange, asked: TimeRange, pages: Pages): void {
  if (pages.versions === 0) return;
  const day = (time: Millis) => iso(time).slice(0, 16).replace('T', ' ');
  const span = `Choose a time from ${day(pages.first)} to ${day(pages.last)} (UTC).`;
  if (range.to < pages.first)
    throw new DrumlinError('SEARCH_TIME', 'The index has no capture before this time.', span);
  if (asked.from > pages.last)
    throw new DrumlinError('SEARCH_TIME', 'The index has no capture at or after this time.', span);
}
