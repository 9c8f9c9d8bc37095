/**
 * One domain: everything about it that its index decides.
 *
 * Sizes and degrees fall with rank as powers chosen to meet the papers' figures (docs/lab.md): 90%
 * of the domains have fewer than about 500 pages, 99% fewer than about 3,500, and the mean number
 * of domains linked to is about 20.
 * Cost      about 1 µs; the most recently used domains are kept.
 */
import { type BehaviourName, drawBehaviour, type Layer } from './behaviour.ts';
import type { Kind } from './kind.ts';
import { KINDS } from './kinds.ts';
import { isDocument } from './paths.ts';
import { StoryBook, type StorySite } from './stories/story-book.ts';
import { domainDeath, isBurst, pageDeath, pagesAt } from './time.ts';
import { type Company, companyOf } from './tricks/company.ts';
import { type Manner, mannerOf } from './tricks/manner.ts';
import { nicknameOf } from './words/names.ts';
import { exp, hash, normalOf, power, TAG, unit } from './words/random.ts';
import { flat, type Pool } from './words/text.ts';
import { LANGUAGES, TOPICS } from './words/vocabulary.ts';
import type { World } from './world.ts';

const SIZE_EXPONENT = 0.85;
const DEGREE_EXPONENT = 0.5;
const MEAN_DEGREE = 25;
const MAX_DEGREE = 20_000;
const MAX_HOSTS = 40;

const HOST_LABELS = 'www blog news shop forum docs wiki support dev media events search'.split(' ');

export class Domain {
  readonly world: World;
  readonly index: number;
  readonly kind: Kind;
  readonly name: string;
  /** Its home is `www.name` rather than `name`; the other one redirects. */
  readonly www: boolean;
  readonly community: number;
  readonly topic: number;
  /** Its addresses begin with https. */
  readonly secure: boolean;
  /** Details that most domains never need, because they are only linked to. */
  #inside: Inside | undefined;

  constructor(world: World, index: number) {
    this.world = world;
    this.index = index;
    this.kind = KINDS[world.layout.kindAt(index)];
    this.name = world.names.nameOf(
      index,
      this.kind.name === 'academic',
      world.deceitful ? nicknameOf(world.seed, index, this.kind.spam) : undefined,
    );
    this.www = hash(world.seed, TAG.www, index) % 10 < 7;
    this.community = index % world.communities;
    this.topic = this.community % TOPICS.length;
    this.secure = world.secure && this.behaviour('tls') !== undefined;
  }

