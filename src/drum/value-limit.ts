import { DrumlinError } from '../base/errors.ts';
import { formatBytes } from '../base/units.ts';

/** A value, or a tuple with it, must fit the memory that a bucket is merged in. */
export function valueTooLarge(bytes: number, limit: number): DrumlinError {
  return new DrumlinError(
    'VALUE_TOO_LARGE',
    `A value of ${formatBytes(bytes)} does not fit: the memory given allows ${formatBytes(limit)}.`,
    'Give more memory, or keep the value elsewhere and its place here.',
  );
}
