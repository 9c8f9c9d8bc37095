/** Honest domains: giants, ordinary sites, personal pages, universities, directories. */

import type { Kind } from './kind.ts';
import { hash, TAG } from './words/random.ts';

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
};

export const ordinary: Kind = { ...honest, name: 'ordinary', about: 'a typical site' };

export const personal: Kind = {
  ...honest,
  name: 'personal',
  about: 'personal pages that only one neighbour links to',
  linked: false,
  backbone: false,
  pages: (world, index) => 1 + (hash(world.seed, TAG.size, index) % 12),
  degree: (_world, _domain, byRank) => Math.min(byRank, 6),
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
