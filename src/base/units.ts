/**
 * Units are in types, so that a size cannot be passed for a time (a bare number still can); and in
 * suffixes, so that a user writes `64Mi` or `10s` and never counts zeros.
 */
import { DrumlinError } from './errors.ts';

export type Millis = number & { readonly unit?: 'ms' };
export type Bytes = number & { readonly unit?: 'B' };

const SIZES: Record<string, number> = {
  '': 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};
const TIMES: Record<string, number> = { '': 1e3, ms: 1, s: 1e3, m: 60e3, h: 3600e3, d: 86400e3 };
const COUNTS: Record<string, number> = { '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** `64Mi`, `1.5G`, `4096` (an optional final B is allowed). */
export function parseBytes(text: string): Bytes {
  return parseWithSuffix(text.replace(/B$/, ''), SIZES, 'a size', '64Mi, 1.5G or 4096') as Bytes;
}

/** `250ms`, `10s`, `5m`, `2h`, `1d`; a number alone is seconds, as in other crawlers. */
export function parseDuration(text: string): Millis {
  return parseWithSuffix(text, TIMES, 'a time', '250ms, 10s, 5m or 2h') as Millis;
}

/** `1000`, `20k`, `5M`. */
export function parseCount(text: string): number {
  const value = parseWithSuffix(text, COUNTS, 'a whole number', '1000, 20k or 5M');
  if (!Number.isSafeInteger(value)) throw badValue(text, 'a whole number', '1000, 20k or 5M');
  return value;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function formatDuration(millis: number): string {
  if (millis < 1000) return `${Math.round(millis)} ms`;
  const seconds = millis / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return h > 0 ? `${h} h ${m} min` : `${m} min ${s} s`;
}

/** With commas between thousands, whatever the locale: logs and tables must not depend on it. */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

function parseWithSuffix(
  text: string,
  units: Record<string, number>,
  what: string,
  examples: string,
): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(text);
  const unit = match ? units[match[2]] : undefined;
  if (!match || unit === undefined) throw badValue(text, what, examples);
  return Number(match[1]) * unit;
}

function badValue(text: string, what: string, examples: string): DrumlinError {
  return new DrumlinError('VALUE', `"${text}" is not ${what}.`, `Write it like ${examples}.`);
}

/** `1 host`, `2,000 hosts`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
