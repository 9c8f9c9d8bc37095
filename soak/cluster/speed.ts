/** How fast was a crawl among faults, between them, compared with one without faults? */
import type { Fault } from './judge.ts';

interface Speed {
  /** Stretches without a fault, and the pages and seconds of them. */
  readonly stretches: number;
  readonly pages: number;
  readonly seconds: number;
  /** The time that the other crawl took for the same part of the web. */
  readonly calmSeconds: number;
  /** Its share of the other's speed. */
  readonly share: number;
}

/**
 * A crawl becomes slower as its hosts run out of pages. So each stretch is compared with the time
 * that the other crawl took from as many pages to as many pages. `settles`: how long after a fault
 * a stretch begins.
 */
export function speedBetween(
  calmLog: string,
  struckLog: string,
  faults: readonly Fault[],
  settles: number,
): Speed {
  const calm = firstAsked(calmLog);
  const struck = firstAsked(struckLog);
  const last = Math.floor(0.9 * Math.min(calm.length, struck.length));
  let [stretches, pages, millis, calmMillis] = [0, 0, 0, 0];
  for (const [from, to] of stretchesOf(faults, struck[0], struck[last - 1], settles)) {
    const first = struck.findIndex((time) => time >= from);
    const next = struck.findIndex((time) => time >= to);
    if (next - first < 2) continue;
    stretches++;
    pages += next - first - 1;
    millis += struck[next - 1] - struck[first];
    calmMillis += calm[next - 1] - calm[first];
  }
  const [seconds, calmSeconds] = [millis, calmMillis].map((time) => Math.round(time / 100) / 10);
  return { stretches, pages, seconds, calmSeconds, share: calmMillis / millis };
}

/** When each page was asked for first, in order. */
function firstAsked(log: string): number[] {
  const times = new Map<string, number>();
  for (const line of log.split('\n').filter(Boolean)) {
    const { host, path, time } = JSON.parse(line);
    if (path !== '/robots.txt' && !times.has(host + path)) times.set(host + path, time);
  }
  return [...times.values()].sort((a, b) => a - b);
}

/** Times in which no fault lasts, from `settles` after the one before. */
function stretchesOf(
  faults: readonly Fault[],
  begin: number,
  end: number,
  settles: number,
): [number, number][] {
  const ordered = [...faults].sort((a, b) => a.from - b.from);
  const found: [number, number][] = [];
  let free = begin;
  for (const { from, to } of [...ordered, { from: end, to: end }]) {
    if (Math.min(from, end) > free) found.push([free, Math.min(from, end)]);
    free = Math.max(free, to + settles);
  }
  return found;
}