  get #in(): Inside {
    this.#inside ??= lookInside(this.world, this);
    return this.#inside;
  }

  /** Its number among the domains of its kind, from 0. */
  get number(): number {
    return this.world.layout.numberOf(this.index);
  }

  get language(): number {
    return this.#in.language;
  }

  /** Its text is in the legacy encoding of its language, whatever it declares. */
  get legacy(): boolean {
    return this.#in.legacy;
  }

  get initialPages(): number {
    return this.#in.initialPages;
  }

  get frailty(): number {
    return this.#in.frailty;
  }

  /** Pages ever created, including dead ones: page numbers are below this. */
  get pages(): number {
    return this.#in.pages;
  }

  get hosts(): number {
    return this.#in.hosts;
  }

  /** Number of section fronts in the menu: pages 1 to `sections`. */
  get sections(): number {
    return this.#in.sections;
  }

  /** Number of fronts: the homes of its hosts, and its first sections'. They change often. */
  get fixedPages(): number {
    return this.#in.fixedPages;
  }

  /** The style of its paths, see paths.ts. */
  get style(): number {
    return this.#in.style;
  }

  /** The words of its first pages, and of all its paths. */
  get pool(): Pool {
    this.#pool ??= this.poolAt(0);
    return this.#pool;
  }
  #pool: Pool | undefined;

  /** The words of pages that were written at a step. */
  poolAt(step: number): Pool {
    const topic = this.manner?.topic ?? this.topic;
    return this.world.texts.pool(this.language, topic, step, this.legacy);
  }

  /** How it writes; undefined on a web that does not deceive, where all write alike. */
  get manner(): Manner | undefined {
    if (this.#manner === undefined && this.world.deceitful) {
      const { tricks, group } = this.kind;
      const maker = tricks && { tricks, group: group?.(this.world, this)?.number ?? this.index };
      this.#manner = mannerOf(this.world.seed, this.index, this.topic, maker);
    }
    return this.#manner;
  }
  #manner: Manner | undefined;

  /** The stories of its web. */
  get stories(): StoryBook {
    return storiesOf(this.world);
  }

  /** The company of honest domains that it is of. */
  get company(): Company | undefined {
    if (this.#company === undefined) this.#company = companyOf(this) ?? null;
    return this.#company ?? undefined;
  }
  /** Null means none. */
  #company: Company | null | undefined;

  /** How many domains it links to. */
  get degree(): number {
    if (this.#degree === undefined) {
      const byRank = degreeByRank(this.world, this.index);
      this.#degree = this.kind.degree ? this.kind.degree(this.world, this, byRank) : byRank;
    }
    return this.#degree;
  }
  #degree: number | undefined;

  /** The step from which it no longer answers. */
  get death(): number {
    return domainDeath(
      this.world,
      this.index,
      this.community,
      this.kind.name === 'giant' || this.index === 0,
    );
  }

  get alive(): boolean {
    return this.world.step === 0 || this.world.step < this.death;
  }

  /** Whether the page exists at this step, if the domain does. */
  hasPage(page: number): boolean {
    return (
      page < this.pages &&
      (this.world.step === 0 || this.world.step < pageDeath(this.world, this, page))
    );
  }

  /** The behaviour of its servers in a layer; undefined if they behave well. */
  behaviour(layer: Layer): BehaviourName | undefined {
    let drawn = this.#behaviours[layer];
    if (drawn === undefined) {
      const benignOnly = this.kind.name === 'giant' || this.index === 0;
      drawn = drawBehaviour(this.world, this.index, layer, benignOnly) ?? null;
      this.#behaviours[layer] = drawn;
    }
    return drawn ?? undefined;
  }
  /** Behaviours drawn so far; null means none. */
  readonly #behaviours: Partial<Record<Layer, BehaviourName | null>> = {};

  hostName(host: number): string {
    if (host === 0) return this.www ? `www.${this.name}` : this.name;
    return `${HOST_LABELS[host] ?? `host${host}`}.${this.name}`;
  }

  /**
   * The number of the host with this label; -1 if there is none; -2 for the twin of the first one.
   */
  hostNumber(label: string): number {
    if (label === '' || label === 'www') return (label === 'www') === this.www ? 0 : -2;
    const known = HOST_LABELS.indexOf(label);
    const number = known >= 0 ? known : /^host[1-9]\d?$/.test(label) ? Number(label.slice(4)) : -1;
    return number > 0 && number < this.hosts && (known >= 0 || number >= HOST_LABELS.length)
      ? number
      : -1;
  }

  hostOf(page: number): number {
    return page === 0 ? 0 : page % this.hosts;
  }

  origin(host: number): string {
    this.#origins[host] ??= flat(this.originOf(this.hostName(host)));
    return this.#origins[host];
  }
  readonly #origins: string[] = [];

  /** Scheme, host and port of one of its hosts. */
  originOf(hostName: string): string {
    return this.secure
      ? `https://${hostName}:${this.world.httpsPort}`
      : `http://${hostName}:${this.world.httpPort}`;
  }
}

interface Inside {
  readonly language: number;
  readonly legacy: boolean;
  readonly frailty: number;
  readonly initialPages: number;
  readonly pages: number;
  readonly sections: number;
  readonly hosts: number;
  readonly fixedPages: number;
  readonly style: number;
}

function lookInside(world: World, domain: Domain): Inside {
  const { seed } = world;
  const { index, kind, topic } = domain;
  const transfer = domain.behaviour('transfer');
  const initialPages = world.scenario.exactPages
    ? world.meanPages
    : Math.max(1, kind.pages(world, index, sizeByRank(world, index)));
  const frailty = normalOf(hash(seed, TAG.frailty, index));
  const sections = Math.min(8, Math.floor((initialPages - 1) / 2));
  const hosts = hostsOf(world, index, initialPages);
  return {
    language: languageOf(hash(seed, TAG.language, index) % 100),
    legacy: transfer === 'no-charset' || transfer === 'lying-charset',
    frailty,
    initialPages,
    pages: pagesAt(world, { index, topic, initialPages, frailty }, world.step),
    sections,
    hosts,
    fixedPages: Math.max(hosts, sections + 1),
    style: hash(seed, TAG.style, index) % 4,
  };
}

