import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Allowance, shareAllowance } from '../../../src/crawl/transport/allowance.ts';
import { TYPESCRIPT_THREAD } from '../threads/typescript-threads.ts';
import type { SpenderData, SpenderReport } from './allowance-thread.ts';

describe('the allowance', () => {
  test('agrees with two plain numbers, whichever agent claims and closes', () => {
    const step = fc.oneof(
      fc.record({ claim: fc.nat(1) }),
      fc.record({ close: fc.nat(1), gotPage: fc.boolean(), bytes: fc.nat(6) }),
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
            agents[step.close].closeClaim(step.gotPage, step.bytes);
            [left, claims, bytes] = [left + (step.gotPage ? 0 : 1), claims - 1, bytes - step.bytes];
          }
          const limit = left === 0 ? 'max-pages' : bytes <= 0 ? 'max-bytes' : undefined;
          expect(agents[1].exhausted).toBe(claims === 0 ? limit : undefined);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('without limits it always grants a page, and never ends', () => {
    const allowance = new Allowance(shareAllowance({}));
    expect(allowance.claim()).toBe(true);
    allowance.closeClaim(true, 10 ** 12);
    expect([allowance.available, allowance.exhausted]).toEqual([true, undefined]);
  });

  test('a claim closed twice is an error', () => {
    const allowance = new Allowance(shareAllowance({ maxPages: 3 }));
    allowance.claim();
    allowance.closeClaim(true);
    expect(() => allowance.closeClaim(true)).toThrow('never made');
  });

  test.each([
    1, 2, 3, 4, 5,
  ])('no claim is granted after another agent saw the end before step %d of the claim', (step) => {
    const shared = shareAllowance({ maxBytes: 10 });
    const [mine, other] = [new Allowance(shared), new Allowance(shared)];
    other.claim();
    let steps = 0;
    let seen: string | undefined;
    const between = () => {
      if (++steps !== step) return;
      other.closeClaim(true, 10);
      seen = other.exhausted;
    };
    const { load, compareExchange } = Atomics;
    vi.spyOn(Atomics, 'load').mockImplementation((...args) => {
      between();
      return load(...args);
    });
    vi.spyOn(Atomics, 'compareExchange').mockImplementation((...args) => {
      between();
      return compareExchange(...args);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(mine.claim() && seen === 'max-bytes').toBe(false);
  });

  test.each([
    { limits: { maxPages: 60 }, end: 'max-pages' },
    { limits: { maxBytes: 60 }, end: 'max-bytes' },
  ])('threads that fail every third page end together at $end, with exactly the allowed amount', async ({
    limits,
    end,
  }) => {
    const rounds = 1000;
    const data: SpenderData = {
      allowances: Array.from({ length: rounds }, () => shareAllowance(limits)),
      ready: new Int32Array(new SharedArrayBuffer(4)),
      ended: new Int32Array(new SharedArrayBuffer(4 * rounds)),
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
    expect(new Set(reports.flatMap(({ ends }) => ends))).toEqual(new Set([end]));
    expect(reports.map(({ claimsAtEnd }) => claimsAtEnd)).toEqual([0, 0, 0]);
    const pages = data.allowances.map((_, round) =>
      reports.reduce((sum, report) => sum + report.pages[round], 0),
    );
    // Two bytes per page; when the bytes end, each other thread may have one page under way.
    const [least, most] = end === 'max-pages' ? [60, 60] : [30, 30 + data.threads - 1];
    expect(Math.min(...pages)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...pages)).toBeLessThanOrEqual(most);
  });
});
