/** A share of a kind or behaviour of the synthetic web: `farm=5%` or `farm=0.05`. */
import { DrumlinError } from '../../base/errors.ts';

/** Adds the share of one flag to those of the flags before it. */
export function addShare(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Record<string, number> {
  const match = /^([a-z][a-z0-9-]*)=(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text);
  if (!match)
    throw new DrumlinError(
      'VALUE',
      `"${text}" is not a share of a kind or behaviour.`,
      'Write it like farm=5% or farm=0.05.',
    );
  return { ...before, [match[1]]: Number(match[2]) / (match[3] ? 100 : 1) };
}
