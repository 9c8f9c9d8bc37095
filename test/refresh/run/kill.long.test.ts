/** A short form of `npm run soak -- refresh`. */
import { expect, test } from 'vitest';
import { killRefresh } from '../../../soak/refresh.ts';

test('a refresh by two agents that is killed again and again judges every page, and stores none twice', async () => {
  const plan = { kills: 4, domains: 30, pages: 10, requests: 40, agents: 2, seed: 5 };
  const report = await killRefresh({ ...plan, answersAfter: 50, flags: ['--fetches', '4'] });
  expect(report).toMatchObject({ exitCode: 0, wrong: [], twice: [] });
  expect(report.judged).toBe(report.collection);
  expect(report.collection).toBeGreaterThan(80);
  expect(report.askedAgain).toBeLessThanOrEqual(report.mayBeAskedAgain);
  expect(report.kills).toBe(4);
});
