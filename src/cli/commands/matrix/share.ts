/** A share of all nodes, from 0 to 1 or in percent. */
import { DrumlinError } from '../../../base/errors.ts';

export function shareOf(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)(%?)$/.exec(text.trim());
  const share = match ? Number(match[1]) / (match[2] ? 100 : 1) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw new DrumlinError(
    'VALUE',
    `${flag}: "${text}" is not a share.`,
    'Write it like 0.1 or 10%.',
  );
}
