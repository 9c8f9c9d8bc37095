import { expect, test } from 'vitest';
import { FAULTS, whyNothing } from '../../../src/cli/screen/why-nothing.ts';
import { Counters, type Summary } from '../../../src/crawl/record/counters.ts';
import { RETRY_TABLE } from '../../../src/politeness/retry-table.ts';

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

test('a crawl that has fetched something is not asked why it has not', () => {
  expect(whyNothing({ ...SUMMARY, pages: 1, errors: { reset: 5 } })).toBeUndefined();
  expect(whyNothing(SUMMARY)).toBeUndefined();
});

test('one that has fetched nothing says what stood in its way most, and what to do', () => {
  expect(whyNothing({ ...SUMMARY, errors: { reset: 1, 'tls-failed': 4 } })).toBe(
    'Not a page was fetched: the certificate cannot be verified. Name its authority with --ca, or take any certificate with --insecure.',
  );
  expect(whyNothing({ ...SUMMARY, retries: { 'connect-refused': 2 } })).toMatch(
    /nobody listens there\. Check that/,
  );
  expect(whyNothing({ ...SUMMARY, disallowed: 3 })).toMatch(
    /robots\.txt forbids it\. Ask which line does: drumlin robots/,
  );
  expect(whyNothing({ ...SUMMARY, urlsQueued: 3 })).toMatch(
    /has budget\. Give others some with --budget/,
  );
  expect(whyNothing({ ...SUMMARY, urlsQueued: 3, end: 'max-time' })).toBeUndefined();
  expect(whyNothing({ ...SUMMARY, errors: { unheard: 1 } })).toMatch(/: unheard\. See log\.jsonl/);
  expect(whyNothing({ ...SUMMARY, refused: { exclude: 3 } })).toMatch(
    /all URLs were refused \(exclude\)\. Check --scope/,
  );
});

test('every fault of the retry table has words and a remedy', () => {
  for (const fault of Object.keys(RETRY_TABLE)) expect(FAULTS).toHaveProperty([fault]);
  for (const [fact, remedy] of Object.values(FAULTS)) {
    expect(fact).toMatch(/^[^A-Z].*[^.]$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
  }
});
