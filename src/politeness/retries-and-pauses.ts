/**
 * What follows a failed fetch, as one table: how many retries, how long to wait before each, and
 * whether the failure is the host's or the page's.
 *
 * Waits are at least as long as a failed look-up is cached, so that a retry asks the name server
 * again. Failures that waiting does not cure are final at once: a name that does not exist, an
 * address that is not allowed, a bad certificate, a response that is not HTTP.
 *
 * A page that fails (status 500 and the like) says little about its host. Only that page waits, and
 * the host's other URLs are fetched. A host where page after page fails is paused longer each time.
 */
import type { Millis } from '../base/units.ts';
import type { Exchange, FetchFault } from '../fetch/exchange.ts';
import type { DnsFault } from '../net/dns.ts';

interface RetryRule {
  /**
   * The pause before the next request to the host, whether or not this URL is retried; if
   * `pageOnly`, the wait before the URL is retried.
   */
  readonly wait: Millis;
  /** Attempts after the first. */
  readonly retries: number;
  /** Several such failures in a row mean that the host is not there: its queued URLs fail too. */
  readonly givesUpHost: boolean;
  /** The failure is the page's alone: the host's other URLs need not wait. */
  readonly pageOnly?: true;
}

/** Statuses that mean "not now". All others are final. */
type StatusFault = 'status-429' | 'status-503' | 'status-5xx';

/** An error of our own, in the handling of a host or a page. */
type OwnFault = 'internal-error';

export type RetryCause = FetchFault | DnsFault | StatusFault | OwnFault;

const SECOND: Millis = 1000;
const MINUTE: Millis = 60 * SECOND;

export const RETRY_TABLE: Readonly<Record<RetryCause, RetryRule>> = {
  'dns-not-found': { wait: 0, retries: 0, givesUpHost: true },
  'dns-failed': { wait: 1 * MINUTE, retries: 3, givesUpHost: true },
  'dns-timeout': { wait: 1 * MINUTE, retries: 3, givesUpHost: true },

  'proxy-failed': { wait: 1 * MINUTE, retries: 10, givesUpHost: false },
  'address-refused': { wait: 0, retries: 0, givesUpHost: true },
  'connect-refused': { wait: 1 * MINUTE, retries: 2, givesUpHost: true },
  'connect-timeout': { wait: 2 * MINUTE, retries: 2, givesUpHost: true },
  'connect-failed': { wait: 2 * MINUTE, retries: 2, givesUpHost: true },
  'tls-failed': { wait: 0, retries: 0, givesUpHost: true },

  'response-timeout': { wait: 1 * MINUTE, retries: 2, givesUpHost: true },
  reset: { wait: 10 * SECOND, retries: 2, givesUpHost: true },
  'empty-response': { wait: 10 * SECOND, retries: 1, givesUpHost: true },
  'bad-response': { wait: 0, retries: 0, givesUpHost: false },
  'head-too-large': { wait: 0, retries: 0, givesUpHost: false },

  'status-429': { wait: 5 * MINUTE, retries: 3, givesUpHost: false },
  'status-503': { wait: 2 * MINUTE, retries: 3, givesUpHost: false },
  'status-5xx': { wait: 30 * SECOND, retries: 1, givesUpHost: false, pageOnly: true },

  'internal-error': { wait: 1 * MINUTE, retries: 1, givesUpHost: true, pageOnly: true },
};

export function retryRule(cause: RetryCause): RetryRule {
  return RETRY_TABLE[cause];
}

/** The row of a status, or undefined when the response is final. */
export function statusFault(status: number): StatusFault | undefined {
  if (status === 429 || status === 503) return `status-${status}`;
  return status >= 500 && status < 600 ? 'status-5xx' : undefined;
}

/**
 * `Retry-After` as a time from now. The header holds seconds or a date (RFC 9110, section 10.2.3);
 * undefined when it holds neither.
 */
export function retryAfter(value: string | undefined, now: Millis): Millis | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND;
  const date = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The longest pause that a server can ask for. */
const LONGEST_PAUSE: Millis = 3600 * SECOND;

/** Failed pages in a row that do not pause the host; from then on the pause doubles with each. */
const PAGES_OWN = 2;
const FIRST_PAUSE: Millis = SECOND;

/**
 * How long a host that answered "not now" is paused: as it asks, or as the table says, whichever is
 * longer. 0 for final statuses. `inRow` counts the pages of the host that failed one after the
 * other, this one included.
 */
export function pauseAfter(
  { status, headers }: Pick<Exchange, 'status' | 'headers'>,
  now: Millis,
  inRow = 1,
): Millis {
  const fault = statusFault(status);
  if (fault === undefined) return 0;
  const asked = retryAfter(headers.get('retry-after'), now) ?? 0;
  return Math.min(Math.max(asked, hostWait(retryRule(fault), inRow)), LONGEST_PAUSE);
}

/** How long the table pauses the host. */
function hostWait({ wait, pageOnly }: RetryRule, inRow: number): Millis {
  if (!pageOnly) return wait;
  return inRow <= PAGES_OWN ? 0 : backOff(inRow - PAGES_OWN, wait);
}

/** A pause that doubles with each failure in a row, from a second up to `longest`. */
export function backOff(inRow: number, longest: Millis): Millis {
  return Math.min(longest, FIRST_PAUSE * 2 ** (inRow - 1));
}
