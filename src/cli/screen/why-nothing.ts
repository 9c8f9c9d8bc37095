/** A crawl without a single page: what stood in its way most often, and what to do about it. */
import type { Summary } from '../../crawl/record/counters.ts';
import type { RetryCause } from '../../politeness/retry-table.ts';

type Fault = RetryCause | 'robots-unreachable' | 'too-many-redirects';

/** What each fault means to who meets nothing else. */
export const FAULTS: Readonly<Record<Fault, readonly [fact: string, remedy: string]>> = {
  'dns-not-found': ['there is no host of that name', 'Check how the seeds are spelt.'],
  'dns-failed': [
    'names cannot be looked up',
    'Run "drumlin doctor", or name other servers with --dns.',
  ],
  'dns-timeout': [
    'name servers do not answer',
    'Run "drumlin doctor", or name other servers with --dns.',
  ],
  'proxy-failed': ['the proxy does not do as it is asked', 'Check --proxy, and that it runs.'],
  'address-refused': [
    'the address is private, and those are not fetched from unless allowed',
    'Add --allow-private for a local site.',
  ],
  'connect-refused': ['nobody listens there', 'Check that the site is up, and the port.'],
  'connect-timeout': [
    'there is no way there',
    'Check the network and firewalls, or name a --proxy.',
  ],
  'connect-failed': [
    'there is no way there',
    'Check the network and firewalls, or name a --proxy.',
  ],
  'tls-failed': [
    'the certificate cannot be verified',
    'Name its authority with --ca, or take any certificate with --insecure.',
  ],
  'response-timeout': ['the server does not answer in time', 'Try later.'],
  reset: ['the server hangs up', 'It may not want crawlers: try a browser, and see log.jsonl.'],
  'empty-response': ['the server hangs up without a word', 'Check http or https, and the port.'],
  'bad-response': ['what answers is no web server', 'Check http or https, and the port.'],
  'head-too-large': ['the answer is all headers', 'Look at it with curl -sI.'],
  'status-429': ['the server wants fewer requests', 'Wait, and crawl with a longer --delay.'],
  'status-503': [
    'the server is overloaded, or keeps crawlers out',
    'Wait, and crawl with a longer --delay.',
  ],
  'status-5xx': ['the server fails', 'Try later.'],
  'robots-unreachable': [
    'robots.txt cannot be had, and without it nothing may be fetched',
    'See "why" in log.jsonl, and try again in an hour.',
  ],
  'too-many-redirects': [
    'redirects go on and on',
    'See where to with curl -sIL, or raise --max-redirects.',
  ],
};

/** One line; undefined for a crawl that has fetched something, or was asked nothing. */
export function whyNothing(summary: Summary): string | undefined {
  const { pages, disallowed, errors, retries, refused, end, urlsQueued } = summary;
  if (pages > 0) return undefined;
  const say = (fact: string, remedy: string) => `Not a page was fetched: ${fact}. ${remedy}`;
  const fault = mostFrequent({ ...retries, ...errors });
  if (fault !== undefined) {
    return Object.hasOwn(FAULTS, fault)
      ? say(...FAULTS[fault as Fault])
      : say(fault, 'See log.jsonl.');
  }
  if (disallowed > 0) {
    return say('robots.txt forbids it', 'Ask which line does: drumlin robots SEED SEED.');
  }
  if (end === 'finished' && urlsQueued > 0) {
    return say(
      'no domain whose URLs wait has budget',
      'Give others some with --budget, or go --order bfs.',
    );
  }
  const reason = mostFrequent(refused);
  return (
    reason &&
    say(
      `all URLs were refused (${reason})`,
      'Check --scope, --include, --exclude, the filters and blocked domains.',
    )
  );
}

function mostFrequent(counts: Readonly<Record<string, number>>): string | undefined {
  return Object.entries(counts).sort((a, b) => b[1] - a[1])[0]?.[0];
}
