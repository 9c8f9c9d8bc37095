/** Sentences for the reasons in the list of skipped URLs (see docs/skipped.md). */
import { kindOf, type SkipKind } from '../../crawl/skipped/skip-reasons.ts';

/** What was recorded when a URL was skipped, as a reason of the URL inspector. */
export function reasonOfSkip(recorded: string): string {
  if (recorded === 'disallowed') return 'robots';
  return kindOf(recorded) === 'failed' ? 'failed' : recorded.replace(/-later$/, '');
}

const SENTENCES: Readonly<Record<string, string>> = {
  'content-type': 'It was fetched and not kept: its content type is not wanted.',
  'store-filter': 'It was fetched and not kept: the store filter rejected it.',
  'on-response': 'It was fetched and not kept: the program’s hook decided so.',
  'near-duplicate': 'It was fetched and not kept: it is nearly the same as a page that was kept.',
  'soft-404': 'It was fetched and not kept: it is the page that its site shows for missing pages.',
  'soft-404-question': 'It was a question of the crawler: a page that cannot exist.',
  duplicate: 'It was fetched and not kept: its content is that of a page that was kept.',
  'too-many-redirects': 'It is the target of one redirect too many in a chain.',
  'host-page-limit': 'Its host had all pages that --max-pages-per-host allows.',
  'domain-page-limit': 'Its domain had all pages that --max-pages-per-domain allows.',
  blocked: 'Its domain was blocked by the operator when its turn came.',
  'fetch-filter': 'The fetch filter of that time rejected it; the one of now does not.',
  'before-request': 'The program’s hook decided not to request it.',
  trap: 'A learned rule says that its URL leads to the same pages as others (a trap).',
  nofollow: 'Only links that ask not to be followed (nofollow) lead to it.',
  'schedule-filter': 'The schedule filter of that time rejected it; the one of now does not.',
  'follow-filter': 'Only pages whose links the follow filter rejects link to it.',
  'on-response-links': 'Only pages whose links the program’s hook did not follow link to it.',
  'near-duplicate-links': 'Only near-duplicates link to it; their links are not followed.',
  'sitemap-foreign': 'Only the sitemap of another site names it.',
  'sitemap-depth': 'Its sitemap is nested too deeply.',
  'requisite-out-of-scope': 'It is a requisite outside of the scope of requisites.',
  'requisite-excluded': 'It is a requisite that a pattern of --exclude matches.',
  'requisite-url-too-long': 'It is a requisite longer than --max-url-length.',
  'requisite-depth': 'It is a requisite of a requisite of a requisite: too deep.',
  'out-of-scope': 'It was outside of the scope when it was discovered.',
  excluded: 'A pattern of --exclude matched it when it was discovered.',
  'not-included': 'No pattern of --include matched it when it was discovered.',
  'too-deep': 'It was deeper than --max-depth when it was discovered.',
  'url-too-long': 'It was longer than --max-url-length when it was discovered.',
  'repeated-segments': 'Its path repeats itself, as in a trap (--max-repeats).',
};

const BY_KIND: Readonly<Record<SkipKind, string>> = {
  robots: 'robots.txt forbade it when its turn came.',
  scope: 'It was outside of the scope.',
  filter: 'A filter rejected it.',
  nofollow: 'Links to it ask not to be followed.',
  redirects: 'It is the target of one redirect too many.',
  limit: 'A limit of the crawl left it out.',
  failed: 'It failed after the last retry.',
  duplicate: 'It repeats another page.',
};

export function skipSentence(recorded: string): string {
  const kind = kindOf(recorded);
  if (kind === 'failed') return `It failed: ${recorded}.`;
  return SENTENCES[recorded.replace(/-later$/, '')] ?? BY_KIND[kind];
}
