/** The metrics of workers, and their sum. */
import { expect, test } from 'vitest';
import { WorkerProgress } from '../../../src/cluster/worker/worker-progress.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import type { AgentReport } from '../../../src/crawl/crew.ts';
import { metricsPage } from '../../../src/crawl/monitor/metrics.ts';
import { NOTHING_YET } from '../../../src/crawl/record/counters.ts';

const report = (pages: number, queued: number): AgentReport => ({
  progress: { ...NOTHING_YET, pages, queued, statuses: { 200: pages } },
  vitals: { lastPageAt: 5, saving: 0, savedAt: 7, top: [] },
});

/** A sample of the metrics page. */
function sample(progress: Parameters<typeof metricsPage>[0], name: string): number {
  const page = metricsPage(progress, { cpuSeconds: 0, memory: 0 });
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(page)?.[1]);
}

test('the counters of workers add up to those of the cluster, also when an agent has moved', () => {
  const config = resolveConfig({});
  const [first, second] = [new WorkerProgress(0, config), new WorkerProgress(0, config)];
  first.left(report(30, 12)); // and the second has it since, and has fetched 5 pages
  const pages = [first.now([report(10, 3)], 100), second.now([report(5, 11)], 100)];
  const sum = (name: string) => pages.reduce((all, each) => all + sample(each, name), 0);
  expect(sum('drumlin_fetch_pages_total')).toBe(45);
  expect(sum('drumlin_fetch_responses_total')).toBe(45);
  expect(sum('drumlin_frontier_queued_urls')).toBe(14);
  expect(sum('drumlin_crawl_agents')).toBe(2);
});

test('a worker without agents has metrics too', () => {
  const progress = new WorkerProgress(0, resolveConfig({})).now([], 100);
  expect(sample(progress, 'drumlin_fetch_pages_total')).toBe(0);
  expect(sample(progress, 'drumlin_crawl_agents')).toBe(0);
});
