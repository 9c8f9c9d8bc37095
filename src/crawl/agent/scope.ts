/**
 * May a discovered URL be scheduled? Asked for every link of every page, before the sieve.
 *
 * Idea      The seeds span a region of the web (their hosts, their domains, their folders, or all
 *           of it). A link has to lie in it, be near and short enough, match no pattern of
 *           `exclude`, and match one of `include` if there are any. With `parent` it has to lie in
 *           the domain of its page, too. Everything is compiled once. A
 *           setting that is not used costs nothing.
 * Requires  canonical URLs. Depth 0 is for seeds and what they redirect to.
 * Ensures   the answer depends only on the settings, the seeds and the redirects admitted: from
 *           `[...seeds, ...admitted]` a resumed crawl, or another agent, builds the same scope.
 * Cost      a comparison of lengths and a count of slashes by default; about 0.1 µs with a region,
 *           as much again for each pattern. Memory for each host, domain or folder among the seeds;
 *           none for `any`.
 *
 * docs/scope.md explains what users of other crawlers find different, and why.
 */

import { ownCopy } from '../../base/own-copy.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { ScopeName } from '../../config/value-types.ts';
import type { TextTest } from '../../filter/glob.ts';
import { compileUrlPattern } from '../../filter/url-pattern.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { authorityOf, hostOf, originOf, pathOf } from '../../url/parts.ts';
import { repeatsMoreThan } from '../../url/repeats.ts';
import type { SeedMove } from '../record/seed-move.ts';

type ScopeRefusal =
  | 'url-too-long'
  | 'too-deep'
  | 'repeated-segments'
  | 'out-of-scope'
  | 'excluded'
  | 'not-included';

/** The settings that a scope is made of. */
type ScopeConfig = Pick<
  CrawlConfig,
  'scope' | 'maxDepth' | 'maxUrlLength' | 'maxRepeats' | 'include' | 'exclude' | 'requisites'
>;

export interface Scope {
  /**
   * Why the URL may not be scheduled; undefined when it may. `from` is the page with the link, or
   * what redirects to the URL; seeds and URLs that are queued already have none.
   */
  refusal(url: string, depth: number, from?: string): ScopeRefusal | undefined;
  /** Whether every URL of this depth that is not longer than `longest` may be scheduled. */
  admitsAll(depth: number, longest: number): boolean;
  /**
   * Why a requisite of the page `from` may not be scheduled; undefined when it may. It need not lie
   * where pages must, and neither its depth nor `include` counts. URLs that are queued already have
   * no `from`.
   */
  requisiteRefusal(url: string, from?: string): ScopeRefusal | undefined;
  /**
   * Whether the URL itself shows a trap. One question for each URL is enough, however discovered.
   */
  trap(url: string): ScopeRefusal | undefined;
  /**
   * A seed, or what one redirected to, redirects: the site has moved, and the scope with it. True
   * when the scope grew: then other agents and the crawl's folder must learn of it.
   */
  admitSeedRedirect(from: string, to: string): boolean;
  /** Further seeds span the scope, too. */
  addSeeds(seeds: readonly string[]): void;
  /** What `admitSeedRedirect` added, in order. */
  readonly admitted: readonly string[];
}

export function createScope(config: ScopeConfig, seeds: Iterable<string>): Scope {
  const { maxDepth, maxUrlLength, maxRepeats } = config;
  const region = config.scope === 'any' ? undefined : new Region(cutOf(config.scope));
  const parents = config.scope === 'parent' ? domains(false) : undefined;
  region?.add(seeds);
  const include = config.include.map(compileUrlPattern);
  const exclude = config.exclude.map(compileUrlPattern);
  const admitted: string[] = [];
  const isOpen = region === undefined && include.length === 0 && exclude.length === 0;
  const sites = config.requisites === 'site' ? domains(true) : undefined;
  return {
    admitted,
    refusal(url, depth, from) {
      if (url.length > maxUrlLength) return 'url-too-long';
      if (depth > maxDepth) return 'too-deep';
      if (region !== undefined && !region.holds(url)) return 'out-of-scope';
      if (parents && from !== undefined && parents(from) !== parents(url)) return 'out-of-scope';
      if (exclude.length > 0 && someMatch(exclude, url)) return 'excluded';
      // `include` does not apply to seeds: they are seldom of the kind that is looked for.
      if (include.length > 0 && depth > 0 && !someMatch(include, url)) return 'not-included';
      return undefined;
    },
    admitsAll: (depth, longest) => isOpen && depth <= maxDepth && longest <= maxUrlLength,
    addSeeds: (more) => region?.add(more),
    requisiteRefusal(url, from) {
      if (url.length > maxUrlLength) return 'url-too-long';
      if (sites && from !== undefined && sites(from) !== sites(url)) return 'out-of-scope';
      return exclude.length > 0 && someMatch(exclude, url) ? 'excluded' : undefined;
    },
    trap: (url) => (repeatsMoreThan(url, maxRepeats) ? 'repeated-segments' : undefined),
    admitSeedRedirect(from, to) {
      if (region === undefined || region.holds(to) || !region.mayMove(from, to)) return false;
      if (parents) return false; // a redirect may not leave the domain either
      region.add([to]);
      admitted.push(to);
      return true;
    },
  };
}

function someMatch(tests: readonly TextTest[], url: string): boolean {
  for (const matches of tests) if (matches(url)) return true;
  return false;
}

/** Into which pieces the web is divided, and how much of a piece a seed spans. */
interface Cut {
  pieceOf(url: string): string;
  folderOf(url: string): string;
}

