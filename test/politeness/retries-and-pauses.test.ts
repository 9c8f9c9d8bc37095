import { describe, expect, test } from 'vitest';
import { readHead } from '../../src/fetch/response-head.ts';
import {
  pauseAfter,
  RETRY_TABLE,
  retryAfter,
  retryRule,
  statusFault,
} from '../../src/politeness/retries-and-pauses.ts';

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

describe('the pause of a host', () => {
  const pause = (status: number, header = '', inRow?: number) => {
    const head = readHead(Buffer.from(`HTTP/1.1 ${status} x\r\n${header}\r\n\r\n`));
    if (!head) throw new Error('the head is made here');
    return pauseAfter(head, 0, inRow);
  };

  test('is 0 after a final status, and after one failed page', () => {
    expect([200, 404, 500, 502, 504].map((status) => pause(status))).toEqual([0, 0, 0, 0, 0]);
  });

  test('is that of the table when the whole server answers "not now"', () => {
    expect([pause(503), pause(429)]).toEqual([120_000, 300_000]);
  });

  test('is what the server asks for, if that is longer, up to an hour', () => {
    expect(pause(500, 'Retry-After: 7')).toBe(7000);
    expect(pause(503, 'Retry-After: 7')).toBe(120_000);
    expect(pause(503, 'Retry-After: 99999')).toBe(3_600_000);
  });

  test('grows with every failed page after the second in a row, up to half a minute', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((inRow) => pause(500, '', inRow));
    expect(pauses).toEqual([0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });
});
