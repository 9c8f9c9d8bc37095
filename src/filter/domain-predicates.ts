/**
 * Predicates over a URL's domain: where it stands in the crawl, what a file says of it, what was fetched of it.
 *
 * Ranks, scores and budgets are those of the best 10,000 domains as of the last ranking, which every agent knows; all others have
 * rank Infinity, score 0 and the least budget.
 */

import { xxh64 } from '../base/xxh64.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf, originOf } from '../url/parts.ts';
import type { Predicate, Value } from './predicate.ts';
import type { DomainStanding, Subject, VisitFacts } from './subject.ts';

const SLASH = 47;

/** The domain of a URL; the last is kept at hand, since the links of a page mostly lead to one place. */
class LastDomain {
  #origin = '';
  #name = '';
  #key: bigint | undefined;

  nameOf(url: string): string {
    const { length } = this.#origin;
    if (url.charCodeAt(length) !== SLASH || url.slice(0, length) !== this.#origin) {
      this.#origin = originOf(url);
      this.#name = payLevelDomain(hostOf(url));
      this.#key = undefined;
    }
    return this.#name;
  }

  keyOf(url: string): bigint {
    const name = this.nameOf(url);
    this.#key ??= xxh64(name);
    return this.#key;
  }
}

const ranked = (
  definition: Pick<Predicate, 'name' | 'doc' | 'example' | 'ranking'>,
  of: (standing: DomainStanding, domain: bigint) => number,
): Predicate => ({
  from: 'schedule',
  gives: 'number',
  parameters: [],
  ...definition,
  bind: () => {
    const domains = new LastDomain();
    return ({ url, standing }) => (standing ? of(standing, domains.keyOf(url)) : Number.NaN);
  },
});

const visited = (
  definition: Pick<Predicate, 'name' | 'doc' | 'example'>,
  of: (visit: VisitFacts) => number,
): Predicate => ({
  from: 'fetch',
  gives: 'number',
  parameters: [],
  ...definition,
  bind: () => (subject: Subject) => of(subject.visit as VisitFacts),
});

export const DOMAIN_PREDICATES: readonly Predicate[] = [
  ranked(
    {
      name: 'DomainRank',
      doc: 'the rank of its domain, 1 for the best; larger than any number below the first 10,000',
      example: 'DomainRank <= 1000',
      ranking: 'any',
    },
    (standing, domain) => standing.rankOf(domain),
  ),
  ranked(
    {
      name: 'DomainScore',
      doc: 'what its domain is ranked by (--rank); 0 below the first 10,000',
      example: 'DomainScore > 2.5',
      ranking: 'any',
    },
    (standing, domain) => standing.scoreOf(domain),
  ),
  ranked(
    {
      name: 'DomainInDegree',
      doc: 'domains that link to its domain; 0 below the first 10,000',
      example: 'DomainInDegree >= 5',
      ranking: 'in',
    },
    (standing, domain) => standing.scoreOf(domain),
  ),
  ranked(
    {
      name: 'DomainSupporters',
      doc: 'supporters of its domain, as estimated; 0 below the first 10,000',
      example: 'DomainSupporters >= 50',
      ranking: 'tse',
    },
    (standing, domain) => standing.scoreOf(domain),
  ),
  ranked(
    {
      name: 'DomainBudget',
      doc: 'URLs that its domain may have a round',
      example: 'DomainBudget > 10',
      ranking: 'any',
    },
    (standing, domain) => standing.budgetOf(domain),
  ),
  {
    name: 'DomainValue',
    from: 'schedule',
    gives: 'number',
    parameters: [{ kind: 'file' }, { kind: 'number', optional: true }],
    doc: 'the number behind its domain in this file, in lines of "example.org 0.93": a spam score, or any other; the second value is for domains that are not in it, else 0',
    example: 'DomainValue(spam.tsv, 0.1) < 0.5',
    reads: 'values',
    bind: ([path, otherwise], { list }): Value => {
      const table = list(path, 'values');
      const domains = new LastDomain();
      const unlisted = Number(otherwise ?? 0);
      return ({ url }) => table.valueOf(domains.nameOf(url)) ?? unlisted;
    },
  },
  visited(
    { name: 'HostPages', doc: 'pages fetched from its host until now', example: 'HostPages < 1k' },
    ({ hostPages }) => hostPages,
  ),
  visited(
    {
      name: 'DomainPages',
      doc: 'pages fetched from its domain until now',
      example: 'DomainPages < 10k',
    },
    ({ domainPages }) => domainPages,
  ),
  visited(
    { name: 'Redirects', doc: 'redirects followed in a row to here', example: 'Redirects < 3' },
    ({ redirects }) => redirects,
  ),
  visited(
    { name: 'Attempts', doc: 'times it was tried and failed', example: 'Attempts == 0' },
    ({ attempts }) => attempts,
  ),
];
