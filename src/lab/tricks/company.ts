/**
 * What keeps links from telling on their own who deceives.
 *
 * Idea      Honest domains are not all well known, and not all careful. Some are obscure: few link
 *           to them. Any domain has stray links: bought ones, old ones whose target changed hands,
 *           entries that nobody checked. These lead to obscure domains and to spam alike. And some
 *           honest domains keep company as spammers do: chains have a site for each of their
 *           branches, all linked with each other and at one address; bloggers form rings.
 * Ensures   a pure function of seed and domain; nothing of it on a web that does not deceive.
 */
import { below, hash, TAG, unit } from '../words/random.ts';

/** The kinds of honest domains that keep company. */
type Sociable = 'ordinary' | 'personal';

/** What is needed of a world. */
interface World {
  readonly seed: number;
  readonly deceitful: boolean;
  readonly initialDomains: number;
  readonly layout: {
    kindAt(index: number): string;
    countOf(kind: Sociable, domains: number): number;
  };
}

/** Of ordinary domains below the first tenth, so many per cent are obscure. */
const OBSCURE_PERCENT = 35;
const WELL_KNOWN = 0.1;
/** Small sites have up to so many pages. */
const MOST_OF_FEW = 8;
/** Share of stray links: between none and this, few more often; of well-known domains less. */
const MOST_STRAY = 0.4;
const CAREFUL = 0.1;
/** Strays lead to names that had other owners: never to an exchange, and to few in a farm. */
const FARM_LINKED = 8;

/** Whether few others link to a domain, though its kind is one that others link to. */
export function isObscure(world: World, index: number): boolean {
  return (
    world.deceitful &&
    index >= WELL_KNOWN * world.initialDomains &&
    world.layout.kindAt(index) === 'ordinary' &&
    hash(world.seed, TAG.obscure, index) % 100 < OBSCURE_PERCENT
  );
}

/** The number of pages of an obscure domain that has few, as most have. */
export function fewPages(world: World, index: number): number | undefined {
  const draw = hash(world.seed, TAG.obscure, index, 2);
  if (!isObscure(world, index) || draw % 3 === 0) return undefined;
  const u = unit(draw);
  return 1 + Math.floor(MOST_OF_FEW * u * u);
}

/** Whether the k-th link of a domain, chosen at a step, is one that nobody looks after. */
export function isStray(world: World, index: number, k: number, step: number): boolean {
  if (!world.deceitful) return false;
  const lists = world.layout.kindAt(index) === 'directory';
  const careless = lists ? 1 : unit(hash(world.seed, TAG.stray, index, -1));
  const most = index < WELL_KNOWN * world.initialDomains ? CAREFUL * MOST_STRAY : MOST_STRAY;
  return unit(hash(world.seed, TAG.stray, index, k, step)) < most * careless * careless;
}

/** Whether a stray link may lead to a domain that is obscure or not linked to by its kind. */
export function getsStrays(world: World, index: number): boolean {
  const kind = world.layout.kindAt(index);
  if (kind === 'farm' || kind === 'sparse-ring')
    return hash(world.seed, TAG.obscure, index) % FARM_LINKED === 0;
  return kind !== 'exchange' && kind !== 'bought';
}

/** Three parked names of four had an honest owner, and the neighbour's link is still there. */
export function wasHonest(world: World, index: number): boolean {
  return (
    world.layout.kindAt(index) === 'parked' && hash(world.seed, TAG.obscure, index, 1) % 4 !== 0
  );
}

/** Honest domains that link to each other. */
export interface Company {
  readonly name: string;
  /** The first member's number among the domains of its kind, and how many there are. */
  readonly first: number;
  readonly count: number;
  /** Share of the possible links that exist. */
  readonly complete: number;
  /**
   * Members that the others link to; these link to the first, which lists them all. With none, all
   * link to all.
   */
  readonly offices: number;
  /** Its members are at one address: that of this number. */
  readonly machine: number | undefined;
}

/** Domains of a kind come in blocks: one large company, if there is one, then places for rings. */
interface Customs {
  readonly name: string;
  readonly block: number;
  readonly percent: number;
  readonly least: number;
  /** So many of a hundred large companies have offices. */
  readonly officesPercent: number;
  readonly ringsPercent: number;
}

