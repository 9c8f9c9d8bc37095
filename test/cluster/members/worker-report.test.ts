import { expect, test } from 'vitest';
import { parseReport } from '../../../src/cluster/members/worker-report.ts';

const REPORT = {
  progress: { pages: 3, bytes: 9, limit: null },
  agents: [{ agent: 0, epoch: 1, idle: false, pages: 3, bytes: 9, queued: 2 }],
  memory: 5,
  cpuSeconds: 0.5,
};

test('a report is read back, Infinity included', () => {
  expect(parseReport(JSON.stringify(REPORT))).toEqual({
    ...REPORT,
    progress: { pages: 3, bytes: 9, limit: Infinity },
  });
});

test.each([
  'null',
  '{}',
  '{"agents":[]}',
  '7',
  JSON.stringify({ ...REPORT, memory: 'much' }),
  JSON.stringify({ ...REPORT, memory: null }),
  JSON.stringify({ ...REPORT, agents: [{ agent: 0, epoch: 1, pages: -1, bytes: 0 }] }),
  JSON.stringify({ ...REPORT, agents: [7] }),
])('%s is no report', (text) => {
  expect(() => parseReport(text)).toThrow();
});
