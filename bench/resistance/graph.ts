/** The domains of a web under attack, as a graph, with what they really are. */
import type { Graph } from '../../src/graph/graph.ts';
import { memoryGraph } from '../../src/graph/memory-graph.ts';
import { truthAt } from '../../src/lab/judge/truth.ts';
import { LinkList } from '../../src/lab/link-list.ts';
import { addDomainLinks } from '../../src/lab/links.ts';
import type { Web } from '../../src/lab/web.ts';
import { hash, Random } from '../../src/lab/words/random.ts';
import { hostOf } from '../../src/url/parts.ts';

export interface AttackedDomain {
  readonly name: string;
  readonly kind: string;
  readonly spam: boolean;
  /** Its makers, or '' if it is alone. */
  readonly group: string;
  readonly address: string;
}

export interface AttackedGraph {
  readonly graph: Graph;
  /** By id. */
  readonly domains: readonly AttackedDomain[];
  /** In-lists by id. */
  readonly inLists: readonly (readonly number[])[];
  /** Names of the domains of the seeds. */
  readonly seeds: readonly string[];
}

interface GraphOptions {
  /** Pages of each honest domain on which comments are read. */
  readonly pages: number;
  /** Adds so many domains that all link to each other; giants link to one of them. */
  readonly clique?: number;
  /** Leaves out links, such as those that were not seen for long. */
  readonly without?: (source: number, target: number) => boolean;
}

export function attackedGraph(web: Web, options: GraphOptions): AttackedGraph {
  const { pages, clique = 0, without = () => false } = options;
  const { domains: count } = web.world;
  const links: [from: number, to: number][] = [];
  const all: (AttackedDomain & { index: number })[] = [];
  for (let index = 0; index < count; index++) {
    for (const to of linksOf(web, index, pages)) if (!without(index, to)) links.push([index, to]);
    const { domain: name, kind, spam, group, address } = truthAt(web, index);
    all.push({ index, name, kind, spam, group, address });
  }
  for (let i = 0; i < clique; i++) {
    const address = `127.0.${i >> 8}.${i & 255}`;
    const name = `clique-${i}.test`;
    all.push({ index: count + i, name, kind: 'clique', spam: true, group: 'clique', address });
    for (let j = 0; j < clique; j++) if (i !== j) links.push([count + i, count + j]);
  }
  if (clique > 0) links.push([hash(web.world.seed, 0, 1) % 1000, count]);
  // Ids follow the byte order of names, which in the lab are ASCII.
  const domains = all.sort((a, b) => (a.name < b.name ? -1 : 1));
  const idOf = new Uint32Array(all.length);
  domains.forEach(({ index }, id) => {
    idOf[index] = id;
  });
  const inLists: number[][] = domains.map(() => []);
  const from = Uint32Array.from(links, ([index]) => idOf[index]);
  const to = Uint32Array.from(links, ([, index]) => idOf[index]);
  for (let i = 0; i < links.length; i++) inLists[to[i]].push(from[i]);
  const names = domains.map(({ name }) => name);
  const seeds = web.seeds().map((url) => web.placeOf(hostOf(url))?.domain.name ?? '');
  return { graph: memoryGraph(all.length, { from, to }, names), domains, inLists, seeds };
}

/** The domains that a domain links to, with those in comments on its first pages. */
function linksOf(web: Web, index: number, pages: number): Set<number> {
  const targets = new Set(web.neighbours(index));
  const domain = web.domains.at(index);
  const last = domain.kind.spam ? 0 : Math.min(domain.pages, pages);
  const random = new Random(0, 0, 0, 0); // draws only repeats of known links
  for (let page = 0; page < last; page++) {
    const links = new LinkList(0);
    addDomainLinks(web, domain, page, 0, links, random);
    for (let i = 0; i < links.length; i++) {
      const other = links.domainAt(i);
      if (other) targets.add(other.index);
    }
  }
  targets.delete(index);
  return targets;
}

/**
 * Independent supporters (docs/supporters.md): at most `cap` through one in-neighbour, none of the
 * domain's own makers. An upper bound of the largest such set.
 */
export function independentSupporters(
  { domains, inLists }: AttackedGraph,
  cap: number,
): Float64Array {
  const counts = new Float64Array(domains.length);
  const marks = new Int32Array(domains.length).fill(-1);
  for (let x = 0; x < domains.length; x++) {
    const { group } = domains[x];
    const isOwn = (z: number) => z === x || (group !== '' && domains[z].group === group);
    const others = inLists[x].filter((y) => !isOwn(y));
    for (const y of inLists[x]) marks[y] = x;
    let union = 0;
    let passed = 0;
    for (const y of others) {
      let own = 0;
      for (const z of inLists[y]) {
        if (isOwn(z)) continue;
        own++;
        if (marks[z] === x) continue;
        marks[z] = x;
        union++;
      }
      passed += Math.min(cap, own);
    }
    counts[x] = Math.min(union, passed);
  }
  return counts;
}
