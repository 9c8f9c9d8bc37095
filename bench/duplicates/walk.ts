/** A walk through one domain of the lab, breadth first, with all that the crawl makes of pages that are alike; no network, no delays. */
import { Counters } from '../../src/crawl/counters.ts';
import { type Judgement, Likeness } from '../../src/crawl/likeness.ts';
import { resolveConfig } from '../../src/crawl/settings.ts';
import { LikenessMemory } from '../../src/duplicates/likeness-folder.ts';
import type { Domain } from '../../src/lab/domain.ts';
import { urlOf } from '../../src/lab/paths.ts';
import type { Web } from '../../src/lab/web.ts';
import { parsePage } from '../../src/parse/page.ts';
import { originOf, pathOf } from '../../src/url/parts.ts';
import { repeatsMoreThan } from '../../src/url/repeats.ts';
import { fetchFrom } from './pages.ts';
import type { KnownPage } from './stream.ts';

export interface Walked {
  readonly fetched: number;
  /** What was left when the walk came to its limit. */
  readonly waiting: readonly string[];
  /** URLs that a rule kept from being fetched. */
  readonly refused: ReadonlySet<string>;
}

export interface WalkOptions {
  readonly mostPages: number;
  /** Whether anything is learned, and repeated segments refused. */
  readonly learns: boolean;
  readonly onPage: (page: KnownPage, judgement: Judgement) => void;
}

export function walk(web: Web, domain: Domain, { mostPages, learns, onPage }: WalkOptions): Walked {
  const config = resolveConfig(learns ? { learnTraps: true, softErrors: 'store' } : {});
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
      if (learns && repeatsMoreThan(url, config.maxRepeats)) refused.add(url);
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
    const judgement = likeness.judge(url, page.body);
    onPage(page, judgement);
    const question = likeness.taken(url, judgement);
    // It is asked next, as the crawl does.
    if (question !== undefined && !known.has(question)) {
      known.add(question);
      queue.splice(next, 0, question);
    }
    const links = parsePage(page.body, { url }).links.map((link) => link.url);
    // What robots.txt keeps everybody from is not walked either.
    const own = links.filter(
      (link) => originOf(link) === originOf(url) && !pathOf(link).startsWith('/private/'),
    );
    const followed = likeness.rewritten(own);
    const kept = new Set(followed);
    for (const link of own) if (!kept.has(link) && !known.has(link)) refused.add(link);
    discover(followed);
  }
  return { fetched, waiting: queue.slice(next), refused };
}
