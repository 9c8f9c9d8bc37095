/** What a program imports from 'drumlin'. */

export { DrumlinError } from '../base/errors.ts';
export type { Summary } from '../crawl/record/counters.ts';
export type { CrawlFailure, Link, Page } from '../crawl/store/page.ts';
export type { PageSink } from '../crawl/store/store.ts';
export { crawl, type StreamOptions } from '../crawl/stream.ts';
export type { UserPredicate, UserPredicates } from '../filter/predicates.ts';
export type { Subject } from '../filter/subject.ts';
export { type Graph, openGraph } from '../graph/graph.ts';
export { type Lab, type LabOptions, startLab } from '../lab/server/lab.ts';
export { type Ranking, type RankRequest, rank } from '../rank/index.ts';
