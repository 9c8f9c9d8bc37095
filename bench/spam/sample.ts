/**
 * Sites of a synthetic web as a crawl would have them: some pages of each, followed from its home
 * page, without a socket.
 *
 * Labels    spam is what the truth calls so; every other living domain with a page is ham.
 */
import type { Domain } from '../../src/lab/domain.ts';
import { glimpseOf } from '../../src/lab/judge/glimpse.ts';
import { type Truth, truthAt } from '../../src/lab/judge/truth.ts';
import { outlineOf } from '../../src/lab/outline.ts';
import { urlOf } from '../../src/lab/paths.ts';
import { type LabOptions, webOf } from '../../src/lab/server/lab.ts';
import type { Web } from '../../src/lab/web.ts';
import { hash } from '../../src/lab/words/random.ts';
import { hostOf, pathOf } from '../../src/url/parts.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };

export interface SampledPage {
  readonly url: string;
  readonly links: readonly string[];
  readonly body: Buffer;
}

export interface SampledSite {
  readonly domain: Domain;
  readonly truth: Truth;
  pages(most: number): Generator<SampledPage>;
}

export const openWeb = (options: LabOptions): Web => webOf(options, PORTS);

/** About `count` living sites of a web, drawn by chance. */
export function sampleSites(web: Web, count: number): SampledSite[] {
  const { domains, seed } = web.world;
  const order = Array.from({ length: domains }, (_, index) => index).sort(
    (a, b) => hash(seed, 0x5a, a) - hash(seed, 0x5a, b) || a - b,
  );
  const sites: SampledSite[] = [];
  for (const index of order) {
    if (sites.length === count) break;
    const domain = web.domains.at(index);
    if (!domain.alive || domain.behaviour('dns') === 'dns-nxdomain') continue;
    const truth = truthAt(web, index);
    sites.push({ domain, truth, pages: (most) => pagesOf(web, domain, most) });
  }
  return sites;
}

/** The pages that a crawl fetches first, breadth first within the domain. */
export function* pagesOf(web: Web, domain: Domain, most: number): Generator<SampledPage> {
  const queue = [urlOf(domain, 0)];
  const known = new Set(queue);
  let fetched = 0;
  for (let at = 0; at < queue.length && at < 4 * most && fetched < most; at++) {
    const url = queue[at];
    const glimpse = glimpseOf(web, url);
    if (!glimpse) continue;
    const next = glimpse.redirect === undefined ? glimpse.links : [glimpse.redirect];
    for (const link of next) {
      if (known.has(link) || known.size > 20 * most) continue;
      if (web.placeOf(hostOf(link))?.domain !== domain) continue;
      known.add(link);
      queue.push(link);
    }
    if (glimpse.status !== 200 || glimpse.links.length === 0) continue;
    const answer = web.answer(hostOf(url), pathOf(url), url.startsWith('https:'));
    if (!answer) continue;
    fetched++;
    yield { url, links: glimpse.links, body: Buffer.from(answer.body, 'latin1') };
  }
}

/** The links between domains: of all slots, and of the first pages of each domain. */
export function domainArcs(web: Web, pages: number): [number, number][] {
  const arcs: [number, number][] = [];
  for (let index = 0; index < web.world.domains; index++) {
    const domain = web.domains.at(index);
    if (!domain.alive) continue;
    for (const target of web.neighbours(index)) arcs.push([index, target]);
    for (let page = 0; page < Math.min(pages, domain.pages); page++) {
      const { links } = outlineOf(web, domain, page, 0);
      for (let i = 0; i < links.length; i++) {
        const target = links.domainAt(i)?.index;
        if (target !== undefined && target !== index) arcs.push([index, target]);
      }
    }
  }
  return arcs;
}
