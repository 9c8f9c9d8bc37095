import { describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { readHead } from '../../src/fetch/response-head.ts';
import {
  RETRY_TABLE,
  RetryPolicy,
  retryAfter,
  statusFault,
} from '../../src/politeness/retries-and-pauses.ts';

const policyOf = (options: CrawlOptions = {}) => new RetryPolicy(resolveConfig(options));
const retryRule = (cause: keyof typeof RETRY_TABLE) => policyOf().rule(cause);

describe('the retry table', () => {
  test('retries nothing that waiting does not cure', () => {
    for (const cause of [
      'dns-not-found',
      'address-refused',
      'tls-failed',
      'bad-response',
      'head-too-large',
    ] as const) {
      expect([cause, retryRule(cause).retries]).toEqual([cause, 0]);
    }
  });

  test('waits before every retry, longer than a failed look-up is cached', () => {
    for (const [cause, rule] of Object.entries(RETRY_TABLE)) {
      if (rule.retries > 0)
        expect([cause, rule.wait >= (cause.startsWith('dns') ? 30_000 : 1000)]).toEqual([
          cause,
          true,
        ]);
    }
  });

  test('never gives up a host for one page or one moment', () => {
    for (const cause of [
      'bad-response',
      'head-too-large',
      'status-429',
      'status-503',
      'status-5xx',
    ] as const) {
      expect([cause, retryRule(cause).givesUpHost]).toEqual([cause, false]);
    }
  });

  test('has a row for the statuses that mean "not now", and none for final ones', () => {
    const rows = [200, 301, 404, 410, 429, 499, 500, 502, 503, 599, 600, 999].map((status) =>
      statusFault(status),
    );
    expect(rows).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'status-429',
      undefined,
      'status-5xx',
      'status-5xx',
      'status-503',
      'status-5xx',
      undefined,
      undefined,
    ]);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);
  test.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 12:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
    ['-5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['99999999999', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j means %j ms', (value, expected) => {
    expect(retryAfter(value, now)).toBe(expected);
  });
});

describe('the settings', () => {
  test('leave the table as it is by default', () => {
    for (const [cause, rule] of Object.entries(RETRY_TABLE))
      expect(retryRule(cause as keyof typeof RETRY_TABLE)).toEqual(rule);
  });

  test('change all retries by the same number, and all waits in proportion', () => {
    const of = policyOf({ retries: 5, retryWait: 6000 });
    expect(of.rule('status-429')).toMatchObject({ retries: 5, wait: 30_000 });
    expect(of.rule('status-5xx')).toMatchObject({ retries: 3, wait: 3000 });
    expect(of.rule('tls-failed')).toMatchObject({ retries: 0 });
    expect(policyOf({ retries: 0 }).rule('status-503').retries).toBe(0);
  });
});

describe('the pause of a host', () => {
  const asked = (status: number, header = '', options: CrawlOptions = {}) => {
    const head = readHead(Buffer.from(`HTTP/1.1 ${status} x\r\n${header}\r\n\r\n`));
    if (!head) throw new Error('the head is made here');
    return policyOf(options).asked(head, 0);
  };

  test('is what the server asks for with "not now", up to a limit', () => {
    expect([500, 503, 429].map((status) => asked(status, 'Retry-After: 7'))).toEqual([
      7000, 7000, 7000,
    ]);
    expect(asked(503, 'Retry-After: 99999')).toBe(3_600_000);
    expect(asked(503, 'Retry-After: 99999', { maxRetryAfter: '10m' })).toBe(600_000);
    expect(asked(503)).toBeUndefined();
    expect(asked(503, 'Retry-After: 0')).toBeUndefined();
    expect([200, 301, 404].map((status) => asked(status, 'Retry-After: 7'))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('grows with every failure after the second in a row, up to the wait of the table', () => {
    const pauses = (cause: keyof typeof RETRY_TABLE) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((n) => policyOf().pauseAfter(cause, n) / 1000);
    expect(pauses('status-5xx')).toEqual([0, 0, 1, 2, 4, 8, 16, 30, 30, 30]);
    expect(pauses('response-timeout')).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
    expect(pauses('status-429')).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 300]);
  });

  test('grows faster while the host cannot be reached', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((n) => policyOf().pauseAfter('connect-refused', n));
    expect(pauses).toEqual([0, 5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test('follows every error of our own', () => {
    expect([1, 2, 3, 100].map((n) => policyOf().pauseAfterOwn(n))).toEqual([
      1000, 2000, 4000, 60_000,
    ]);
  });
});
