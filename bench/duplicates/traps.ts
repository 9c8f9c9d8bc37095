/**
 * Traps and soft 404s: domains of every kind, walked like a crawl, and judged by the true text of
 * each address.
 *
 * A URL is redundant if its text was fetched under another address. Each domain is walked twice, up
 * to the same number of pages: once without learning, and once with the crawl's rules. Recall is
 * the share of the redundant pages that the rules avoid. Precision is the share of the URLs they
 * skipped whose text was fetched elsewhere. A skipped URL whose text was never fetched is lost.
 */
import type { Domain } from '../../src/lab/domain.ts';
import { textAt } from '../../src/lab/judge/truth.ts';
import type { KindName } from '../../src/lab/kind.ts';
import type { Web } from '../../src/lab/web.ts';
import { hostOf, pathOf } from '../../src/url/parts.ts';
import { domainsOf, makeWeb } from './pages.ts';
import { plainWalk, walk } from './walk.ts';

const TRAPS: readonly KindName[] = ['session', 'alias', 'calendar', 'repeat'];
const HONEST: readonly KindName[] = ['ordinary', 'personal', 'academic', 'directory', 'copy'];
const SOFT_PAGES = 1000;

export interface Extent {
  readonly seed: number;
  /** Domains of each kind. */
  readonly domains: number;
  /** Most pages of each domain. */
  readonly pages: number;
}

interface Sum {
  fetched: number;
  redundant: number;
  /** Redundant pages of the walk without learning. */
  without: number;
  caught: number;
  lost: number;
}

export function judgeTraps({ seed, domains, pages }: Extent): void {
  const web = makeWeb(seed);
  console.log(`traps, seed ${seed}: up to ${domains} domains of a kind, up to ${pages} pages each`);
  console.log('  kind        fetched  redundant   without  not fetched  lost   precision  recall');
  for (const kind of [...TRAPS, ...HONEST]) {
    const sum: Sum = { fetched: 0, redundant: 0, without: 0, caught: 0, lost: 0 };
    for (const domain of domainsOf(web, kind, domains)) judge(web, domain, pages, sum);
    const { fetched, redundant, without, caught, lost } = sum;
    const cells = [
      kind.padEnd(10),
      ...[fetched, redundant, without, caught + lost, lost].map((n, i) =>
        String(n).padStart([8, 10, 9, 12, 5][i]),
      ),
      share(caught, caught + lost).padStart(10),
      (TRAPS.includes(kind) ? share(without - redundant, without) : '-').padStart(9),
    ];
    console.log(`  ${cells.join(' ')}`);
  }
  console.log('');
}

const share = (part: number, whole: number): string =>
  whole === 0 ? '-' : (part / whole).toFixed(4);

/** The text of a page; undefined for errors, which cannot be lost. */
const pageText = (web: Web, url: string): string | undefined => {
  const text = textAt(web, hostOf(url), pathOf(url));
  return text !== undefined && /^answer (?!200)/.test(text) ? undefined : text;
};

function judge(web: Web, domain: Domain, mostPages: number, sum: Sum): void {
  const had = new Set<string>();
  const { waiting, refused } = walk(web, domain, mostPages, ({ text }) => {
    sum.fetched++;
    if (had.has(text)) sum.redundant++;
    had.add(text);
  });
  const without = new Set<string>();
  for (const text of plainWalk(web, domain, mostPages)) {
    if (without.has(text)) sum.without++;
    without.add(text);
  }
  // A queued URL is not lost.
  for (const url of waiting) had.add(pageText(web, url) ?? '');
  for (const url of refused) {
    const text = pageText(web, url);
    if (text === undefined || had.has(text)) sum.caught++;
    else sum.lost++;
  }
}

/**
 * Domains with soft 404s, and domains without: how many of these pages are recognised, and how many
 * others are taken for one.
 */
export function judgeSoftErrors({ seed, domains }: Extent): void {
  const web = makeWeb(seed);
  const soft: Domain[] = [];
  for (let index = 0; index < web.world.domains && soft.length < domains; index++) {
    const domain = web.domains.at(index);
    if (domain.alive && domain.behaviour('page') === 'soft-404' && domain.pages >= 20)
      soft.push(domain);
  }
  const honest = HONEST.flatMap((kind) => domainsOf(web, kind, domains)).filter(
    (domain) => domain.behaviour('page') !== 'soft-404',
  );
  let [positives, right, wrong] = [0, 0, 0];
  for (const domain of [...soft, ...honest]) {
    walk(web, domain, SOFT_PAGES, ({ text }, { isSoft }) => {
      const isMissing = text.startsWith('answer 200');
      if (isMissing) positives++;
      if (isSoft && isMissing) right++;
      if (isSoft && !isMissing) wrong++;
    });
  }
  console.log(
    `soft 404s, seed ${seed}: ${soft.length} domains that have them and ${honest.length} that have none; ${positives} such pages`,
  );
  console.log(`  precision ${share(right, right + wrong)}  recall ${share(right, positives)}\n`);
}
