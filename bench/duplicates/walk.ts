/**
 * Walks through one domain of the lab, breadth first, with everything that the crawl learns from
 * similar pages, and without; no network, no delays.
 */

import { resolveConfig } from '../../src/config/settings.ts';
import { type Judgement, Likeness } from '../../src/crawl/agent/likeness.ts';
import { Counters } from '../../src/crawl/record/counters.ts';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { LikenessMemory } from '../../src/duplicates/likeness-folder.ts';
import type { Domain } from '../../src/lab/domain.ts';
import { glimpseOf } from '../../src/lab/judge/glimpse.ts';
import { textAt } from '../../src/lab/judge/truth.ts';
import { urlOf } from '../../src/lab/paths.ts';
import type { Web } from '../../src/lab/web.ts';
import { parsePage } from '../../src/parse/page.ts';
import { hostOf, originOf, pathOf } from '../../src/url/parts.ts';
import { repeatsMoreThan } from '../../src/url/repeats.ts';
import { fetchFrom } from './pages.ts';
import type { KnownPage } from './stream.ts';

export interface Walked {
  readonly fetched: number;
  /** URLs that were queued when the walk reached its limit. */
  readonly waiting: readonly string[];
  /** URLs that a rule skipped. */
  readonly refused: ReadonlySet<string>;
}

/** A walk without learning: yields the texts of the pages in their order. */
export function* plainWalk(web: Web, domain: Domain, mostPages: number): Generator<string> {
  const start = urlOf(domain, 0);
  const known = new Set([start]);
  const queue = [start];
  for (let next = 0; next < queue.length && next < mostPages; next++) {
    const url = queue[next];
    const glimpse = glimpseOf(web, url);
    const text = textAt(web, hostOf(url), pathOf(url));
    if (glimpse?.status !== 200 || text === undefined) continue;
    yield text;
    for (const link of ownLinks(url, glimpse.links)) {
      if (known.has(link)) continue;
      known.add(link);
      queue.push(link);
    }
  }
}

/** URLs that robots.txt forbids are not walked. */
const ownLinks = (url: string, links: readonly string[]): string[] =>
  links.filter((link) => originOf(link) === originOf(url) && !pathOf(link).startsWith('/private/'));

export function walk(
  web: Web,
  domain: Domain,
  mostPages: number,
  onPage: (page: KnownPage, judgement: Judgement) => void,
): Walked {
  const config = resolveConfig({ learnTraps: true, softErrors: 'store' });
  const likeness = new Likeness({
    config,
    memory: new LikenessMemory(2 ** 21),
    counters: new Counters(),
    log: { event: () => {} },
  });
  const start = urlOf(domain, 0);
  const known = new Set([start]);
  const queue = [start];
  const refused = new Set<string>();
  const discover = (found: readonly string[]) => {
    for (const url of found) {
      if (known.has(url)) continue;
      known.add(url);
      if (repeatsMoreThan(url, config.maxRepeats)) refused.add(url);
      else queue.push(url);
    }
  };
  let [next, fetched] = [0, 0];
  while (next < queue.length && fetched < mostPages) {
    const url = queue[next++];
    const instead = likeness.instead({ url, depth: 1, redirects: 0 });
    if (instead !== undefined) {
      refused.add(url);
      discover([instead]);
      continue;
    }
    fetched++;
    const page = fetchFrom(web, url);
    if (!page) {
      likeness.missed(url);
      continue;
    }
    const judgement = likeness.judge(url, fingerprintOf(page.body));
    onPage(page, judgement);
    const question = likeness.committed(url, judgement);
    // It is asked next, as the crawl does.
    if (question !== undefined && !known.has(question)) {
      known.add(question);
      queue.splice(next, 0, question);
    }
    const links = parsePage(page.body, { url }).links.map((link) => link.url);
    const own = ownLinks(url, links);
    const followed = likeness.rewritten(own);
    const kept = new Set(followed);
    for (const link of own) if (!kept.has(link) && !known.has(link)) refused.add(link);
    discover(followed);
  }
  return { fetched, waiting: queue.slice(next), refused };
}
