/** Why a crawl fetched no page: the most frequent reason, and what to do about it. */
import type { Summary } from '../../crawl/record/counters.ts';
import type { RetryCause } from '../../politeness/retries-and-pauses.ts';

type Fault = RetryCause | 'robots-unreachable' | 'too-many-redirects';

/** The meaning and remedy of each fault, for a crawl that saw no other result. */
export const FAULTS: Readonly<Record<Fault, readonly [fact: string, remedy: string]>> = {
  'dns-not-found': ['the host name does not exist', 'Check the spelling of the seeds.'],
  'dns-failed': [
    'the DNS look-ups fail',
    'Run "drumlin doctor", or name other name servers with --dns.',
  ],
  'dns-timeout': [
    'the name servers do not answer',
    'Run "drumlin doctor", or name other name servers with --dns.',
  ],
  fenced: [
    'this worker could not renew its leases',
    'Check its connection to the brokers of the cluster.',
  ],
  'proxy-failed': ['the proxy fails', 'Check --proxy, and that the proxy is running.'],
  'address-refused': [
    'the address is private, and private addresses are skipped by default',
    'Add --allow-private for a local site.',
  ],
  'connect-refused': [
    'the server refuses connections',
    'Check the port, and that the site is running.',
  ],
  'connect-timeout': [
    'the server cannot be reached',
    'Check the network and firewalls, or use --proxy.',
  ],
  'connect-failed': [
    'the server cannot be reached',
    'Check the network and firewalls, or use --proxy.',
  ],
  'tls-failed': [
    'the certificate cannot be verified',
    'Name its authority with --ca, or accept any certificate with --insecure.',
  ],
  'response-timeout': ['the server does not answer in time', 'Try later.'],
  reset: [
    'the server closes the connection',
    'It may block crawlers: try a browser, and read log.jsonl.',
  ],
  'empty-response': [
    'the server closes the connection without an answer',
    'Check http or https, and the port.',
  ],
  'bad-response': ['the answer is not HTTP', 'Check http or https, and the port.'],
  'head-too-large': ['the headers of the answer are too large', 'Look at them with curl -sI.'],
  'status-429': ['the server asks for fewer requests', 'Wait, then use a longer --delay.'],
  'status-503': ['the server is overloaded or blocks crawlers', 'Wait, then use a longer --delay.'],
  'status-5xx': ['the server reports an internal error', 'Try later.'],
  'internal-error': [
    'these pages show a bug of Drumlin',
    'Report the "internal-error" events of log.jsonl.',
  ],
  'robots-unreachable': [
    'robots.txt cannot be fetched, and without it nothing may be fetched',
    'Read "why" in log.jsonl, and try again in an hour.',
  ],
  'too-many-redirects': [
    'there are too many redirects',
    'Follow them with curl -sIL, or raise --max-redirects.',
  ],
};

/** One line; undefined for a crawl that fetched a page or had no URL to fetch. */
export function whyNothing(summary: Summary): string | undefined {
  const { pages, disallowed, errors, retries, refused, end, urlsQueued } = summary;
  if (pages > 0) return undefined;
  const say = (fact: string, remedy: string) => `No page was fetched: ${fact}. ${remedy}`;
  const fault = mostFrequent({ ...retries, ...errors });
  if (fault !== undefined) {
    return Object.hasOwn(FAULTS, fault)
      ? say(...FAULTS[fault as Fault])
      : say(fault, 'Read log.jsonl.');
  }
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

function mostFrequent(counts: Readonly<Record<string, number>>): string | undefined {
  return Object.entries(counts).sort((a, b) => b[1] - a[1])[0]?.[0];
}
