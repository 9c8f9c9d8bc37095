/**
 * What follows a failed fetch, as one table: how many retries, how long to wait before each, and
 * what the failure says about the host.
 *
 * A URL that fails waits, and the host's other URLs are fetched first. One failure says little
 * about a host. A host where request after request fails is paused, longer each time. `Retry-After`
 * is about the host: it is paused for as long as it asks.
 *
 * A retry of a look-up asks the name server again, whatever is cached. Failures that waiting does
 * not cure are final at once: a name that does not exist, an address that is not allowed, a bad
 * certificate, a response that is not HTTP.
 *
 * The table is that of the default settings. `--retries` adds to all numbers of retries that are
 * not 0, or takes from them; `--retry-wait` makes all waits longer or shorter in proportion.
 */
import type { Millis } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import type { Exchange, FetchFault } from '../fetch/exchange.ts';
import type { DnsFault } from '../net/dns.ts';

interface RetryRule {
  /** Before the URL is retried. It is also the longest pause of a host that fails repeatedly. */
  readonly wait: Millis;
  /** Attempts after the first. */
  readonly retries: number;
  /** Many such failures in a row mean that the host is not there: its queued URLs fail too. */
  readonly givesUpHost: boolean;
  /** No page was requested, so the failure says more about the host: its pauses are longer. */
  readonly unreached?: true;
}

/** Statuses that mean "not now". All others are final. */
type StatusFault = 'status-429' | 'status-503' | 'status-5xx';

/** An error of our own, in the handling of a host or a page. */
type OwnFault = 'internal-error';

export type RetryCause = FetchFault | DnsFault | StatusFault | OwnFault;

const SECOND: Millis = 1000;
const MINUTE: Millis = 60 * SECOND;

/** Until another look at a fence that was closed, whatever the settings say of retries. */
export const FENCE_PAUSE: Millis = 1000;

export const RETRY_TABLE: Readonly<Record<RetryCause, RetryRule>> = {
  'dns-not-found': { wait: 0, retries: 0, givesUpHost: true },
  'dns-failed': { wait: 1 * MINUTE, retries: 3, givesUpHost: true, unreached: true },
  'dns-timeout': { wait: 1 * MINUTE, retries: 3, givesUpHost: true, unreached: true },

  fenced: { wait: FENCE_PAUSE, retries: Infinity, givesUpHost: false },
  'proxy-failed': { wait: 1 * MINUTE, retries: 10, givesUpHost: false, unreached: true },
  'address-refused': { wait: 0, retries: 0, givesUpHost: true },
  'connect-refused': { wait: 1 * MINUTE, retries: 2, givesUpHost: true, unreached: true },
  'connect-timeout': { wait: 2 * MINUTE, retries: 2, givesUpHost: true, unreached: true },
  'connect-failed': { wait: 2 * MINUTE, retries: 2, givesUpHost: true, unreached: true },
  'tls-failed': { wait: 0, retries: 0, givesUpHost: true },

  'response-timeout': { wait: 1 * MINUTE, retries: 2, givesUpHost: true },
  reset: { wait: 10 * SECOND, retries: 2, givesUpHost: true },
  'empty-response': { wait: 10 * SECOND, retries: 1, givesUpHost: true },
  'bad-response': { wait: 0, retries: 0, givesUpHost: false },
  'head-too-large': { wait: 0, retries: 0, givesUpHost: false },

  'status-429': { wait: 5 * MINUTE, retries: 3, givesUpHost: false },
  'status-503': { wait: 2 * MINUTE, retries: 3, givesUpHost: false },
  'status-5xx': { wait: 30 * SECOND, retries: 1, givesUpHost: false },

  'internal-error': { wait: 1 * MINUTE, retries: 1, givesUpHost: true },
};

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

/** The settings for which the table is written. */
const OF_TABLE = { retries: 3, retryWait: 1 * MINUTE } as const;

/** Failures in a row that do not pause the host, and the first pause; it doubles with each more. */
const OWN_FAILURES = { answered: 2, unreached: 1 } as const;
const FIRST_PAUSE = { answered: 1 * SECOND, unreached: 5 * SECOND } as const;

/** The table as the settings change it, and the pauses that follow from it. */
export class RetryPolicy {
  readonly #retries: number;
  readonly #factor: number;
  readonly #longestAsked: Millis;

  constructor({
    retries,
    retryWait,
    maxRetryAfter,
  }: Pick<CrawlConfig, 'retries' | 'retryWait' | 'maxRetryAfter'>) {
    this.#retries = retries - OF_TABLE.retries;
    this.#factor = retryWait / OF_TABLE.retryWait;
    this.#longestAsked = maxRetryAfter;
  }

  /** No host is paused for longer because of its answers. */
  get longestPause(): Millis {
    const waits = Object.values(RETRY_TABLE).map(({ wait }) => wait * this.#factor);
    return Math.max(this.#longestAsked, ...waits);
  }

  rule(cause: RetryCause): RetryRule {
    const rule = RETRY_TABLE[cause];
    if (rule.retries === 0) return rule;
    const retries = Math.max(0, rule.retries + this.#retries);
    return { ...rule, retries, wait: Math.round(rule.wait * this.#factor) };
  }

  /**
   * For how long a host that answered "not now" asks to be left in peace, up to the limit of the
   * settings; undefined when it does not ask.
   */
  asked(
    { status, headers }: Pick<Exchange, 'status' | 'headers'>,
    now: Millis,
  ): Millis | undefined {
    if (statusFault(status) === undefined) return undefined;
    const asked = retryAfter(headers.get('retry-after'), now) ?? 0;
    return asked > 0 ? Math.min(asked, this.#longestAsked) : undefined;
  }

  /**
   * How long a host is paused after a failure, if it does not ask for a time itself. `inRow` counts
   * its failures one after the other, this one included.
   */
  pauseAfter(cause: RetryCause, inRow: number): Millis {
    const { wait, unreached } = this.rule(cause);
    const kind = unreached ? 'unreached' : 'answered';
    const more = inRow - OWN_FAILURES[kind];
    return more <= 0 ? 0 : backOff(more, FIRST_PAUSE[kind], wait);
  }

  /** How long a host is paused after an error of our own: from the first on. */
  pauseAfterOwn(inRow: number): Millis {
    return backOff(inRow, FIRST_PAUSE.answered, this.rule('internal-error').wait);
  }
}

/** A pause that doubles with each failure in a row. */
const backOff = (inRow: number, first: Millis, longest: Millis): Millis =>
  Math.min(longest, first * 2 ** (inRow - 1));
