/** A crawl with hardly any memory uses the disk, and has the same result. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';

let dir: string;
let lab: Lab | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-small-'));
});
afterEach(async () => {
  await lab?.close();
  rmSync(dir, { recursive: true, force: true });
});

const TINY: CrawlOptions = {
  frontHosts: 3,
  frontUrls: 12,
  backlogMemory: 65_536,
  hostMemory: 2 ** 20,
  dedupMemory: 65_536,
};

async function fetched(web: Lab, options: CrawlOptions): Promise<string[]> {
  const urls: string[] = [];
  const config = resolveConfig({ dns: [web.dns], allowPrivate: true, delay: 0, ...options });
  const run = await startCrawl(web.seeds, config, {
    onPage: ({ url }) => void urls.push(url),
    clock: fastClock(50),
  });
  await run.finished;
  return urls.sort();
}

describe('a crawl with memory for three hosts and twelve URLs', () => {
  test.each([
    [1, 'bfs'],
    [2, 'bfs'],
    [1, 'budget'],
    [2, 'budget'],
  ] as const)('fetches the same pages as one with enough memory, each once, with %i agents in the order %s', async (agents, order) => {
    lab = await startLab({ scenario: 'clean', domains: 60, pages: 12 });
    const roomy = await fetched(lab, { agents: 1 });
    const tiny = await fetched(lab, { ...TINY, agents, order, dir: join(dir, 'crawl') });
    expect(new Set(tiny).size).toBe(tiny.length);
    expect(tiny).toEqual(roomy);
    expect(roomy.length).toBeGreaterThan(300);
  });

  test('keeps delays, robots.txt and failures of hosts that left memory', async () => {
    lab = await startLab({ scenario: 'clean', domains: 30, pages: 6 });
    const options = {
      ...TINY,
      agents: 1,
      delay: '2s',
      addressDelay: '100ms',
      dir: join(dir, 'crawl'),
    };
    const urls = await fetched(lab, options);
    expect(new Set(urls).size).toBe(urls.length);
    // One robots.txt for each host: a host that comes back into memory has its rules.
    expect(lab.requests).toBeLessThan(
      urls.length + 1.2 * new Set(urls.map((url) => new URL(url).host)).size,
    );
  });
});
