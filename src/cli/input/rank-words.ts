/** Parsing shared by `drumlin rank` and `drumlin rank compare`. */
import type { Writable } from 'node:stream';
import { DrumlinError } from '../../base/errors.ts';
import { parseCount } from '../../base/units.ts';
import type { Parameters } from '../../rank/engine/ranker.ts';

export interface Streams {
  readonly output: Writable;
  readonly screen: { readonly isTTY?: boolean; write(text: string): unknown };
}

/** Maps the flags of a method to its parameters: `error-bound` to `errorBound`. */
export async function keysByFlag(parameters: Parameters): Promise<Map<string, string>> {
  const { flagOf } = await import('../../rank/engine/parameters.ts');
  return new Map(Object.keys(parameters).map((key) => [flagOf(key), key]));
}

export function atLeastOne(flag: string, text: string): number {
  const count = parseCount(text);
  if (count >= 1) return count;
  throw new DrumlinError('VALUE', `${flag} must be at least 1.`, 'Give a positive number.');
}
