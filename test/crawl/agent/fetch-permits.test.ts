/** What an agent may begin: nothing while it is paused, nothing after a stop. */
import { expect, test } from 'vitest';
import { FetchPermits } from '../../../src/crawl/agent/fetch-permits.ts';
import { Allowance, shareAllowance } from '../../../src/crawl/transport/allowance.ts';

function permits(limits: { maxPages?: number; maxBytes?: number } = {}) {
  const allowance = new Allowance(shareAllowance(limits));
  return new FetchPermits(allowance, { turnsOut: 0 }, { fetches: 1, requisites: true });
}

test('while the crawl is paused, neither a page nor a requisite may be begun', () => {
  const paused = permits();
  paused.paused = true;
  expect([paused.mayBeginTurn, paused.claimPage(), paused.claimRequisite()]).toEqual([
    ...[false, false, false],
  ]);
  paused.paused = false;
  expect([paused.mayBeginTurn, paused.claimPage(), paused.claimRequisite()]).toEqual([
    ...[true, true, true],
  ]);
});

test('requisites are fetched when all pages are claimed, and nothing after a stop', () => {
  const last = permits({ maxPages: 1 });
  expect([last.claimPage(), last.claimPage(), last.claimRequisite()]).toEqual([true, false, true]);
  last.stop('interrupted');
  expect([last.claimPage(), last.claimRequisite()]).toEqual([false, false]);
});
