/**
 * Why a URL is not fetched, or not kept: every reason by the name under which it is counted, with
 * its kind and with what is counted.
 */

/** What users ask for: `drumlin archive list --skipped --reason robots`. */
export const SKIP_KINDS = [
  'robots',
  'scope',
  'filter',
  'nofollow',
  'redirects',
  'limit',
  'failed',
  'duplicate',
] as const;
export type SkipKind = (typeof SKIP_KINDS)[number];

/**
 * What one count stands for: a `link` (before it is compared with URLs seen, so a URL counts once
 * for each link to it), a queued `url`, or a fetched `page`.
 */
type SkipUnit = 'link' | 'url' | 'page';

interface SkipReason {
  readonly kind: SkipKind;
  readonly unit: SkipUnit;
}

const link = (kind: SkipKind): SkipReason => ({ kind, unit: 'link' });
const url = (kind: SkipKind): SkipReason => ({ kind, unit: 'url' });
const page = (kind: SkipKind): SkipReason => ({ kind, unit: 'page' });

/** A URL with several reasons is listed with the first of them. */
export const SKIP_REASONS: Readonly<Record<string, SkipReason>> = {
  'content-type': page('filter'),
  'store-filter': page('filter'),
  'on-response': page('filter'),
  'near-duplicate': page('duplicate'),
  'soft-404': page('duplicate'),
  'soft-404-question': page('duplicate'),
  duplicate: page('duplicate'),
  disallowed: url('robots'),
  'too-many-redirects': url('redirects'),
  'host-page-limit': url('limit'),
  'domain-page-limit': url('limit'),
  blocked: url('filter'),
  'fetch-filter': url('filter'),
  'before-request': url('filter'),
  'request-method': url('filter'),
  'request-excluded': url('filter'),
  'request-blocked': url('filter'),
  'request-disallowed': url('robots'),
  trap: url('duplicate'),
  'out-of-scope-later': url('scope'),
  'too-deep-later': url('limit'),
  'url-too-long-later': url('limit'),
  'repeated-segments-later': url('limit'),
  'excluded-later': url('filter'),
  'not-included-later': url('filter'),
  'out-of-scope': link('scope'),
  'sitemap-foreign': link('scope'),
  'requisite-out-of-scope': link('scope'),
  'requisite-excluded': link('filter'),
  excluded: link('filter'),
  'not-included': link('filter'),
  'schedule-filter': link('filter'),
  nofollow: link('nofollow'),
  'follow-filter': page('filter'),
  'on-response-links': page('filter'),
  'near-duplicate-links': link('duplicate'),
  'too-deep': link('limit'),
  'url-too-long': link('limit'),
  'repeated-segments': link('limit'),
  'sitemap-depth': link('limit'),
  'requisite-url-too-long': link('limit'),
  'requisite-depth': link('limit'),
  'parse-filter': page('filter'),
  'too-many-links': link('limit'),
  'too-many-requisites': page('limit'),
  truncated: page('limit'),
  'links-lost': page('failed'),
};

/** Every other reason is the fault of a URL that failed. */
export const kindOf = (reason: string): SkipKind => SKIP_REASONS[reason]?.kind ?? 'failed';

/** What a count of this reason counts. */
const unitOf = (reason: string): SkipUnit => SKIP_REASONS[reason]?.unit ?? 'url';

/** Counts of different things are never added up: skipped URLs, links and pages by themselves. */
export function byUnit(
  disallowed: number,
  refused: Readonly<Record<string, number>>,
): readonly (readonly [SkipUnit, Readonly<Record<string, number>>])[] {
  const tallies: Record<SkipUnit, Record<string, number>> = { url: {}, link: {}, page: {} };
  if (disallowed > 0) tallies.url['robots.txt'] = disallowed;
  for (const [reason, n] of Object.entries(refused)) if (n > 0) tallies[unitOf(reason)][reason] = n;
  return (Object.entries(tallies) as [SkipUnit, Record<string, number>][]).filter(
    ([, tally]) => Object.keys(tally).length > 0,
  );
}

/** Reasons of a page that was kept: some of its links were not read. */
export const LINKS_NOT_READ: ReadonlySet<string> = new Set([
  'parse-filter',
  'too-many-links',
  'too-many-requisites',
  'truncated',
  'links-lost',
]);
