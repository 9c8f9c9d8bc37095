/** docs/reference/metrics.md has every metric that a crawl serves. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { metricsReference } from '../../../scripts/metrics-page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = join(ROOT, 'docs/reference/metrics.md');

test('docs/reference/metrics.md is what a crawl serves (UPDATE_DOCS=1 writes it)', () => {
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, metricsReference());
  expect(readFileSync(PAGE, 'utf8')).toBe(metricsReference());
});

test('the page has every metric of the source', () => {
  const source = readFileSync(join(ROOT, 'src/crawl/monitor/metrics.ts'), 'utf8');
  const names = [...source.matchAll(/'(drumlin_\w+)'/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(metricsReference()).toContain(`| \`${name}\` |`);
});
