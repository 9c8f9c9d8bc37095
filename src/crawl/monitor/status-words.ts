/** The state of a crawl in words: what `drumlin status` and the console print on top. */
import type { Millis } from '../../base/units.ts';
import type { EndReason } from '../record/counters.ts';
import { calmTime } from './calm-time.ts';
import type { CrawlStatus } from './status.ts';

export const ENDINGS: Record<EndReason, string> = {
  finished: 'finished: nothing is left to fetch',
  'max-pages': 'page limit reached (--max-pages)',
  'max-bytes': 'byte limit reached (--max-bytes)',
  'max-time': 'time limit reached (--max-time)',
  interrupted: 'stopped by the user',
};

export function stateText(status: CrawlStatus, now: Millis): string {
  const { state, pid, end, startedAt, heardAt } = status;
  const since = startedAt === undefined ? '' : ` for ${calmTime(now - startedAt)}`;
  const when = heardAt === undefined ? '' : `, ${calmTime(now - heardAt)} ago`;
  switch (state) {
    case 'running':
      return status.paused
        ? `paused by the operator (process ${pid})`
        : `running${since} (process ${pid})`;
    case 'stopping':
      return `stopping, after running${since} (process ${pid})`;
    case 'silent':
      return `not responding: process ${pid} has written no status for ${calmTime(now - (heardAt ?? now))}`;
    case 'killed':
      return `not running: it was killed${when}`;
    case 'failed':
      return `not running: it failed${when}`;
    case 'new':
      return 'not running: it has no checkpoint yet';
    case 'ended':
      return `not running: ${end ? ENDINGS[end] : 'it ended'}${when}`;
  }
}

/** How the crawl is, what is wrong, and what to do. */
export function statusSentence(status: CrawlStatus, now: Millis): string {
  const { trouble, error, next } = status;
  const wrong = trouble ? ` ${trouble.fact} ${trouble.remedy}` : '';
  const failed = error === undefined ? '' : ` ${error}`;
  const state = stateText(status, now);
  return `${state.charAt(0).toUpperCase()}${state.slice(1)}.${wrong}${failed} Next, ${next.why}: ${next.command}`;
}
