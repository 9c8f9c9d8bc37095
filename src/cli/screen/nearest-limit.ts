/** The limit that a crawl will reach first, with the share done and the time left. */

import { formatBytes, formatCount, type Millis } from '../../base/units.ts';
import { calmTime } from '../../crawl/monitor/calm-time.ts';
import type { Rate } from '../../crawl/monitor/rates.ts';
import type { Progress } from '../../crawl/record/progress.ts';

export interface Limit {
  /** The share of the limit that is used, 0 to 1; slightly above 1 while the last requests end. */
  readonly share: number;
  readonly done: string;
  /** Time until the limit is reached; undefined while the rate is 0. */
  readonly left: Millis | undefined;
}

type Asked = Pick<Progress, 'elapsed' | 'maxTime' | 'pages' | 'maxPages' | 'bytes' | 'maxBytes'>;

export function nearestLimit(now: Asked, pace: Rate): Limit | undefined {
  const limits = [
    limit(now.elapsed, now.maxTime, 1000, calmTime),
    limit(now.pages, now.maxPages, pace.pages, formatCount, ' pages'),
    limit(now.bytes, now.maxBytes, pace.bytes, formatBytes),
  ].flatMap((one) => one ?? []);
  const soonest = (a: Limit, b: Limit) =>
    (a.left ?? Infinity) - (b.left ?? Infinity) || b.share - a.share;
  return limits.sort(soonest)[0];
}

function limit(
  done: number,
  most: number,
  aSecond: number,
  format: (n: number) => string,
  unit = '',
): Limit | undefined {
  if (most === Infinity) return undefined;
  return {
    share: most === 0 ? 1 : done / most,
    done: `${format(done)} of ${format(most)}${unit}`,
    left: aSecond > 0 ? (Math.max(0, most - done) / aSecond) * 1000 : undefined,
  };
}
