import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../../src/config/settings.ts';
import { startCrawl } from '../here.ts';
import { linking, startSmallSite } from '../small-site.ts';

test('links beyond --max-links are left out, counted and logged', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'drumlin-links-'));
  const site = await startSmallSite({
    '/': linking('#a', '#b', '/1', '/1#c', '/1', '/2', '/3', '/4', '/3'),
    '/1': 'one',
    '/2': 'two',
  });
  const options = { allowPrivate: true, delay: 0, agents: 1, maxLinks: 2 };
  const config = resolveConfig({ ...options, dir: join(dir, 'crawl') });
  const summary = await (await startCrawl([`${site.origin}/`], config)).finished;
  await site.close();
  expect(site.asked.toSorted()).toEqual(['/', '/1', '/2', '/robots.txt']);
  expect(summary.refused).toEqual({ 'too-many-links': 3 });
  const events = readFileSync(join(dir, 'crawl', 'log.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toContainEqual(
    expect.objectContaining({ event: 'links-cut', url: `${site.origin}/`, links: 3, cut: 3 }),
  );
  rmSync(dir, { recursive: true, force: true });
});
