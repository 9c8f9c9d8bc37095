/**
 * What a kind of domain is: how large, which domains link to it, which it links to, and the URLs it
 * invents beside its pages.
 *
 * A kind is data plus at most three functions. They are in honest-kinds.ts, spam-kinds.ts and
 * trap-kinds.ts; kinds.ts lists them all.
 */
import type { Domain } from './domain.ts';
import type { LinkList } from './link-list.ts';
import type { Resource } from './resource.ts';
import type { Trick } from './tricks/manner.ts';
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
  | 'expired'
  | 'sparse-ring'
  | 'bought'
  | 'wildcard'
  | 'calendar'
  | 'session'
  | 'repeat'
  | 'alias';

export interface Original {
  readonly domain: Domain;
  readonly page: number;
  /** One paragraph in this many is changed; 0 for an exact copy. */
  readonly edited: number;
}

/** Domains of the same makers. */
interface Group {
  readonly name: string;
  readonly number: number;
}

export interface Kind {
  readonly name: KindName;
  /** One line for `drumlin web truth` and the documentation. */
  readonly about: string;
  /** Made to deceive: budgets should keep it small. */
  readonly spam: boolean;
  /** Ordinary links may point here, more often the better its rank. */
  readonly linked: boolean;
  /** Its home pages carry the chain of neighbours that makes every honest domain reachable. */
  readonly backbone: boolean;
  /** It has infinitely many URLs: such a web cannot be listed. */
  readonly endless: boolean;
  /** The number of its pages at step 0, given the number by rank alone. */
  pages(world: World, index: number, byRank: number): number;
  /** What its makers may do with its text; absent on honest kinds. */
  readonly tricks?: readonly Trick[];
  /** The group of domains that it belongs to: its makers' own, or the one that it works for. */
  group?(world: World, domain: Domain): Group | undefined;
  /** Its links change at every step. */
  readonly restless?: boolean;
  /** What this domain is within its group (a farm's target, a parking hub), for the truth only. */
  role?(world: World, domain: Domain): string;
  /**
   * The target of the k-th of its links to other domains: -1 for none; undefined for a target drawn
   * like those of ordinary domains.
   */
  target?(web: Web, domain: Domain, k: number): number | undefined;
  /** How many domains it links to; by default what its rank gives. */
  degree?(world: World, domain: Domain, byRank: number): number;
  /** Some of its pages are papers in PDF. */
  papers?: boolean;
  /** The domain whose text its page copies; undefined for its own text. */
  textOf?(web: Web, domain: Domain, page: number): Original | undefined;
  /** Adds links that only this kind has on its pages. */
  furnish?(web: Web, domain: Domain, page: number, links: LinkList): void;
  /**
   * URLs that are not pages of the site: endless calendars, copies, parked names. Undefined if the
   * URL is not one of these.
   */
  resource?(web: Web, domain: Domain, label: string, target: string): Resource | undefined;
  /** Host names outside the site's list exist, too. */
  anyHost?: boolean;
}
