/**
 * What a kind of domain is: how large, who links to it, whom it links to, and the URLs it invents
 * beside its pages.
 *
 * A kind is data plus at most three functions; `index.ts` lists them all. Adding one is a file here
 * and a line there.
 */
import type { Domain } from './domain.ts';
import type { LinkList } from './link-list.ts';
import type { Resource } from './resource.ts';
import type { Web } from './web.ts';
import type { World } from './world.ts';

export type KindName =
  | 'giant'
  | 'ordinary'
  | 'personal'
  | 'academic'
  | 'directory'
  | 'exchange'
  | 'farm'
  | 'parked'
  | 'copy'
  | 'honeypot'
  | 'wildcard'
  | 'calendar'
  | 'session'
  | 'repeat'
  | 'alias';

export interface Original {
  readonly domain: Domain;
  readonly page: number;
  /** One paragraph in so many is another; 0: a faithful copy. */
  readonly edited: number;
}

export interface Kind {
  readonly name: KindName;
  /** One line for `drumlin web truth` and the documentation. */
  readonly about: string;
  /** Made to deceive: what a budget should starve. */
  readonly spam: boolean;
  /** Ordinary links may point here, the more the better its rank. */
  readonly linked: boolean;
  /** Its home pages carry the chain of neighbours that makes every honest domain reachable. */
  readonly backbone: boolean;
  /** Its URLs never end: such a web cannot be listed. */
  readonly endless: boolean;
  /** How many pages it has at step 0, given what its rank alone would give it. */
  pages(world: World, index: number, byRank: number): number;
  /** What this domain is within its group (a farm's target, a parking hub), for the truth only. */
  role?(world: World, domain: Domain): string;
  /**
   * Whom the k-th of its links to other domains points at (-1: nobody); undefined: whomever
   * everybody links to.
   */
  target?(web: Web, domain: Domain, k: number): number | undefined;
  /** How many domains it links to; absent: what its rank gives it. */
  degree?(world: World, domain: Domain, byRank: number): number;
  /** Some of its pages are papers in PDF. */
  papers?: boolean;
  /** Whose text a page of it bears; undefined: its own. */
  textOf?(web: Web, domain: Domain, page: number): Original | undefined;
  /** Links that only this kind puts on its pages. */
  furnish?(web: Web, domain: Domain, page: number, links: LinkList): void;
  /**
   * URLs that are no pages of the site: endless calendars, copies, parked names. `undefined`: not
   * one of mine.
   */
  resource?(web: Web, domain: Domain, label: string, target: string): Resource | undefined;
  /** Host names that are not in the site's list but exist all the same. */
  anyHost?: boolean;
}
