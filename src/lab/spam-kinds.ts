/**
 * Domains that deceive. Their groups are computed: the j-th domain of a kind belongs to group j /
 * size.
 *
 * They follow what "Unsupervised domain ranking in large-scale web crawls" reports of IRLbot's and
 * ClueWeb's graphs: parked domains that make a hub look important to PageRank and OPIC, dense
 * exchanges that lift in-degree, farms that reach a target over two hops, and the few good links
 * that a honeypot gets and passes on.
 */
import { notFound } from './answer.ts';
import type { Domain } from './domain.ts';
import type { Kind, KindName } from './kind.ts';
import { poolOf } from './paths.ts';
import type { Resource } from './resource.ts';
import type { Trick } from './tricks/manner.ts';
import type { Web } from './web.ts';
import { exp, hash, normalOf, TAG, textHash, unit } from './words/random.ts';
import type { World } from './world.ts';

const EXCHANGE_SIZE = 200;
const FARM_SIZE = 100;
const FARM_BOOSTERS = 9;
const PARKING_SIZE = 500;
const SPARSE_RING_SIZE = 4000;
const GIANTS_A_BUYER = 8;
const COMPLETENESS_PERCENT = 90;
/** Farms that support each other's targets: a ring of so many, if its makers have that many. */
const RING_FARMS = 5;

/** What farmers do with their text. */
const TRICKS: readonly Trick[] = [
  'stuffed',
  'shuffled',
  'woven',
  'template',
  'fluent',
  'hidden',
  'cloaked',
];

const deceit = { spam: true, linked: false, backbone: false, endless: false } as const;

/** Between `least` and `least + spread` pages, for any rank. */
const few =
  (least: number, spread: number) =>
  (world: World, index: number): number =>
    least + (hash(world.seed, TAG.size, index) % spread);

/** The group of a member: its first number and how many there are. */
function groupOf(world: World, domain: Domain, size: number): { first: number; count: number } {
  const first = Math.floor(domain.number / size) * size;
  const all = world.layout.countOf(domain.kind.name, world.initialDomains);
  return { first, count: Math.max(1, Math.min(size, all - first)) };
}

const groupNumber = (domain: Domain, size: number): number => Math.floor(domain.number / size);
/** The name of a group, and a number that no group of another kind has. */
const named = (kind: KindName, tag: number, number: number) => ({
  name: `${kind}-${number}`,
  number: number * 16 + tag,
});

/** Every second exchange has honest text: only its links tell. */
export const exchange: Kind = {
  ...deceit,
  name: 'exchange',
  tricks: ['none', 'none', 'none', 'woven', 'fluent', 'template'],
  group: (_world, domain) => named('exchange', 1, groupNumber(domain, EXCHANGE_SIZE)),
  about: 'one of some hundred domains that nearly all link to each other',
  pages: few(20, 40),
  degree: (world, domain, byRank) =>
    groupOf(world, domain, EXCHANGE_SIZE).count - 1 + coverOf(world, domain, byRank),
  target(web, domain, k) {
    const { world } = web;
    const { first, count } = groupOf(world, domain, EXCHANGE_SIZE);
    if (k >= count - 1) return undefined;
    if (hash(world.seed, TAG.member, domain.index, k) % 100 >= COMPLETENESS_PERCENT) return -1;
    const other = first + ((domain.number - first + 1 + k) % count);
    return world.layout.memberAt('exchange', other);
  },
};

/** How many honest domains a spam domain also links to, to look like one. */
const coverOf = ({ seed }: World, { index }: Domain, byRank: number): number =>
  Math.round(unit(hash(seed, TAG.cover, index)) * byRank);

type FarmRole = 'target' | 'booster' | 'leaf';

function farmRole(domain: Domain): FarmRole {
  const place = domain.number % FARM_SIZE;
  return place === 0 ? 'target' : place <= FARM_BOOSTERS ? 'booster' : 'leaf';
}

/** Of every two rings of farms one is a ring of sybils: its farms work together. */
function isSybil(world: World, farmNumber: number): boolean {
  return (Math.floor(farmNumber / RING_FARMS) + (hash(world.seed, TAG.ring, 0) & 1)) % 2 === 0;
}

