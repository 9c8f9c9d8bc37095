/**
 * The verdict on a page of an old collection: is it alive, and how?
 *
 * | verdict   | when                                                                    | alive |
 * |-----------|-------------------------------------------------------------------------|-------|
 * | unchanged | a 304 that we asked for; 200 with the same payload                      | yes   |
 * | changed   | 200 with another payload                                                | yes   |
 * | moved     | redirects end at a living page of its own: not a front page unless it   | yes   |
 * |           | was one, target of fewer than three others                              |       |
 * | gone      | 404, 410; a redirect home, or to nowhere                                | no    |
 * | soft-404  | the host's "not found" text, learned with a made-up URL                 | no    |
 * | no-host   | no name, no connection after retries                                    | no    |
 * | refused   | other 4xx                                                               | no    |
 * | unknown   | 5xx, 429, robots.txt, a broken response; a 304 that nobody asked for     | -     |
 *
 * A redirect that ends at a dead page has the verdict of that page.
 */
import type { Outcome } from '../crawl/planned/ask.ts';
import { VERDICT, type Verdict } from './orders/order.ts';

export const VERDICTS = [
  'unchanged',
  'changed',
  'moved',
  'gone',
  'soft-404',
  'no-host',
  'refused',
  'unknown',
] as const;
export type VerdictName = (typeof VERDICTS)[number];

/** How a page is asked for. */
export type TestName = 'conditional' | 'get' | 'head';

/** A verdict with its reasons. */
export interface Judged {
  readonly verdict: VerdictName;
  /** The last status; undefined if there was no response. */
  readonly status: number | undefined;
  readonly fault: string | undefined;
  /** When the last response came. */
  readonly time: number;
  /** Where the redirects end. */
  readonly address: string | undefined;
}

/** What is known of a page after its test. */
export interface Evidence {
  /** The outcome of its own URL. */
  readonly first: Pick<Outcome, 'status' | 'fault' | 'page' | 'target'>;
  /** If it redirects: the outcome at the end; undefined if they never end. */
  readonly end?: Pick<Outcome, 'status' | 'fault' | 'page'> | undefined;
  /** The last page has the text that its host shows for pages that do not exist. */
  readonly isSoft: boolean;
  /** The page was a front page. */
  readonly wasFront: boolean;
  /** The redirects end at a front page. */
  readonly endIsFront: boolean;
  /** How many other pages of the collection have redirects that end there. */
  readonly others: number;
}

/** With as many others, a target is where a site sends visitors of all its lost pages. */
export const MANY_OTHERS = 3;

export function verdictOf(evidence: Evidence): VerdictName {
  const { first, end, isSoft, wasFront, endIsFront, others } = evidence;
  if (first.target === undefined) return verdictOfOne(first, isSoft);
  if (end === undefined) return 'gone';
  const verdict = verdictOfOne(end, isSoft);
  if (livenessOf(verdict) !== VERDICT.alive) return verdict;
  if ((endIsFront && !wasFront) || others >= MANY_OTHERS) return 'gone';
  return 'moved';
}

/**
 * Faults that mean that no host is there. All others mean that it is there, and does not answer.
 */
const NO_HOST = /^(?:dns-|connect-|tls-failed$)/;

function verdictOfOne(
  { status, fault, page }: Pick<Outcome, 'status' | 'fault' | 'page'>,
  isSoft: boolean,
): VerdictName {
  if (fault !== undefined) return NO_HOST.test(fault) ? 'no-host' : 'unknown';
  if (page === 'confirmed' || page === 'same') return 'unchanged';
  if (status === undefined) return 'unknown';
  if (status >= 200 && status < 300) return isSoft ? 'soft-404' : 'changed';
  if (status === 404 || status === 410) return 'gone';
  if (status === 429) return 'unknown';
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
}

export function livenessOf(verdict: VerdictName): Verdict {
  if (verdict === 'unknown') return VERDICT.unknown;
  const isAlive = verdict === 'unchanged' || verdict === 'changed' || verdict === 'moved';
  return isAlive ? VERDICT.alive : VERDICT.dead;
}
