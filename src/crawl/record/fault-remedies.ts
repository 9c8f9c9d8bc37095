/** What each fault means to a user, and what to do about it. */
import type { RetryCause } from '../../politeness/retries-and-pauses.ts';

type Fault = RetryCause | 'robots-unreachable' | 'too-many-redirects';

/** The meaning and the remedy of each fault, for a crawl that saw no other result. */
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

/** The meaning and the remedy of a fault. */
export const remedyFor = (fault: string): readonly [fact: string, remedy: string] =>
  Object.hasOwn(FAULTS, fault) ? FAULTS[fault as Fault] : [fault, 'Read log.jsonl.'];