const wholePiece = () => '/';

function cutOf(scope: Exclude<ScopeName, 'any'>): Cut {
  if (scope === 'prefix') return { pieceOf: siteOf, folderOf };
  // With `parent`, a URL lies in the pay-level domain of its parent, and so in that of a seed.
  const pieceOf = scope === 'host' ? siteOf : domains(scope === 'domain');
  return { pieceOf, folderOf: wholePiece };
}

const SLASH = 47;

/** A part of the web, spanned by seeds: folders of sites or of domains. */
class Region {
  readonly #cut: Cut;
  /** By piece, sorted, none within another. */
  readonly #folders = new Map<string, readonly string[]>();
  /**
   * Most links of a page lead to one origin, so its folders are cached. (The slice keeps one page
   * alive.)
   */
  #origin = '';
  #here: readonly string[] | undefined;

  constructor(cut: Cut) {
    this.#cut = cut;
  }

  holds(url: string): boolean {
    const { length } = this.#origin;
    // Comparing a slice takes half the time of startsWith on URLs that are slices themselves, of a
    // page.
    if (url.charCodeAt(length) !== SLASH || url.slice(0, length) !== this.#origin) {
      this.#origin = originOf(url);
      this.#here = this.#folders.get(this.#cut.pieceOf(url));
    }
    const folders = this.#here;
    if (folders === undefined) return false;
    if (folders.length === 1) return url.startsWith(folders[0], this.#origin.length);
    return isUnderOne(folders, pathOf(url));
  }

  add(seeds: Iterable<string>): void {
    const added = new Map<string, string[]>();
    for (const seed of seeds) {
      const piece = ownCopy(this.#cut.pieceOf(seed));
      const folder = ownCopy(this.#cut.folderOf(seed));
      const folders = added.get(piece);
      if (folders === undefined) added.set(piece, [folder]);
      else folders.push(folder);
    }
    for (const [piece, folders] of added) {
      this.#folders.set(piece, outermost([...(this.#folders.get(piece) ?? []), ...folders]));
    }
    this.#origin = '';
  }

  /**
   * Whether a redirect between these two may make the region larger. A page that is gone often
   * redirects to the front page of its site: that must not open the whole site to a folder scope.
   */
  mayMove(from: string, to: string): boolean {
    const { pieceOf, folderOf } = this.#cut;
    if (!this.holds(from)) return false;
    return pieceOf(from) !== pieceOf(to) || !folderOf(from).startsWith(folderOf(to));
  }
}

/**
 * The host and port, without `www.`: to users, http and https, with and without it, are one site.
 */
function siteOf(url: string): string {
  const authority = authorityOf(url);
  return authority.startsWith('www.') ? authority.slice(4) : authority;
}

/** The path up to its last slash. */
function folderOf(url: string): string {
  const path = pathOf(url);
  const query = path.indexOf('?');
  return path.slice(0, path.lastIndexOf('/', query < 0 ? path.length : query) + 1);
}

/** Hosts whose domain is cached; the cache is emptied when it is full. */
const MOST_REMEMBERED = 16_384;

/** The registered domain of a URL; with `privateSuffixes` each user site is a domain. */
function domains(privateSuffixes: boolean): (url: string) => string {
  const remembered = new Map<string, string>();
  return (url) => {
    const host = hostOf(url);
    const known = remembered.get(host);
    if (known !== undefined) return known;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const own = ownCopy(host);
    const domain = payLevelDomain(own, { privateSuffixes });
    remembered.set(own, domain);
    return domain;
  };
}

/** Sorted, without those that lie in another. */
function outermost(folders: string[]): string[] {
  const kept: string[] = [];
  // What begins with a folder is sorted right behind it, so only the last one kept can hold the
  // next.
  for (const folder of folders.sort()) {
    if (kept.length === 0 || !folder.startsWith(kept[kept.length - 1])) kept.push(folder);
  }
  return kept;
}

/** Requires sorted folders, none within another: only the last not behind the path can hold it. */
function isUnderOne(folders: readonly string[], path: string): boolean {
  let low = 0;
  let high = folders.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (folders[middle] <= path) low = middle + 1;
    else high = middle;
  }
  return low > 0 && path.startsWith(folders[low - 1]);
}

/** The seeds that have moved: the scope follows them, and so do other agents and later runs. */
export class MovedSeeds {
  readonly #scope: Scope;
  readonly #onMoved: (move: SeedMove) => void;
  readonly #moves: SeedMove[] = [];

  /** `onMoved` reports moves that this agent discovers. */
  constructor(scope: Scope, onMoved: (move: SeedMove) => void) {
    this.#scope = scope;
    this.#onMoved = onMoved;
  }

  /** Moves that this agent has discovered, for its checkpoint. */
  get moves(): readonly SeedMove[] {
    return this.#moves;
  }

  /** Moves of the last checkpoint: the crawl may have crashed before its folder held them. */
  restore(moves: readonly SeedMove[]): void {
    for (const move of moves) {
      if (this.#scope.admitSeedRedirect(...move)) this.#onMoved(move);
      this.#moves.push(move);
    }
  }

  /** A seed, or what it redirected to, redirects. */
  redirected(from: string, to: string): void {
    if (!this.#scope.admitSeedRedirect(from, to)) return;
    this.#moves.push([from, to]);
    this.#onMoved([from, to]);
  }

  /** Another agent has discovered a move. */
  learn(move: SeedMove): void {
    this.#scope.admitSeedRedirect(...move);
  }
}
