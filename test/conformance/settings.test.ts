/** Every setting of a crawl has an effect in the built program. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SETTING_ROWS } from '../../src/config/settings.ts';
import { runCrawl } from './crawls/row.ts';
import { CRAWL_ROWS } from './crawls/rows.ts';
import { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open(join(import.meta.dirname, '../../bin/drumlin'));
});
afterAll(() => stage.close());

test.concurrent.each(CRAWL_ROWS.map((row) => [row.name, row] as const))('%s', async (_, row) => {
  const crawled = await runCrawl(stage, row);
  const failed = Object.entries(row.shows).flatMap(([flag, shows]) => {
    try {
      shows(crawled);
      return [];
    } catch (error) {
      return [`${flag}: ${(error as Error).message}`];
    }
  });
  expect(failed).toEqual([]);
});

test('every setting has a crawl that shows its effect', () => {
  const shown = new Set(CRAWL_ROWS.flatMap(({ shows }) => Object.keys(shows)));
  const missing = SETTING_ROWS.map(([, { flag }]) => `--${flag}`).filter(
    (flag) => !shown.has(flag),
  );
  expect(missing).toEqual([]);
});
