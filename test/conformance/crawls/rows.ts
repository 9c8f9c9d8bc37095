/** All crawls of the table. */
import { CHOICE_ROWS } from './choice.ts';
import { FETCHING_ROWS } from './fetching.ts';
import { MEMORY_ROWS } from './memory.ts';
import { RANKING_ROWS } from './ranking.ts';
import { RENDERING_ROWS } from './rendering.ts';
import type { CrawlRow } from './row.ts';
import { STORING_ROWS } from './storing.ts';

/** The longest first. */
export const CRAWL_ROWS: readonly CrawlRow[] = [
  ...RENDERING_ROWS,
  ...MEMORY_ROWS,
  ...FETCHING_ROWS,
  ...STORING_ROWS,
  ...CHOICE_ROWS,
  ...RANKING_ROWS,
];
