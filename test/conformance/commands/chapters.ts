/** All chapters of commands. */
import { CLUSTERS } from './clusters.ts';
import { CRAWLED } from './crawled.ts';
import { GRAPHS, SPAM } from './graphs.ts';
import type { Chapter } from './step.ts';
import { TEXTS } from './texts.ts';
import { WEBS } from './webs.ts';

export const CHAPTERS: readonly Chapter[] = [CRAWLED, TEXTS, GRAPHS, SPAM, WEBS, CLUSTERS];