/** The farms whose targets a farm supports: the first one's number, and how many. */
function supported(world: World, domain: Domain): { first: number; count: number } {
  const own = groupNumber(domain, FARM_SIZE);
  if (!isSybil(world, own)) return { first: own, count: 1 };
  const first = own - (own % RING_FARMS);
  const all = Math.ceil(world.layout.countOf('farm', world.initialDomains) / FARM_SIZE);
  return { first, count: Math.max(1, Math.min(RING_FARMS, all - first)) };
}

/** Members of a farm at its own few addresses; sybils are spread like anybody. */
export function farmMachine(world: World, domain: Domain): number | undefined {
  if (domain.kind.name !== 'farm' || isSybil(world, groupNumber(domain, FARM_SIZE)))
    return undefined;
  return groupNumber(domain, FARM_SIZE) * FARM_MACHINES + (domain.number % FARM_MACHINES);
}

/** How many of its links are within its farm or ring. */
function farmLinks(world: World, domain: Domain): number {
  const role = farmRole(domain);
  if (role === 'leaf') return BOOSTERS_A_LEAF;
  return role === 'booster'
    ? supported(world, domain).count
    : groupOf(world, domain, FARM_SIZE).count - 1;
}

const BOOSTERS_A_LEAF = 3;
const FARM_MACHINES = 4;
const OFFERS_A_PAGE = 26;
const OFFERS_SIGMA = 0.5;
const MOST_OFFERS = 150;
const SISTERS_A_PAGE = 8;
const SHOPS = 50;

/** A program writes its pages: there is one for every request, and each names more. */
export const farm: Kind = {
  ...deceit,
  name: 'farm',
  about: 'endless offers; leaves link to boosters, boosters to the target, which lists them all',
  endless: true,
  anyHost: true,
  tricks: TRICKS,
  restless: true,
  group(world, domain) {
    const { first, count } = supported(world, domain);
    return named('farm', 2, count > 1 ? first : groupNumber(domain, FARM_SIZE));
  },
  pages: few(4, 16),
  role: (_world, domain) => farmRole(domain),
  degree: (world, domain, byRank) => farmLinks(world, domain) + coverOf(world, domain, byRank),
  target(web, domain, k) {
    const { layout, seed, step } = web.world;
    const role = farmRole(domain);
    const { first, count } = groupOf(web.world, domain, FARM_SIZE);
    if (k >= farmLinks(web.world, domain)) return undefined;
    if (role === 'target') return layout.memberAt('farm', first + k + 1);
    if (role === 'booster') {
      const ring = supported(web.world, domain);
      const farms = ring.first + ((groupNumber(domain, FARM_SIZE) + k) % ring.count);
      return layout.memberAt('farm', farms * FARM_SIZE);
    }
    const boosters = Math.min(FARM_BOOSTERS, count - 1);
    const above = boosters && 1 + (hash(seed, TAG.member, domain.index, k, step) % boosters);
    return layout.memberAt('farm', first + above);
  },
  furnish(web, domain, page, links) {
    for (const address of offersOf(web, domain, page)) links.addAddress(address);
  },
  resource(web, domain, label, target) {
    const isShop = domain.hostNumber(label) === -1;
    const match = /^\/offers\/([0-9a-z]{1,7})$/.exec(target);
    if (!match) return isShop && target !== '/robots.txt' ? nothingHere(domain) : undefined;
    const key = textHash(match[1]);
    const addresses = [...offersOf(web, domain, key), ...sisterOffers(web, domain, key)];
    return { is: 'small', domain, key, addresses };
  },
};

const nothingHere = (domain: Domain): Resource => ({ is: 'other', domain, answer: notFound() });

/** As many as pages have links, which differ. */
function offersOf(web: Web, domain: Domain, key: number): string[] {
  const draw = normalOf(hash(web.world.seed, TAG.wildcard, domain.index, key, -1));
  const count = Math.min(MOST_OFFERS, Math.round(OFFERS_A_PAGE * exp(OFFERS_SIGMA * draw)));
  return Array.from({ length: count }, (_, i) =>
    offerAt(domain, hash(web.world.seed, TAG.wildcard, domain.index, key, i)),
  );
}

