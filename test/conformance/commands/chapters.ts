/** All chapters of commands. */
import { AGAIN } from './again.ts';
import { CLUSTERS } from './clusters.ts';
import { CRAWLED } from './crawled.ts';
import { GRAPHS, SPAM } from './graphs.ts';
import { LABS } from './labs.ts';
import type { Chapter } from './step.ts';
import { TEXTS } from './texts.ts';
import { WEBS } from './webs.ts';

export const CHAPTERS: readonly Chapter[] = [
  ...[CRAWLED, TEXTS, AGAIN, GRAPHS, SPAM],
  ...[WEBS, LABS, CLUSTERS],
];
