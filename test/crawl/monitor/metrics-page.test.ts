/** docs/reference/metrics.md has every metric that a crawl serves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { metricsText } from '../../../scripts/pages/metrics.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('the page has every metric of the source', () => {
  const source = readFileSync(join(ROOT, 'src/crawl/monitor/metrics.ts'), 'utf8');
  const names = [...source.matchAll(/'(drumlin_\w+)'/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(metricsText()).toContain(`| \`${name}\` |`);
});