/** The address of an offer, at one of the domain's many shops. */
function offerAt(domain: Domain, draw: number): string {
  const { slugs } = poolOf(domain);
  const shop = `${slugs[(draw >>> 8) % Math.min(slugs.length, SHOPS)]}.${domain.name}`;
  return `${domain.originOf(shop)}/offers/${draw.toString(36)}`;
}

/** Offers of the members that it links to. */
function sisterOffers(web: Web, domain: Domain, key: number): string[] {
  const found: string[] = [];
  for (let i = 0; i < SISTERS_A_PAGE; i++) {
    const draw = hash(web.world.seed, TAG.member, domain.index, key, i);
    const target = farm.target?.(web, domain, draw % farmLinks(web.world, domain)) ?? -1;
    if (target >= 0) found.push(offerAt(web.domains.at(target), draw));
  }
  return found;
}

export const parked: Kind = {
  ...deceit,
  name: 'parked',
  tricks: ['template', 'stuffed', 'template', 'woven', 'none'],
  group: (_world, domain) => named('parked', 3, groupNumber(domain, PARKING_SIZE)),
  about: 'an unused name, full of links to its parking hub',
  pages: few(1, 3),
  role: (world, domain) =>
    domain.number === groupOf(world, domain, PARKING_SIZE).first ? 'hub' : 'parked',
  degree: (world, domain, byRank) => 1 + coverOf(world, domain, byRank),
  target: (web, domain, k) => {
    if (k > 0) return undefined;
    const { first } = groupOf(web.world, domain, PARKING_SIZE);
    return domain.number === first ? -1 : web.world.layout.memberAt('parked', first);
  },
  /** Forty searches at the hub, each another address of it. */
  furnish(web, domain, page, links) {
    const { first, count } = groupOf(web.world, domain, PARKING_SIZE);
    if (domain.number === first) {
      for (let i = 1; i < Math.min(30, count); i++)
        links.add(web.domains.at(web.world.layout.memberAt('parked', first + i)), 0);
      return;
    }
    const hub = web.domains.at(web.world.layout.memberAt('parked', first));
    for (let i = 0; i < 40; i++)
      links.addAddress(`${hub.origin(0)}/?from=${domain.name}&ad=${page * 40 + i}`);
  },
  /** The hub has the same page for every search. */
  resource(_web, domain, _label, target) {
    const isSearch = /^\/\?from=[a-z0-9.-]+&ad=\d{1,4}$/.test(target);
    return isSearch ? { is: 'page', domain, page: 0, alias: true } : undefined;
  },
};

export const copy: Kind = {
  ...deceit,
  name: 'copy',
  tricks: ['none'],
  about: "another site's text between its own links, some of it changed a little",
  pages: (_world, _index, byRank) => Math.min(byRank, 2000),
  textOf(web, domain, page) {
    const number = web.memberFor('ordinary', domain, 0);
    if (number === undefined) return undefined;
    const original = web.domains.at(number);
    const edited = [0, 0, 20, 8][hash(web.world.seed, TAG.edit, domain.index, page) % 4];
    return { domain: original, page: page % original.initialPages, edited };
  },
};

const GROUP_SIZES: Partial<Record<KindName, number>> = {
  farm: FARM_SIZE,
  exchange: EXCHANGE_SIZE,
  parked: PARKING_SIZE,
  'sparse-ring': SPARSE_RING_SIZE,
};
const BAITED: readonly KindName[] = ['farm', 'exchange', 'parked', 'wildcard', 'copy'];
const ATTACKERS: readonly KindName[] = ['sparse-ring', 'bought'];

export const honeypot: Kind = {
  ...deceit,
  name: 'honeypot',
  tricks: ['none'],
  about: 'good pages that get good links, half of whose own links lead to spam',
  linked: true,
  pages: (_world, _index, byRank) => byRank,
  target: (web, domain, k) => (k % 2 === 0 ? spamFor(web, domain, k) : undefined),
};

