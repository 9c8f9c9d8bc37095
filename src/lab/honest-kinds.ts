/** Honest domains: giants, ordinary sites, personal pages, universities, directories. */

import type { Domain } from './domain.ts';
import type { Kind } from './kind.ts';
import { soldLinks, soldTo } from './spam-kinds.ts';
import { companionAt, companyLinks, fewPages } from './tricks/company.ts';
import type { Web } from './web.ts';
import { hash, TAG } from './words/random.ts';
import type { World } from './world.ts';

const honest = {
  spam: false,
  linked: true,
  backbone: true,
  endless: false,
  pages: (_world: unknown, _index: number, byRank: number): number => byRank,
} as const;

export const giant: Kind = {
  ...honest,
  name: 'giant',
  about: 'a large site that many others link to',
  degree: (world, domain, byRank) => byRank + soldLinks(world, domain),
  target({ world }, domain, k) {
    const sold = k - (domain.degree - soldLinks(world, domain));
    return sold < 0 ? undefined : soldTo(world, domain, sold);
  },
};

/** Members of a company of honest domains link to each other, too. */
const sociable = {
  group(_world: World, { company }: Domain) {
    return company && { name: company.name, number: company.first };
  },
  target({ world }: Web, domain: Domain, k: number): number | undefined {
    if (k >= companyLinks(domain)) return undefined;
    const other = companionAt(domain, k);
    return other < 0 ? -1 : world.layout.memberAt(domain.kind.name, other);
  },
} as const;

export const ordinary: Kind = {
  ...honest,
  ...sociable,
  name: 'ordinary',
  about: 'a typical site',
  pages: (world, index, byRank) => fewPages(world, index) ?? byRank,
  degree: (_world, domain, byRank) => byRank + companyLinks(domain),
};

export const personal: Kind = {
  ...honest,
  ...sociable,
  name: 'personal',
  about: 'personal pages that only one neighbour links to',
  linked: false,
  backbone: false,
  pages: (world, index) => 1 + (hash(world.seed, TAG.size, index) % 12),
  degree: (_world, domain, byRank) => Math.min(byRank, 6) + companyLinks(domain),
};

export const academic: Kind = {
  ...honest,
  name: 'academic',
  about: 'a university or institute, one page in four a paper in PDF',
  papers: true,
  pages: (_world, _index, byRank) => Math.round(byRank * 1.5),
};

/** Half of a directory's entries are academic domains. */
export const directory: Kind = {
  ...honest,
  name: 'directory',
  about: 'lists of links, half of them to academic domains',
  degree: (world, _domain, byRank) => Math.min(world.initialDomains - 1, byRank * 8),
  target: (web, domain, k) => (k % 2 === 0 ? web.memberFor('academic', domain, k) : undefined),
};
