/**
 * How much spam the rankings admit in the lab's `spam` scenario, where the truth is known: the
 * order of methods should be the paper's.
 */

import { formatCount } from '../../src/base/units.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { memoryGraph } from '../../src/graph/memory-graph.ts';
import { LinkList } from '../../src/lab/link-list.ts';
import { addDomainLinks } from '../../src/lab/links.ts';
import { NO_PORTS, webOf } from '../../src/lab/server/lab.ts';
import type { Web } from '../../src/lab/web.ts';
import { Random } from '../../src/lab/words/random.ts';
import { countUpTo, placesOf } from '../../src/rank/compare/compare.ts';
import { order, rank } from '../../src/rank/index.ts';

export interface LabGraph {
  readonly graph: Graph;
  /** The domains by id. */
  readonly domains: readonly {
    readonly name: string;
    readonly kind: string;
    readonly spam: boolean;
  }[];
}

export interface LabGraphOptions {
  /** The most comment links to spam that are used from one domain; 0 for none. */
  readonly comments: number;
}

/**
 * The graph of a web's domains. Its links are those the lab draws for each domain
 * (`web.neighbours`). A crawl of every page also finds links in comments, on one honest page in
 * fifty; those need a walk over all pages.
 */
export function labDomainGraph(web: Web, { comments }: LabGraphOptions): LabGraph {
  const { domains: count } = web.world;
  const from: number[] = [];
  const to: number[] = [];
  for (let index = 0; index < count; index++) {
    const targets = new Set(web.neighbours(index));
    if (comments > 0) for (const target of commented(web, index, comments)) targets.add(target);
    for (const target of targets) {
      from.push(index);
      to.push(target);
    }
  }
  const all = Array.from({ length: count }, (_, index) => {
    const { name, kind } = web.domains.at(index);
    return { index, name, kind: kind.name, spam: kind.spam };
  });
  // Ids follow the byte order of names, which in the lab are ASCII.
  const domains = all.sort((a, b) => (a.name < b.name ? -1 : 1));
  const idOf = new Uint32Array(count);
  domains.forEach(({ index }, id) => {
    idOf[index] = id;
  });
  const ids = (indexes: readonly number[]) => Uint32Array.from(indexes, (index) => idOf[index]);
  const names = domains.map(({ name }) => name);
  return { graph: memoryGraph(count, { from: ids(from), to: ids(to) }, names), domains };
}

/** Spam that an honest domain's pages link to in comments, at most `most` domains. */
function commented(web: Web, index: number, most: number): Set<number> {
  const domain = web.domains.at(index);
  const found = new Set<number>();
  if (domain.kind.spam) return found;
  const random = new Random(0, 0, 0, 0); // draws only repeats of known links
  for (let page = 0; page < domain.pages && found.size < most; page++) {
    const links = new LinkList(0);
    addDomainLinks(web, domain, page, 0, links, random);
    for (let i = 0; i < links.length; i++) {
      const other = links.domainAt(i);
      if (other?.kind.spam) found.add(other.index);
    }
  }
  return found;
}

const METHODS = ['supp', 'tse', 'trustrank', 'in', 'pagerank', 'opic'];

export async function labTable(count: number, print: (line: string) => void): Promise<void> {
  const web = webOf({ scenario: 'spam', domains: count }, NO_PORTS);
  for (const comments of [0, 3, Number.POSITIVE_INFINITY]) {
    const { graph, domains } = labDomainGraph(web, { comments });
    const depths = [0.001, 0.01, 0.05].map((share) => Math.round(share * count));
    const which =
      comments === 0
        ? 'no comments'
        : comments < 100
          ? `${comments} links in comments a domain`
          : 'all links in comments';
    print(
      `\nlab, spam, ${formatCount(count)} domains, ${formatCount(graph.arcs)} arcs, ${which}: spam among the first`,
    );
    print(`| | ${depths.map(formatCount).join(' | ')} | first |`);
    print('|---|---|---|---|---|');
    for (const by of METHODS) {
      const { scores } = await rank(graph, { by, ...(by === 'tse' && { p: 0.1 }) });
      const places = placesOf(order(scores), (id) => domains[id].spam);
      print(
        `| ${by} | ${depths.map((r) => formatCount(countUpTo(places, r))).join(' | ')} | ${formatCount(places[0])} |`,
      );
    }
  }
}
