/** What rows often check. */
import assert from 'node:assert/strict';
import type { Crawled } from './row.ts';

type Check = (crawled: Crawled) => void;

export const fetched =
  (path: string, host?: string): Check =>
  (crawled) =>
    assert.ok(crawled.asked(path, host), `${path} was not fetched`);

export const left =
  (path: string, host?: string): Check =>
  (crawled) =>
    assert.ok(!crawled.asked(path, host), `${path} was fetched`);

export const ends =
  (reason: string): Check =>
  (crawled) =>
    assert.equal(crawled.summary.end, reason);

/** Each must hold. */
export const all =
  (...checks: Check[]): Check =>
  (crawled) => {
    for (const check of checks) check(crawled);
  };

/** A header of the request for a path. */
export const sends =
  (path: string, name: string, value: RegExp | undefined): Check =>
  (crawled) => {
    const [request] = crawled.requests(path);
    assert.ok(request, `${path} was not fetched`);
    const sent = request.headers[name];
    if (value === undefined) assert.equal(sent, undefined);
    else assert.match(String(sent), value);
  };

/** The shortest time from one request to the next, of all or of one host. */
export function leastGap(crawled: Crawled, host?: string): number {
  const times = crawled.began(host).map(({ time }) => time);
  assert.ok(times.length > 1, 'fewer than two requests');
  return Math.min(...times.slice(1).map((time, i) => time - times[i]));
}

export const gapOf =
  (least: number, host?: string): Check =>
  (crawled) => {
    const gap = leastGap(crawled, host);
    // Both times are rounded to milliseconds.
    assert.ok(gap >= least - 1, `${gap} ms between two requests, not ${least}`);
  };

/** The log has an event of this name for this URL, host or path. */
export const logs =
  (event: string, what: RegExp): Check =>
  (crawled) =>
    assert.match(
      crawled
        .events(event)
        .map((one) => JSON.stringify(one))
        .join('\n'),
      what,
    );