/** The farm that an expired domain works for; -1 if there is none. */
function farmBehind(world: World, domain: Domain): number {
  const farms = Math.ceil(world.layout.countOf('farm', world.initialDomains) / FARM_SIZE);
  return farms === 0 ? -1 : hash(world.seed, TAG.ring, -1, domain.index) % farms;
}

export const expired: Kind = {
  ...deceit,
  name: 'expired',
  about: 'a good domain that expired and was taken over; its old links still lead to it',
  linked: true,
  tricks: TRICKS,
  group(world, domain) {
    const farm = farmBehind(world, domain);
    return farm < 0 ? undefined : named('farm', 2, farm);
  },
  pages: (_world, _index, byRank) => Math.min(byRank, 2000),
  target(web, domain, k) {
    const farm = farmBehind(web.world, domain);
    if (k % 4 !== 0 || farm < 0) return undefined;
    const booster = 1 + ((k / 4) % FARM_BOOSTERS);
    const count = web.world.layout.countOf('farm', web.world.initialDomains);
    const number = farm * FARM_SIZE + (k === 0 ? 0 : booster);
    return web.world.layout.memberAt('farm', Math.min(number, count - 1));
  },
};

/** Each member reaches nearly all others over two links, though it has links to few of them. */
export const sparseRing: Kind = {
  ...deceit,
  name: 'sparse-ring',
  about:
    'one of up to 4,000 domains that each link to a few others, and so nearly all support each',
  tricks: ['none', 'none', 'none', 'woven', 'fluent', 'template'],
  group: (_world, domain) => named('sparse-ring', 4, groupNumber(domain, SPARSE_RING_SIZE)),
  pages: few(100, 200),
  degree: (world, domain, byRank) =>
    sparseLinks(groupOf(world, domain, SPARSE_RING_SIZE).count) + coverOf(world, domain, byRank),
  target({ world }, domain, k) {
    const { first, count } = groupOf(world, domain, SPARSE_RING_SIZE);
    if (k >= sparseLinks(count)) return undefined;
    if (count === 1) return -1;
    const apart = 1 + (hash(world.seed, TAG.member, domain.index, k) % (count - 1));
    const other = first + ((domain.number - first + apart) % count);
    return world.layout.memberAt('sparse-ring', other);
  },
};

/** With 2√K links each, two links lead from nearly every one of K members to every other. */
const sparseLinks = (count: number): number => Math.round(2 * Math.sqrt(count));

/** Giants link to it, see `soldTo`; nobody else does. */
export const bought: Kind = {
  ...deceit,
  name: 'bought',
  about: 'a new domain that has bought a link on eight giants',
  tricks: TRICKS,
  pages: few(200, 400),
};

/** How many links a giant sells. */
export function soldLinks({ layout, initialDomains }: World, { index }: Domain): number {
  const all = GIANTS_A_BUYER * layout.countOf('bought', initialDomains);
  return Math.max(0, Math.ceil((all - index) / Math.max(1, layout.giants)));
}

/** The domain that bought the k-th link that a giant sells. Buyers go from giant to giant. */
export function soldTo({ layout }: World, { index }: Domain, k: number): number {
  const link = index + k * layout.giants;
  return layout.memberAt('bought', Math.floor(link / GIANTS_A_BUYER));
}

/**
 * A spam domain that its makers want to be found: nearly always the first of a group, which leads
 * to the others.
 */
export function spamFor(web: Web, domain: Domain, k: number): number | undefined {
  const draw = hash(web.world.seed, TAG.comment, domain.index, k);
  const { kinds } = web.world.scenario;
  const isAttacked = ATTACKERS.some((kind) => (kinds.get(kind) ?? 0) > 0);
  const baited = isAttacked ? [...BAITED, ...ATTACKERS] : BAITED;
  for (let i = 0; i < baited.length; i++) {
    const kind = baited[(draw + i) % baited.length];
    const count = web.world.layout.countOf(kind, web.world.initialDomains);
    if (count === 0) continue;
    const number = (draw >>> 3) % count;
    const size = (draw & 7) === 0 ? 1 : (GROUP_SIZES[kind] ?? 1);
    return web.world.layout.memberAt(kind, number - (number % size));
  }
  return undefined;
}
