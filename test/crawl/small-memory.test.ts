/** A crawl with hardly any memory uses the disk, and has the same result. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { type Pages, startSmallSite } from './small-site.ts';

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

describe('a crawl with little memory for bodies', () => {
  test('holds few decoded pages at once, and fetches them all', async () => {
    const page = gzipSync(`<title>t</title>${' '.repeat(900_000)}`);
    const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
    const ips = Array.from({ length: 24 }, (_, i) => `127.0.9.${i + 1}`);
    const pages: Pages = { '/': (_, response) => response.writeHead(200, headers).end(page) };
    const sites = await Promise.all(ips.map((ip) => startSmallSite(pages, ip)));
    const seeds = sites.map(({ origin }) => `${origin}/`);
    const config = resolveConfig({ allowPrivate: true, delay: 0, agents: 1, bodyMemory: '4Mi' });
    const bodies: number[] = [];
    let atOnce = 0;
    let most = 0;
    const onPage = async ({ body }: { readonly body: Uint8Array }) => {
      most = Math.max(most, ++atOnce);
      for (let i = 0; i < 50; i++) await turn();
      bodies.push(body.length);
      atOnce--;
    };
    const run = await startCrawl(seeds, config, { onPage });
    await run.finished;
    for (const site of sites) await site.close();
    expect(bodies).toEqual(Array(24).fill(900_016));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(5);
  });
});