const CUSTOMS: Readonly<Record<Sociable, Customs>> = {
  ordinary: {
    ...{ name: 'chain', block: 120, percent: 40, least: 6 },
    ...{ officesPercent: 50, ringsPercent: 25 },
  },
  personal: {
    ...{ name: 'portal', block: 60, percent: 70, least: 20 },
    ...{ officesPercent: 100, ringsPercent: 0 },
  },
};
const MEMBERS_AN_OFFICE = 10;
const RING_PLACES = 10;
const LEAST_RING = 3;

interface Member {
  readonly world: World;
  readonly number: number;
  readonly kind: { readonly name: string };
}

/** A domain that knows its company, which is computed once. */
interface Companion extends Member {
  readonly company: Company | undefined;
}

/** The company that an honest domain keeps. */
export function companyOf({ world, number, kind }: Member): Company | undefined {
  if (!world.deceitful || !isSociable(kind.name)) return undefined;
  const customs = CUSTOMS[kind.name];
  const all = world.layout.countOf(kind.name, world.initialDomains);
  const block = Math.floor(number / customs.block);
  const begin = block * customs.block;
  if (begin < WELL_KNOWN * all || number >= all) return undefined;
  const tag = block * 2 + (kind.name === 'personal' ? 1 : 0);
  const draw = (what: number, of = 0): number => hash(world.seed, TAG.company, tag, what, of);
  const large = draw(0) % 100 < customs.percent ? largeSize(customs, unit(draw(1))) : 0;
  const company = (name: string, first: number, count: number, of: number) => ({
    ...{ name, first, offices: 0, machine: undefined },
    count: Math.min(count, all - first),
    complete: 0.5 + 0.5 * unit(draw(2, of)),
  });
  if (number < begin + large) {
    const offices =
      draw(5) % 100 < customs.officesPercent ? 1 + Math.floor(large / MEMBERS_AN_OFFICE) : 0;
    return { ...company(`${customs.name}-${block}`, begin, large, -1), offices, machine: tag };
  }
  const ring = Math.floor((number - begin) / RING_PLACES);
  const first = begin + Math.max(large, ring * RING_PLACES);
  const room = begin + (ring + 1) * RING_PLACES - first;
  const count = Math.min(room, LEAST_RING + below(draw(3, ring), RING_PLACES - LEAST_RING + 1));
  if (draw(4, ring) % 100 >= customs.ringsPercent || number >= first + count) return undefined;
  return company(`ring-${block}-${ring}`, first, count, ring);
}

const isSociable = (kind: string): kind is Sociable => kind === 'ordinary' || kind === 'personal';

/** Small ones are more frequent. */
const largeSize = ({ block, least }: Customs, u: number): number =>
  least + Math.floor((block - least) * u * u);

const OFFICES_LINKED = 3;
const MOST_FRIENDS = 3;

/** How many of its links a domain has within its company. */
export function companyLinks(member: Companion): number {
  if (!member.company) return 0;
  const { first, count, offices } = member.company;
  const place = member.number - first;
  if (offices === 0 || place === 0) return count - 1;
  const friends = hash(member.world.seed, TAG.company, -2, tagOf(member)) % (MOST_FRIENDS + 1);
  return place <= offices ? 1 : OFFICES_LINKED + friends;
}

const tagOf = ({ number, kind }: Member): number => number * 2 + (kind.name === 'personal' ? 1 : 0);

/** The number of the member that the k-th link within its company leads to; -1 for none. */
export function companionAt(member: Companion, k: number): number {
  if (!member.company) return -1;
  const { first, count, complete, offices } = member.company;
  const place = member.number - first;
  const draw = hash(member.world.seed, TAG.company, -1, tagOf(member), k);
  if (offices === 0 || place === 0)
    return unit(draw) < complete ? first + ((place + 1 + k) % count) : -1;
  if (place <= offices) return first;
  return first + (k < OFFICES_LINKED ? 1 + (draw % offices) : below(draw, count));
}

/** Whether a domain is known only within its company. */
export function isUnknown({ kind, number, company }: Companion): boolean {
  return kind.name === 'personal' && company !== undefined && company.first < number;
}
