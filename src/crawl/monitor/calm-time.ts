/** Times for a display that changes: whole seconds, with a stable number of digits. */
import type { Millis } from '../../base/units.ts';

export function calmTime(time: Millis): string {
  const seconds = Math.max(0, Math.round(time / 1000));
  if (seconds < 60) return `${seconds} s`;
  const two = (n: number) => String(n).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${hours} h ${two(minutes % 60)} min`
    : `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}
