/**
 * One domain: everything about it that its index decides.
 *
 * Sizes and degrees fall with rank as powers chosen to meet the papers' figures (docs/lab.md): 90% of the domains have
 * fewer than about 500 pages, 99% fewer than about 3,500, and the mean number of domains linked to is about 20.
 * Cost      about 1 µs; the domains asked for last are kept.
 */
import { KINDS } from './kinds/index.ts';
import type { Kind } from './kinds/kind.ts';
import { sectionNamesOf } from './paths.ts';
import { exp, hash, normalOf, power, TAG, unit } from './random.ts';
import { domainDeath, pageDeath, pagesAt } from './time.ts';
import { LANGUAGES, TOPICS } from './vocabulary.ts';
import type { World } from './world.ts';

const SIZE_EXPONENT = 0.85;
const DEGREE_EXPONENT = 0.5;
const MEAN_DEGREE = 20;
const MAX_DEGREE = 20_000;
const MAX_HOSTS = 40;

const HOST_LABELS = 'www blog news shop forum docs wiki support dev media events search'.split(' ');

export class Domain {
  readonly world: World;
  readonly index: number;
  readonly kind: Kind;
  /** It is the how-manieth of its kind. */
  readonly number: number;
  readonly name: string;
  readonly community: number;
  readonly topic: number;
  readonly language: number;
  readonly initialPages: number;
  /** Share of its first pages that it adds a step. */
  readonly activity: number;
  readonly frailty: number;
  /** Pages ever born, the dead included: page numbers are below this. */
  readonly pages: number;
  readonly hosts: number;
  /** Section fronts that the menu names: pages 1 to `sections`. */
  readonly sections: number;
  /** Pages that live as long as the domain: the homes of its hosts and its section fronts. */
  readonly fixedPages: number;
  /** How its paths look, see paths.ts. */
  readonly style: number;
  /** Its home is `www.name` rather than `name`; the other one redirects. */
  readonly www: boolean;
  readonly death: number;

  constructor(world: World, index: number) {
    const { seed } = world;
    this.world = world;
    this.index = index;
    this.kind = KINDS[world.layout.kindAt(index)];
    this.number = world.layout.numberOf(index);
    this.name = world.names.nameOf(index, this.kind.name === 'academic');
    this.community = index % world.communities;
    this.topic = this.community % TOPICS.length;
    this.language = languageOf(hash(seed, TAG.language, index) % 100);
    this.frailty = normalOf(hash(seed, TAG.frailty, index));
    this.activity = 0.04 * exp(0.5 * this.frailty);
    this.initialPages = world.scenario.exactPages
      ? world.meanPages
      : Math.max(1, this.kind.pages(world, index, sizeByRank(world, index)));
    this.sections = Math.min(8, Math.floor((this.initialPages - 1) / 2));
    this.hosts = hostsOf(world, index, this.initialPages);
    this.fixedPages = Math.max(this.hosts, this.sections + 1);
    this.style = hash(seed, TAG.style, index) % 4;
    this.www = hash(seed, TAG.www, index) % 10 < 7;
    this.death = domainDeath(world, index, this.community, this.kind.name === 'giant' || index === 0);
    this.pages = world.step === 0 ? this.initialPages : pagesAt(world, this, world.step);
  }

  /** What its paths begin with, see paths.ts. */
  get sectionNames(): readonly string[] {
    this.#sectionNames ??= sectionNamesOf(this);
    return this.#sectionNames;
  }
  #sectionNames: readonly string[] | undefined;

  /** How many domains it links to. */
  get degree(): number {
    const byRank = degreeByRank(this.world, this.index);
    return this.kind.degree ? this.kind.degree(this.world, this, byRank) : byRank;
  }

  get alive(): boolean {
    return this.world.step < this.death;
  }

  /** The page is there at this step, if the domain is. */
  hasPage(page: number): boolean {
    return (
      page < this.pages && (this.world.step === 0 || this.world.step < pageDeath(this.world, this, page))
    );
  }

  hostName(host: number): string {
    if (host === 0) return this.www ? `www.${this.name}` : this.name;
    return `${HOST_LABELS[host] ?? `host${host}`}.${this.name}`;
  }

  /** The host that a label names: its number, -1 for none of them, or -2 for the twin of the first one. */
  hostNumber(label: string): number {
    if (label === '' || label === 'www') return (label === 'www') === this.www ? 0 : -2;
    const known = HOST_LABELS.indexOf(label);
    const number = known >= 0 ? known : /^host[1-9]\d?$/.test(label) ? Number(label.slice(4)) : -1;
    return number > 0 && number < this.hosts && (known >= 0 || number >= HOST_LABELS.length) ? number : -1;
  }

  hostOf(page: number): number {
    return page % this.hosts;
  }

  origin(host: number): string {
    return `http://${this.hostName(host)}:${this.world.httpPort}`;
  }
}

function sizeByRank(world: World, index: number): number {
  const noise = exp(0.5 * normalOf(hash(world.seed, TAG.size, index)) - 0.125);
  return Math.round(world.meanPages * (1 - SIZE_EXPONENT) * byRank(world, index, SIZE_EXPONENT) * noise);
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

/** The domains asked for last, in two generations: when the young one is full it replaces the old. */
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
