import { DrumlinError } from '../base/errors.ts';
import { formatBytes } from '../base/units.ts';

/** A value, and a tuple with it, must fit the memory that merges a bucket. */
export function valueTooLarge(bytes: number, limit: number): DrumlinError {
  return new DrumlinError(
    'VALUE_TOO_LARGE',
    `A value of ${formatBytes(bytes)} does not fit: the memory given allows ${formatBytes(limit)}.`,
    'Give more memory, or store the value elsewhere and a reference here.',
  );
}
