/**
 * Is a URL that has waited still wanted? Asked when its turn has come, since much may have been decided since it was scheduled: the
 * operator has set a filter or blocked a domain, or the crawl was stopped and goes on with another scope.
 *
 * Cost      nothing for a crawl of which nothing was decided on the way; otherwise what a link costs on its way in, once for each fetch.
 */
import type { StageFilters } from '../../filter/filter-set.ts';
import type { DomainStanding } from '../../filter/subject.ts';
import type { HostTurn } from '../../frontier/frontier.ts';
import type { Discovery } from '../../frontier/queue/discovery.ts';
import type { Scope } from './scope.ts';
import { VisitSubject } from './visit-subject.ts';

export interface SecondLook {
  readonly filters: Pick<StageFilters, 'fetch'>;
  readonly reputation: DomainStanding | undefined;
  /** Domains from which the operator wants nothing. */
  readonly blocked: ReadonlySet<string>;
  /** Of a crawl that goes on with another scope than URLs were scheduled by; undefined where all were scheduled by this one. */
  readonly newScope: Scope | undefined;
}

/** Why a URL is not fetched after all, as it is counted; undefined when it is. */
export function secondThoughts(
  turn: HostTurn,
  discovery: Discovery,
  { filters, reputation, blocked, newScope }: SecondLook,
): string | undefined {
  if (blocked.size > 0 && blocked.has(turn.host.domain.name)) return 'blocked';
  const outside = newScope && outsideOf(newScope, discovery);
  // Told apart from what never met the sieve, or the account of URLs that did would not come out even.
  if (outside) return `${outside}-later`;
  const { fetch } = filters;
  return fetch && !fetch(new VisitSubject(turn, discovery, reputation))
    ? 'fetch-filter'
    : undefined;
}

const MAY_BE_SITEMAP = /\.xml(?:\.gz)?$/i;

function outsideOf(scope: Scope, { url, depth, redirects }: Discovery): string | undefined {
  const reason = scope.refusal(url, depth) ?? scope.trap(url);
  // Sitemaps and what seeds redirect to need not lie in the scope. What is excluded is excluded.
  const isExempt = (depth === 0 && redirects > 0) || MAY_BE_SITEMAP.test(url);
  return isExempt && reason !== 'excluded' ? undefined : reason;
}
