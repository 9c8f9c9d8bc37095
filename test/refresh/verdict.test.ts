import { describe, expect, test } from 'vitest';
import { VERDICT } from '../../src/refresh/orders/order.ts';
import { type Evidence, livenessOf, VERDICTS, verdictOf } from '../../src/refresh/verdict.ts';

const plain = { isSoft: false, wasFront: false, endIsFront: false, others: 0 };
const of = (first: Evidence['first'], rest: Partial<Evidence> = {}) =>
  verdictOf({ first, ...plain, ...rest });
const to = (end: Evidence['end'], rest: Partial<Evidence> = {}) =>
  of({ status: 301, target: 'http://x.test/b' }, { end, ...rest });
const ALIVE = { status: 200, page: 'other' } as const;

describe('a verdict', () => {
  test.each([
    // Alive.
    [of({ status: 304, page: 'confirmed' }), 'unchanged'],
    [of({ status: 200, page: 'same' }), 'unchanged'],
    [of({ status: 200, page: 'same' }, { isSoft: true }), 'unchanged'],
    [of({ status: 200, page: 'other' }), 'changed'],
    [of({ status: 206 }), 'changed'],
    [to(ALIVE), 'moved'],
    [to({ status: 304, page: 'confirmed' }), 'moved'],
    [to(ALIVE, { endIsFront: true, wasFront: true }), 'moved'],
    [to(ALIVE, { others: 2 }), 'moved'],
    // Dead.
    [of({ status: 404 }), 'gone'],
    [of({ status: 410 }), 'gone'],
    [to(ALIVE, { endIsFront: true }), 'gone'],
    [to(ALIVE, { others: 3 }), 'gone'],
    [to({ status: 404 }), 'gone'],
    [to(undefined), 'gone'],
    [of({ status: 200, page: 'other' }, { isSoft: true }), 'soft-404'],
    [to(ALIVE, { isSoft: true }), 'soft-404'],
    [of({ fault: 'dns-not-found' }), 'no-host'],
    [of({ fault: 'connect-refused' }), 'no-host'],
    [of({ fault: 'connect-timeout' }), 'no-host'],
    [of({ fault: 'tls-failed' }), 'no-host'],
    [to({ fault: 'dns-not-found' }), 'no-host'],
    [of({ status: 403 }), 'refused'],
    [of({ status: 401 }), 'refused'],
    [of({ status: 451 }), 'refused'],
    [to({ status: 403 }), 'refused'],
    // Neither.
    [of({ status: 500 }), 'unknown'],
    [of({ status: 503 }), 'unknown'],
    [of({ status: 429 }), 'unknown'],
    [of({ status: 304 }), 'unknown'],
    [of({ status: 300 }), 'unknown'],
    [of({ fault: 'disallowed' }), 'unknown'],
    [of({ fault: 'robots-unreachable' }), 'unknown'],
    [of({ fault: 'response-timeout' }), 'unknown'],
    [of({ fault: 'fetch-filter' }), 'unknown'],
    [to({ status: 503 }), 'unknown'],
  ])('%#: %s', (verdict, expected) => {
    expect(verdict).toBe(expected);
  });

  test('is alive, dead or neither', () => {
    const { alive, dead, unknown } = VERDICT;
    expect(VERDICTS.map(livenessOf)).toEqual([
      ...[alive, alive, alive],
      ...[dead, dead, dead, dead],
      unknown,
    ]);
  });
});
