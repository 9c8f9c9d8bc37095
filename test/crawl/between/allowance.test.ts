import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Allowance, shareAllowance } from '../../../src/crawl/between/allowance.ts';
import type { SpenderData, SpenderReport } from './allowance-thread.ts';
import { TYPESCRIPT_THREAD } from './typescript-threads.ts';

describe('the allowance', () => {
  test('agrees with two plain numbers, whichever agent claims and settles', () => {
    const step = fc.oneof(
      fc.record({ claim: fc.nat(1) }),
      fc.record({ settle: fc.nat(1), gotPage: fc.boolean(), bytes: fc.nat(6) }),
    );
    const limit = fc.oneof(fc.nat(8), fc.constant(Infinity));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), limit, limit, (steps, maxPages, maxBytes) => {
        const shared = shareAllowance({ maxPages, maxBytes });
        const agents = [new Allowance(shared), new Allowance(shared)];
        let [left, claims, bytes] = [maxPages, 0, maxBytes];
        for (const step of steps) {
          if ('claim' in step) {
            const granted = left > 0 && bytes > 0;
            expect(agents[0].available).toBe(granted);
            expect(agents[step.claim].claim()).toBe(granted);
            if (granted) [left, claims] = [left - 1, claims + 1];
          } else if (claims > 0) {
            agents[step.settle].settle(step.gotPage, step.bytes);
            [left, claims, bytes] = [left + (step.gotPage ? 0 : 1), claims - 1, bytes - step.bytes];
          }
          const limit = left === 0 ? 'max-pages' : bytes <= 0 ? 'max-bytes' : undefined;
          expect(agents[1].exhausted).toBe(claims === 0 ? limit : undefined);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('without limits there is always a page, and no end', () => {
    const allowance = new Allowance(shareAllowance({}));
    expect(allowance.claim()).toBe(true);
    allowance.settle(true, 10 ** 12);
    expect([allowance.available, allowance.exhausted]).toEqual([true, undefined]);
  });

  test('a claim settled twice is a fault', () => {
    const allowance = new Allowance(shareAllowance({ maxPages: 3 }));
    allowance.claim();
    allowance.settle(true);
    expect(() => allowance.settle(true)).toThrow('never made');
  });

  test.each([
    { maxPages: 20_000, maxBytes: Infinity, end: 'max-pages' },
    { maxPages: Infinity, maxBytes: 30_000, end: 'max-bytes' },
  ] as const)('threads that fail at every third page end together at $end, with exactly as much as was allowed', async (row) => {
    const data: SpenderData = {
      allowance: shareAllowance(row),
      ready: new Int32Array(new SharedArrayBuffer(4)),
      ended: new Int32Array(new SharedArrayBuffer(4)),
      threads: 3,
    };
    const reports = await Promise.all(
      Array.from({ length: data.threads }, async () => {
        const main = new URL('./allowance-thread.ts', import.meta.url);
        const worker = new Worker(main, { ...TYPESCRIPT_THREAD, workerData: data });
        const [report] = (await once(worker, 'message')) as [SpenderReport];
        return report;
      }),
    );
    expect(reports.map(({ end }) => end)).toEqual([row.end, row.end, row.end]);
    expect(reports.map(({ claimedAfterEnd }) => claimedAfterEnd)).toEqual([0, 0, 0]);
    const sum = (of: (report: SpenderReport) => number) =>
      reports.reduce((total, report) => total + of(report), 0);
    if (row.end === 'max-pages') expect(sum(({ pages }) => pages)).toBe(row.maxPages);
    // Two bytes a page: at the end at most one page of each thread was under way.
    else expect(sum(({ pages }) => pages) * 2 - row.maxBytes).toBeLessThanOrEqual(2 * (data.threads - 1));
  });
});
