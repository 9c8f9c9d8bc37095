/** The judge of the hostile soak: it must see what is wrong. */
import { describe, expect, test } from 'vitest';
import { accountOf, isFlat, type Sample, steadyRate } from '../../soak/hostile/verdict.ts';
import type { Summary } from '../../src/crawl/crawl.ts';

const summary = (more: Partial<Summary>): Summary =>
  ({
    urlsUnique: 0,
    pages: 0,
    disallowed: 0,
    urlsQueued: 0,
    errors: {},
    refused: {},
    alike: {},
    ...more,
  }) as Summary;

describe('the account of a crawl', () => {
  const whole = summary({
    ...{ urlsUnique: 100, pages: 50, disallowed: 7, urlsQueued: 30 },
    errors: { reset: 5, 'dns-not-found': 4, 'too-many-redirects': 9, 'status-5xx': 6 },
    refused: {
      ...{ 'host-page-limit': 1, 'domain-page-limit': 1, blocked: 1, 'too-deep-later': 1 },
      ...{ 'too-deep': 40, 'content-type': 8 },
    },
  });

  test('adds up when every URL is fetched, failed, skipped or queued, each once', () => {
    expect(accountOf(whole)).toEqual({
      ...{
        unique: 100,
        fetched: 50,
        givenUp: 9,
        disallowed: 7,
        overLimit: 4,
        waiting: 30,
        lost: 0,
      },
    });
  });

  test('reports what is missing, and what was counted twice', () => {
    expect(accountOf({ ...whole, urlsQueued: 28 }).lost).toBe(2);
    expect(accountOf({ ...whole, pages: 51 }).lost).toBe(-1);
  });
});

describe('figures are flat', () => {
  const rising = (by: number) => Array.from({ length: 40 }, (_, i) => 100 + i * by);

  test('when they have filled up and stay, whatever single ones do', () => {
    expect(isFlat([10, 50, 90, 100, 101, 99, 100, 180, 100, 98, 102, 100])).toBe(true);
    expect(isFlat(rising(0))).toBe(true);
  });

  test('not when they keep rising, even slowly', () => {
    expect(isFlat(rising(2))).toBe(false);
    expect(isFlat(rising(1))).toBe(false);
    expect(isFlat(rising(1), 32)).toBe(true);
  });
});

test('the rate is that of the good sites once all of them are discovered', () => {
  const samples = [0, 10, 20, 30, 40].map(
    (seconds) => ({ seconds, goodRequests: seconds ** 2 }) as Sample,
  );
  expect(steadyRate(samples)).toBe((40 ** 2 - 10 ** 2) / 30);
  expect(steadyRate([])).toBeNaN();
});