function sizeByRank(world: World, index: number): number {
  const noise = exp(0.5 * normalOf(hash(world.seed, TAG.size, index)) - 0.125);
  return Math.round(
    world.meanPages * (1 - SIZE_EXPONENT) * byRank(world, index, SIZE_EXPONENT) * noise,
  );
}

function degreeByRank(world: World, index: number): number {
  const noise = exp(0.7 * normalOf(hash(world.seed, TAG.degree, index)) - 0.245);
  const mean = MEAN_DEGREE * (1 - DEGREE_EXPONENT) * byRank(world, index, DEGREE_EXPONENT);
  return Math.min(MAX_DEGREE, world.initialDomains - 1, Math.max(1, Math.round(mean * noise)));
}

/** (rank / domains)^-exponent, whose mean over all ranks is 1 / (1 - exponent). */
function byRank(world: World, index: number, exponent: number): number {
  return power((index + 1) / world.initialDomains, -exponent);
}

/** Most domains have one host, large ones up to forty. */
function hostsOf(world: World, index: number, pages: number): number {
  if (world.scenario.exactPages || pages < 4) return 1;
  const most = Math.min(MAX_HOSTS, Math.floor(pages / 2), 1 + Math.floor(Math.sqrt(pages) / 4));
  return 1 + Math.floor(unit(hash(world.seed, TAG.hosts, index)) * most);
}

function languageOf(draw: number): number {
  let sum = 0;
  for (let i = 0; i < LANGUAGES.length; i++) {
    sum += LANGUAGES[i].share;
    if (draw < sum) return i;
  }
  return 0;
}

/**
 * The most recently used domains, in two generations: when the young one is full it replaces the
 * old.
 */
export class Domains {
  readonly #world: World;
  readonly #capacity: number;
  #young = new Map<number, Domain>();
  #old = new Map<number, Domain>();

  constructor(world: World, capacity = 4096) {
    this.#world = world;
    this.#capacity = capacity;
  }

  at(index: number): Domain {
    const young = this.#young.get(index);
    if (young) return young;
    const domain = this.#old.get(index) ?? new Domain(this.#world, index);
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(index, domain);
    return domain;
  }
}

const BOOKS = new WeakMap<World, StoryBook>();

/** The stories of a web. */
function storiesOf(world: World): StoryBook {
  let book = BOOKS.get(world);
  if (!book) {
    book = new StoryBook({
      ...{ seed: world.seed, step: world.scenario.exactPages ? 0 : world.step },
      isBurst: (topic, step) => isBurst(world, topic, step),
      siteAt: (topic, step, rank, draw) => storySite(world, topic, step, rank, draw),
    });
    BOOKS.set(world, book);
  }
  return book;
}

/** The site of a topic nearest to a rank; undefined if it deceives, is dead or too young. */
function storySite(
  world: World,
  topic: number,
  step: number,
  rank: number,
  draw: number,
): StorySite | undefined {
  const count = Math.ceil((world.communities - topic) / TOPICS.length);
  if (count <= 0) return undefined;
  const community = topic + TOPICS.length * (draw % count);
  const place = Math.floor(rank * world.domainsAt(step - 1));
  const index = place - (place % world.communities) + community;
  if (index >= world.domainsAt(step - 1)) return undefined;
  const domain = new Domain(world, index);
  const { kind, language } = domain;
  if (kind.spam || kind.endless || !kind.linked || domain.death <= step) return undefined;
  return {
    ...{ index, language },
    pagesAt: (at) => pagesAt(world, domain, at),
    tells: (page, at) =>
      page >= domain.fixedPages &&
      page < pagesAt(world, domain, at) &&
      !isDocument(domain, page) &&
      pageDeath(world, domain, page) > at,
  };
}
