/**
 * The results of a virtual crawl, judged by the lab's truth, which no crawler sees.
 *
 * Useful    is a page of an honest domain (giant, ordinary, personal, academic, directory: neither
 *           spam nor endless) that arrived complete under its own address with status 200. The
 *           sieve lets a URL through once, so no page counts twice.
 * Cost      8 bytes for each domain of the web.
 */
import type { Domain } from '../lab/domain.ts';
import type { Kind, KindName } from '../lab/kind.ts';
import { KINDS } from '../lab/kinds.ts';
import type { Web } from '../lab/web.ts';

export interface KindTally {
  pages: number;
  useful: number;
  /** Domains of which a page was fetched. */
  domains: number;
  /** Domains of the web. */
  all: number;
  lookUps: number;
  /** Pages of the domain with the most. */
  mostPages: number;
  /** Look-ups of the domain with the most. */
  mostLookUps: number;
}

export type KindTallies = Readonly<Record<KindName, KindTally>>;

export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

export const isHonest = ({ spam, endless }: Kind): boolean => !spam && !endless;

export class Tally {
  /** Responses received, robots.txt aside, as `--max-pages` of a crawl counts them. */
  pages = 0;
  useful = 0;
  domains = 0;
  lookUps = 0;
  /** Requests for pages. */
  requests = 0;
  /** Requests for robots.txt. */
  robots = 0;
  /** Requests that were answered "not now". */
  retries = 0;
  /** URLs that robots.txt disallows. */
  disallowed = 0;
  readonly kinds: KindTallies;
  readonly #web: Web;
  readonly #pagesOf: Uint32Array;
  readonly #lookUpsOf: Uint32Array;

  constructor(web: Web) {
    this.#web = web;
    this.#pagesOf = new Uint32Array(web.world.domains);
    this.#lookUpsOf = new Uint32Array(web.world.domains);
    const none = { pages: 0, useful: 0, domains: 0, lookUps: 0, mostPages: 0, mostLookUps: 0 };
    const { layout, domains } = web.world;
    this.kinds = Object.fromEntries(
      KIND_NAMES.map((name) => [name, { ...none, all: layout.countOf(name, domains) }]),
    ) as Record<KindName, KindTally>;
  }

  countRetry(): void {
    this.retries++;
  }

  /** `isPage`: it is useful if its domain is honest. */
  page({ index, kind }: Domain, isPage: boolean): void {
    const tally = this.kinds[kind.name];
    const pages = ++this.#pagesOf[index];
    this.pages++;
    tally.pages++;
    tally.mostPages = Math.max(tally.mostPages, pages);
    if (pages === 1) {
      this.domains++;
      tally.domains++;
    }
    if (isPage && isHonest(kind)) {
      this.useful++;
      tally.useful++;
    }
  }

  /** The kind of the domain with this name; undefined if there is none. */
  kindOf(name: string): KindName | undefined {
    return this.#web.placeOf(name)?.domain.kind.name;
  }

  /** Whether the domain with this name is spam. */
  isSpam(name: string): boolean {
    return this.#web.placeOf(name)?.domain.kind.spam ?? false;
  }

  lookUp(hostName: string): void {
    this.lookUps++;
    const domain = this.#web.placeOf(hostName)?.domain;
    if (!domain) return;
    const tally = this.kinds[domain.kind.name];
    tally.lookUps++;
    tally.mostLookUps = Math.max(tally.mostLookUps, ++this.#lookUpsOf[domain.index]);
  }
}
