/**
 * Is a queued URL still wanted? Asked when its turn has come, since much may have changed since it
 * was scheduled: the user has set a filter or blocked a domain, or resumed with another scope.
 *
 * Cost      nothing where nothing has changed; otherwise, for each fetch, what admission costs a
 *           link.
 */
import type { StageFilters } from '../../filter/filter-set.ts';
import type { HostTurn } from '../../frontier/frontier.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import type { Scope } from './scope.ts';
import { type DomainFacts, VisitSubject } from './visit-subject.ts';

interface SecondLook extends DomainFacts {
  readonly filters: Pick<StageFilters, 'fetch'>;
  /** Domains that the user has blocked. */
  readonly blocked: ReadonlySet<string>;
  /**
   * The scope, if URLs may have been queued by another; undefined if all were queued by this one.
   */
  readonly newScope: Scope | undefined;
}

/** Why a queued URL is skipped, as it is counted; undefined when it is fetched. */
export function reasonToSkip(
  turn: HostTurn,
  discovery: Discovery,
  { filters, blocked, newScope, ...domains }: SecondLook,
): string | undefined {
  if (blocked.size > 0 && blocked.has(turn.host.domain.name)) return 'blocked';
  const outside = newScope && reasonOutside(newScope, discovery);
  // Counted apart from links that never reached the sieve: the counts of those that did must add
  // up.
  if (outside) return `${outside}-later`;
  const { fetch } = filters;
  return fetch && !fetch(new VisitSubject(turn, discovery, domains)) ? 'fetch-filter' : undefined;
}

const MAY_BE_SITEMAP = /\.xml(?:\.gz)?$/i;

function reasonOutside(
  scope: Scope,
  { url, depth, redirects, isRequisite }: Discovery,
): string | undefined {
  if (isRequisite) return scope.requisiteRefusal(url);
  const reason = scope.refusal(url, depth) ?? scope.trap(url);
  // Sitemaps and the targets of seeds need not lie in the scope, but `exclude` holds for them too.
  const isExempt = (depth === 0 && redirects > 0) || MAY_BE_SITEMAP.test(url);
  return isExempt && reason !== 'excluded' ? undefined : reason;
}
