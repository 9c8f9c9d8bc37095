/**
 * Predicates over a URL's domain: its standing in the crawl, its value in a file, the pages fetched
 * from it.
 *
 * Ranks, scores and budgets come from the last ranking, which every agent knows for the best 10,000
 * domains. All other domains have rank Infinity, score 0 and the smallest budget.
 */

import { xxh64 } from '../base/xxh64.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf, originOf } from '../url/parts.ts';
import type { Predicate, Value } from './predicate.ts';
import type { DomainStanding, Subject, VisitFacts } from './subject.ts';

const SLASH = 47;

/**
 * Finds the domain of a URL. It caches the last one, because most links of a page lead to one host.
 */
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
  definition: Pick<Predicate, 'name' | 'doc' | 'example' | 'needsSpam'>,
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
      doc: 'rank of the domain, 1 for the best; infinite after the first 10,000',
      example: 'DomainRank <= 1000',
      ranking: 'any',
    },
    (standing, domain) => standing.rankOf(domain),
  ),
  ranked(
    {
      name: 'DomainScore',
      doc: 'score by which the domain is ranked (--rank); 0 after the first 10,000',
      example: 'DomainScore > 2.5',
      ranking: 'any',
    },
    (standing, domain) => standing.scoreOf(domain),
  ),
  ranked(
    {
      name: 'DomainInDegree',
      doc: 'number of domains that link to the domain; 0 after the first 10,000',
      example: 'DomainInDegree >= 5',
      ranking: 'in',
    },
    (standing, domain) => standing.scoreOf(domain),
  ),
  ranked(
    {
      name: 'DomainSupporters',
      doc: 'estimated supporters of the domain; 0 after the first 10,000',
      example: 'DomainSupporters >= 50',
      ranking: 'tse',
    },
    (standing, domain) => standing.scoreOf(domain),
  ),
  ranked(
    {
      name: 'DomainBudget',
      doc: 'budget of the domain: the URLs that it may put into a round',
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
    doc: 'value of the domain in this file, such as a spam score; lines are "example.org 0.93"; the second argument is the value of domains that are not in the file (default 0)',
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
    { name: 'HostPages', doc: 'pages fetched so far from the host', example: 'HostPages < 1k' },
    ({ hostPages }) => hostPages,
  ),
  visited(
    {
      name: 'DomainPages',
      doc: 'pages fetched so far from the domain',
      example: 'DomainPages < 10k',
    },
    ({ domainPages }) => domainPages,
  ),
  visited(
    {
      name: 'DomainSpam',
      doc: 'probability that the domain is spam, by its last verdict; needs --spam',
      example: 'DomainSpam < 0.8',
      needsSpam: true,
    },
    ({ domainSpam }) => domainSpam,
  ),
  visited(
    {
      name: 'Redirects',
      doc: 'redirects followed in a row to reach the URL',
      example: 'Redirects < 3',
    },
    ({ redirects }) => redirects,
  ),
  visited(
    { name: 'Attempts', doc: 'failed attempts so far', example: 'Attempts == 0' },
    ({ attempts }) => attempts,
  ),
];
