/** What a program imports from 'drumlin'. */
export type { Summary } from './crawl/counters.ts';
export type { CrawlFailure, Link, Page } from './crawl/page.ts';
export type { PageSink } from './crawl/store.ts';
export { crawl, type StreamOptions } from './crawl/stream.ts';
export { DrumlinError } from './errors.ts';
export type { UserPredicate, UserPredicates } from './filter/predicates.ts';
export type { Subject } from './filter/subject.ts';
export { type Graph, openGraph } from './graph/index.ts';
export { type Lab, type LabOptions, startLab } from './lab/index.ts';
export { type Ranking, type RankRequest, rank } from './rank/index.ts';
