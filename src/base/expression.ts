/**
 * What the expression languages of settings (budgets, filters) share: numbers with suffixes, and
 * errors that point at their place.
 */
import { DrumlinError } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, G: 1e9 };
const NUMBER = /(\d+(?:\.\d+)?(?:e[+-]?\d+)?)([kMG]?)/y;

/**
 * The number at a place of a text, such as `10`, `1.5M` or `2e3`; Infinity when it is too large.
 */
export function numberAt(
  text: string,
  at: number,
): { readonly text: string; readonly value: number } | undefined {
  NUMBER.lastIndex = at;
  const match = NUMBER.exec(text);
  return match ? { text: match[0], value: Number(match[1]) * (UNITS[match[2]] ?? 1) } : undefined;
}

/** Most characters shown before and after the place of an error. */
const AROUND = 50;

interface Refused {
  readonly code: string;
  /** What the text is: `filter`, `budget`. */
  readonly what: string;
  readonly text: string;
  /** Where the error is, from 0. */
  readonly at: number;
  readonly fact: string;
  readonly remedy: string;
}

/**
 * Throws an error at one place of a text: its message names the column and shows a caret under the
 * line.
 */
export function refuseAt({ code, what, text, at, fact, remedy }: Refused): never {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  const line = text.slice(start, end < 0 ? text.length : end);
  const lines = text.slice(0, start).split('\n').length;
  const column = at - start;
  const place = text.includes('\n')
    ? `Line ${lines}, column ${column + 1}`
    : `Column ${column + 1}`;
  throw new DrumlinError(
    code,
    `${place} of the ${what}: ${fact}`,
    `${remedy}\n${pointer(line, column)}`,
  );
}

function pointer(line: string, column: number): string {
  const from = Math.max(0, column - AROUND);
  const to = Math.min(line.length, column + AROUND);
  const before = `${from > 0 ? '…' : ''}${line.slice(from, column)}`.replace(CONTROL, ' ');
  const after = `${line.slice(column, to)}${to < line.length ? '…' : ''}`.replace(CONTROL, ' ');
  return `  ${before}${after}\n  ${' '.repeat(before.length)}^`;
}

/** Control characters would move the text after them. */
const CONTROL = /[\0-\x1f\x7f]/g;
