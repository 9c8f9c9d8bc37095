/**
 * A thread that dies stops its crawl cleanly: the other agents checkpoint, and the crawl can be
 * resumed. `npm run soak -- thread-death` has it die at every step.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Death, dieAndResume } from '../../soak/thread-death.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab({ scenario: 'clean', domains: 25, pages: 10 });
});
afterAll(() => lab.close());

test.each<[string, Death, number]>([
  ['in the middle of a crawl', { agents: 3, agent: 1, phase: 'checkpoint', step: 150 }, 2],
  ['before it has a folder', { agents: 3, agent: 1, phase: 'start', step: 1 }, 3],
  [
    'while it writes its first checkpoint',
    { agents: 3, agent: 2, phase: 'checkpoint', step: 20 },
    3,
  ],
])('a crawl one of whose threads dies %s reports it, and loses nothing when it is resumed', async (_, death, agents) => {
  const { ended, fault } = await dieAndResume(lab, death, agents);
  expect(ended).toMatchObject({ code: 'AGENT_GONE', exitCode: 1 });
  expect(ended.message).toContain(`Agent ${death.agent} ended without a report `);
  expect(ended.message).toContain('the pages fetched so far are in the folder');
  expect(fault).toBe('');
});
