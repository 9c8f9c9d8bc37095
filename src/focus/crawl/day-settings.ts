/** The settings of a day's crawl, from those of the user and its policy. */
import type { CrawlConfig } from '../../config/settings.ts';
import { writeArgument } from '../../filter/argument.ts';
import type { Policy } from './plan-day.ts';

/** Pages, documents, and documents in archives. */
const TYPES = [
  ...['text/html', 'application/xhtml+xml'],
  ...['application/pdf', 'application/x-pdf', 'application/postscript', 'application/ps'],
  ...['application/gzip', 'application/x-gzip', 'application/zip', 'application/x-zip-compressed'],
  ...['application/x-compress', 'application/octet-stream'],
];
/** Parents link straight to documents, so little is gained further away. */
const DEPTH = 2;

interface DayParts {
  readonly policy: Policy;
  /** The list of documents that are not requested; undefined for none. */
  readonly known: string | undefined;
  /** Crawls that hold documents which may be requested again. */
  readonly earlier: readonly string[];
  /** Crawls that hold such documents and are no longer there. */
  readonly gone: readonly string[];
}

/** Settings of a day that were stored and are given again stay as they are. */
export function daySettings(
  config: CrawlConfig,
  { policy, known, earlier, gone }: DayParts,
): CrawlConfig {
  const stays = policy === 'whitelist' || policy === 'adaptive';
  const compared = config.dedupAgainst.filter((each) => !gone.includes(each));
  return {
    ...config,
    dedupAgainst: compared,
    scope: stays ? 'parent' : config.scope,
    maxDepth: Math.min(config.maxDepth, DEPTH),
    types: config.types.length > 0 ? config.types : TYPES,
    longBodies: 'skip',
    ...(known !== undefined && {
      scheduleFilter: without(known, config.scheduleFilter),
      fetchFilter: without(known, config.fetchFilter),
    }),
    ...(earlier.length > 0 && {
      conditional: true,
      dedupAgainst: [...new Set([...compared, ...earlier])],
    }),
  };
}

function without(list: string, filter: string): string {
  const argument = writeArgument('file', list);
  if (filter.includes(argument)) return filter;
  const unlisted = `not InList(${argument})`;
  return filter.trim() === '' ? unlisted : `${unlisted} and (\n${filter}\n)`;
}
