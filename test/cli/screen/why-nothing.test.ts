import { expect, test } from 'vitest';
import { whyNothing } from '../../../src/cli/screen/why-nothing.ts';
import { Counters, type Summary } from '../../../src/crawl/record/counters.ts';
import { FAULTS } from '../../../src/crawl/record/fault-remedies.ts';
import { RETRY_TABLE } from '../../../src/politeness/retries-and-pauses.ts';

const SUMMARY: Summary = {
  ...new Counters(),
  ...{
    end: 'finished',
    dir: 'c',
    agents: 1,
    seconds: 1,
    cpuSeconds: 1,
    pagesPerCpuSecond: 0,
    maxRssBytes: 1,
  },
  ...{ urlsUnique: 1, urlsQueued: 0, hosts: 1, domains: 1, forgotten: {} },
};

test('is undefined for a crawl that fetched a page', () => {
  expect(whyNothing({ ...SUMMARY, pages: 1, errors: { reset: 5 } })).toBeUndefined();
  expect(whyNothing(SUMMARY)).toBeUndefined();
});

test('names the most frequent reason and its remedy for a crawl that fetched no page', () => {
  expect(whyNothing({ ...SUMMARY, errors: { reset: 1, 'tls-failed': 4 } })).toBe(
    'No page was fetched: the certificate cannot be verified. Name its authority with --ca, or accept any certificate with --insecure.',
  );
  expect(whyNothing({ ...SUMMARY, retries: { 'connect-refused': 2 } })).toMatch(
    /the server refuses connections\. Check the port/,
  );
  expect(whyNothing({ ...SUMMARY, disallowed: 3 })).toMatch(
    /robots\.txt forbids it\. See which line decides: drumlin robots/,
  );
  expect(whyNothing({ ...SUMMARY, urlsQueued: 3 })).toMatch(
    /domains with budget 0\. Change --budget/,
  );
  expect(whyNothing({ ...SUMMARY, urlsQueued: 3, end: 'max-time' })).toBeUndefined();
  expect(whyNothing({ ...SUMMARY, errors: { unheard: 1 } })).toMatch(/: unheard\. Read log\.jsonl/);
  expect(whyNothing({ ...SUMMARY, refused: { exclude: 3 } })).toMatch(
    /all URLs were skipped \(exclude\)\. Check --scope/,
  );
});

test('names the cause of a robots.txt that cannot be fetched, if it is known', () => {
  const summary = { ...SUMMARY, errors: { 'robots-unreachable': 1 } };
  expect(whyNothing(summary)).toMatch(/"why" in log\.jsonl/);
  expect(whyNothing(summary, 'tls-failed')).toBe(
    'No page was fetched: robots.txt cannot be fetched, because the certificate cannot be verified. Name its authority with --ca, or accept any certificate with --insecure.',
  );
});

test('says what the servers answered if all answers are errors', () => {
  const of = (statuses: Record<string, number>) => whyNothing({ ...SUMMARY, pages: 2, statuses });
  expect(of({ 401: 2 })).toMatch(/^No page was fetched: all answers are status 401\. .*--auth/);
  expect(of({ 302: 1, 403: 1 })).toMatch(/status 403\. .*--cookies/);
  expect(of({ 404: 1, 410: 2 })).toMatch(/an error, most with status 410/);
  expect(of({ 200: 1, 401: 9 })).toBeUndefined();
  expect(of({ 304: 1, 401: 9 })).toBeUndefined();
  expect(of({ 302: 2 })).toBeUndefined();
});

test('every fault of the retry table has a fact and a remedy', () => {
  for (const fault of Object.keys(RETRY_TABLE)) expect(FAULTS).toHaveProperty([fault]);
  for (const [fact, remedy] of Object.values(FAULTS)) {
    expect(fact).toMatch(/^[^A-Z].*[^.]$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
  }
});
