/**
 * A line of the crawl log: one for each URL that was fetched, failed, or is excluded by robots.txt,
 * in the columns of Heritrix's `crawl.log`.
 *
 *   time  status  bytes  URL  hops  via  type  #agent  begun+duration  digest  source  annotations
 *
 * A status below 0 stands for a fault, with Heritrix's number. A column that is not known is `-`.
 */
import type { Bytes, Millis } from '../../base/units.ts';

interface LoggedUrl {
  readonly url: string;
  /** Hops and the URL before this one, as the discovery has them. */
  readonly trail?: string | undefined;
  /** The HTTP status, or a number below 0. */
  readonly status: number;
  /** The length of the payload. */
  readonly bytes?: Bytes;
  readonly type?: string | undefined;
  readonly begun?: Millis;
  readonly duration?: Millis;
  /** `sha1:…` of the payload. */
  readonly digest?: string | undefined;
  /** Remarks, such as the name of a fault. */
  readonly remarks?: readonly string[];
}

/** Longer paths are counted, not written out: `62+LLL…`, as Heritrix does. */
const MOST_HOPS = 50;

export function crawlLogLine(logged: LoggedUrl, agent: number, now: Millis): string {
  const { url, trail = '', status, bytes, type, begun, duration = 0, digest, remarks } = logged;
  const time = begun === undefined ? '-' : `${compact(begun)}+${Math.round(duration)}`;
  return [
    new Date(now).toISOString(),
    String(status).padStart(5),
    (bytes === undefined ? '-' : String(bytes)).padStart(10),
    url,
    hopsOf(trail) || '-',
    trail.slice(trail.indexOf(' ') + 1) || '-',
    typeOf(type),
    `#${String(agent).padStart(3, '0')}`,
    time,
    digest ?? '-',
    '-',
    remarks?.join(',') || '-',
  ].join(' ');
}

/** The hops of a trail; of very many only the last are kept, behind their number. */
export function hopsOf(trail: string): string {
  const hops = trail.slice(0, Math.max(0, trail.indexOf(' ')));
  const plus = hops.indexOf('+');
  const kept = hops.slice(plus + 1);
  const before = plus < 0 ? 0 : Number(hops.slice(0, plus));
  const cut = Math.max(0, kept.length - MOST_HOPS);
  return before + cut === 0 ? kept : `${before + cut}+${kept.slice(cut)}`;
}

/** Heritrix's numbers for the faults of requests; others are its "unexpected error". */
const FAULTS: Readonly<Record<string, number>> = {
  'dns-not-found': -1,
  'dns-failed': -1,
  'dns-timeout': -1,
  'connect-refused': -2,
  'connect-failed': -2,
  'connect-timeout': -2,
  reset: -3,
  'response-timeout': -4,
  'empty-response': -404,
  'robots-unreachable': -61,
  disallowed: -9998,
};
const UNEXPECTED = -5;

export const faultNumber = (fault: string): number => FAULTS[fault] ?? UNEXPECTED;

/** 17 digits, down to milliseconds. */
const compact = (time: Millis): string => new Date(time).toISOString().replace(/\D/g, '');

/** Without parameters, and without anything that would break the columns. */
function typeOf(contentType: string | undefined): string {
  const name = contentType?.split(';', 1)[0].trim().toLowerCase() ?? '';
  return /^[!-~]+$/.test(name) ? name : 'no-type';
}
