/** Why a crawl fetched no page: the most frequent reason, and what to do about it. */
import type { Summary } from '../../crawl/record/counters.ts';
import { remedyFor } from '../../crawl/record/fault-remedies.ts';

/**
 * One line; undefined for a crawl that fetched a page or had no URL to fetch. `early` is the first
 * failure at a seed's host, if there was one.
 */
export function whyNothing(summary: Summary, early?: string): string | undefined {
  const { pages, disallowed, errors, retries, refused, end, urlsQueued } = summary;
  if (pages > 0) return whyErrorsOnly(summary);
  const say = (fact: string, remedy: string) => `No page was fetched: ${fact}. ${remedy}`;
  const fault = mostFrequent({ ...retries, ...errors });
  if (fault === 'robots-unreachable' && early !== undefined) {
    const [fact, remedy] = remedyFor(early);
    return say(`robots.txt cannot be fetched, because ${fact}`, remedy);
  }
  if (fault !== undefined) return say(...remedyFor(fault));
  if (disallowed > 0) {
    return say('robots.txt forbids it', 'See which line decides: drumlin robots SEED SEED.');
  }
  if (end === 'finished' && urlsQueued > 0) {
    return say(
      'all queued URLs belong to domains with budget 0',
      'Change --budget, or start a crawl with --order bfs.',
    );
  }
  const reason = mostFrequent(refused);
  return (
    reason &&
    say(
      `all URLs were skipped (${reason})`,
      'Check --scope, --include, --exclude, the filters and blocked domains.',
    )
  );
}

/** For a crawl whose pages are all errors: what the servers said. */
function whyErrorsOnly({ statuses, errors }: Summary): string | undefined {
  const answers = Object.entries(statuses).filter(([, n]) => n > 0);
  const bad = answers.filter(([status]) => Number(status) >= 400);
  const moved = answers.filter(([status]) => /^3(?!04)/.test(status));
  if (bad.length === 0 || bad.length + moved.length < answers.length) return undefined;
  if (Object.keys(errors).some((fault) => !fault.startsWith('status-'))) return undefined;
  const status = mostFrequent(Object.fromEntries(bad)) ?? '';
  const all = bad.length === 1 ? `status ${status}` : `an error, most with status ${status}`;
  return `No page was fetched: all answers are ${all}. ${STATUSES[status] ?? 'Look at it with curl -sI.'}`;
}

const STATUSES: Readonly<Record<string, string>> = {
  401: 'The site asks for a password: give it with --auth, or cookies of a session with --cookies.',
  403: 'The site refuses: it may need --cookies of a session, or block crawlers.',
  404: 'Check the path of the seeds.',
  429: 'Wait, then use a longer --delay.',
  503: 'The server is overloaded or blocks crawlers. Wait, then use a longer --delay.',
};

function mostFrequent(counts: Readonly<Record<string, number>>): string | undefined {
  return Object.entries(counts).sort((a, b) => b[1] - a[1])[0]?.[0];
}
