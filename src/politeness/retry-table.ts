/**
 * What to do when a fetch fails, as one table: how often to try again, how long to wait before it, and whether the failure is
 * the host's rather than the page's.
 *
 * The waits are at least the time for which a failed look-up is remembered, so that another try is a new question. What will not
 * change by waiting (a name that does not exist, an address we refuse, a certificate, a response that is no HTTP) is not asked twice.
 *
 * A page that fails (500 and its like) is not its host: only that page waits, and the others go on. A host where one page after the other
 * fails is left alone for longer and longer.
 */
import type { Millis } from '../base/units.ts';
import type { Exchange, FetchFault } from '../fetch/exchange.ts';
import type { DnsFault } from '../net/dns.ts';

export interface RetryRule {
  /** Before the next request to the host, whether or not this URL is tried again; if `pageOnly`, before the URL is tried again. */
  readonly wait: Millis;
  /** Tries after the first. */
  readonly retries: number;
  /** Failures in a row of this kind mean the host is not there: its other URLs need not be tried. */
  readonly givesUpHost: boolean;
  /** It says something about the page alone: the host's other URLs need not wait. */
  readonly pageOnly?: true;
}

/** Statuses that say "not now". All others are answers. */
export type StatusFault = 'status-429' | 'status-503' | 'status-5xx';

export type RetryCause = FetchFault | DnsFault | StatusFault;

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
};

export function retryRule(cause: RetryCause): RetryRule {
  return RETRY_TABLE[cause];
}

/** The row of a status, or undefined when the response is final. */
export function statusFault(status: number): StatusFault | undefined {
  if (status === 429 || status === 503) return `status-${status}`;
  return status >= 500 && status < 600 ? 'status-5xx' : undefined;
}

/** `Retry-After` in milliseconds from now: seconds or a date (RFC 9110, section 10.2.3); undefined when it makes no sense. */
export function retryAfter(value: string | undefined, now: Millis): Millis | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND;
  const date = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** However long a server asks to be left alone, it is asked again after this. */
const LONGEST_PAUSE: Millis = 3600 * SECOND;

/** So many pages of a host may fail one after the other before it is the host's trouble; then the pause doubles with each. */
const PAGES_OWN = 2;
const FIRST_PAUSE: Millis = SECOND;

/**
 * How long a host that answered "not now" is left alone: as it asks, or as the table says, whichever is longer. 0 for others.
 * `inRow`: pages of the host that have failed one after the other, with this one.
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

/** How long the host is left alone by the table. */
export function hostWait({ wait, pageOnly }: RetryRule, inRow: number): Millis {
  if (!pageOnly) return wait;
  return inRow <= PAGES_OWN ? 0 : Math.min(wait, FIRST_PAUSE * 2 ** (inRow - PAGES_OWN - 1));
}
