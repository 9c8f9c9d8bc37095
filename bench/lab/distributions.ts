/**
 * The distributions of the synthetic web beside the papers' figures, as plots for docs/lab.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { KindName } from '../../src/lab/kind.ts';
import { KINDS } from '../../src/lab/kinds.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { pageDeath } from '../../src/lab/time.ts';
import type { Web } from '../../src/lab/web.ts';
import { Random } from '../../src/lab/words/random.ts';
import { bars, plot } from './plot.ts';

const FOLDER = new URL('../../docs/lab/', import.meta.url);
const PORTS = { http: 8080, https: 0, dns: 0, control: 0 };

export function writePlots(domains: number): void {
  mkdirSync(FOLDER, { recursive: true });
  const web = webOf({ domains }, PORTS);
  degrees(web);
  domainSizes(web);
  pages(web);
  kinds();
  liveness(webOf({ domains, step: 138 }, PORTS));
}

function save(name: string, svg: string): void {
  writeFileSync(new URL(`${name}.svg`, FOLDER), svg);
}

function say(what: string, ours: string, paper: string): void {
  process.stdout.write(`${what.padEnd(46)} ${ours.padStart(12)}   ${paper}\n`);
}

/** The share of values that are at least x, at about forty x. */
function tail(values: readonly number[]): [number, number][] {
  const sorted = [...values].sort((a, b) => a - b);
  const points: [number, number][] = [];
  const top = sorted[sorted.length - 1];
  for (let x = 1; x <= top * 1.2; x *= 1.25) {
    const below = sorted.findIndex((value) => value >= x);
    if (below >= 0) points.push([x, (sorted.length - below) / sorted.length]);
  }
  return points;
}

function degrees(web: Web): void {
  const { domains } = web.world;
  const into = new Float64Array(domains);
  const out = new Float64Array(domains);
  for (let index = 0; index < domains; index++) {
    const targets = new Set(web.neighbours(index));
    out[index] = targets.size;
    for (const target of targets) into[target]++;
  }
  const mean = into.reduce((a, b) => a + b) / domains;
  const sorted = [...into].sort((a, b) => b - a);
  // Between the top twentieth and the top two-thousandth: the slope of the tail.
  const [a, b] = [Math.floor(domains / 20), Math.max(2, Math.floor(domains / 2000))];
  const slope = Math.log(a / b) / Math.log(sorted[b] / sorted[a]);
  say('mean in-degree of a domain', mean.toFixed(1), 'IRLbot 20.2, ClueWeb09 13.5');
  say(
    'share of the domains that link to the first',
    `${((100 * sorted[0]) / domains).toFixed(1)}%`,
    'IRLbot 3.3% (2.9M of 89.7M)',
  );
  say('exponent of the in-degree tail', (1 + slope).toFixed(2), 'about 2.1 is usual on the web');
  say(
    'correlation of log in- and out-degree',
    correlation(into, out).toFixed(2),
    'positive (E[XY] far above E[X]E[Y])',
  );
  const line: [number, number][] = [1, 10, 100, 1000, 1e4, 1e5].map((x) => [x, 3 * x ** -1.1]);
  save(
    'in-degree',
    plot(
      `Domains with at least this many neighbours (${domains} domains)`,
      { label: 'neighbours', log: true, min: 1, max: 1e5 },
      { label: 'share of the domains', log: true, min: 1e-5, max: 1 },
      [
        { label: 'in-degree', points: tail([...into]), draw: 'line' },
        { label: 'out-degree', points: tail([...out]), draw: 'line' },
        { label: 'a tail of exponent 2.1', points: line, draw: 'dashes' },
      ],
    ),
  );
}

function correlation(x: Float64Array, y: Float64Array): number {
  const pairs = Array.from(x, (v, i) => [Math.log(1 + v), Math.log(1 + y[i])]);
  const mean = (k: number): number => pairs.reduce((sum, pair) => sum + pair[k], 0) / pairs.length;
  const [mx, my] = [mean(0), mean(1)];
  const sum = (f: (pair: number[]) => number): number =>
    pairs.reduce((total, pair) => total + f(pair), 0);
  const xy = sum(([a, b]) => (a - mx) * (b - my));
  return xy / Math.sqrt(sum(([a]) => (a - mx) ** 2) * sum(([, b]) => (b - my) ** 2));
}

function domainSizes(web: Web): void {
  const sizes = Array.from(
    { length: web.world.domains },
    (_, index) => web.domains.at(index).pages,
  );
  const sorted = [...sizes].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))];
  say('pages of a domain: 90% have fewer than', `${at(0.9)}`, 'IRLbot 586 (pages fetched)');
  say('pages of a domain: 99% have fewer than', `${at(0.99)}`, 'IRLbot 3,044 (pages fetched)');
  say(
    'mean pages of a domain',
    (sizes.reduce((a, b) => a + b) / sizes.length).toFixed(0),
    'IRLbot 463 (41.5G URLs, 89.7M domains)',
  );
  save(
    'domain-sizes',
    plot(
      `Domains with at least this many pages (${web.world.domains} domains)`,
      { label: 'pages', log: true, min: 1, max: 1e6 },
      { label: 'share of the domains', log: true, min: 1e-5, max: 1 },
      [
        { label: 'drumlin web, clean', points: tail(sizes), draw: 'line' },
        {
          label: 'IRLbot: 10% from 586 on, 1% from 3,044 on',
          points: [
            [586, 0.1],
            [3044, 0.01],
          ],
          draw: 'points',
        },
      ],
    ),
  );
}

function pages(web: Web): void {
  const random = new Random(1, 2, 3, 4);
  const sizes: number[] = [];
  const links: number[] = [];
  let own = 0;
  let urlBytes = 0;
  while (sizes.length < 3000) {
    const domain = web.domains.at(random.below(web.world.domains));
    const page = random.below(domain.pages);
    const answer = web.pageAnswer(domain, page);
    if (!answer.headers.includes('html')) continue;
    const hrefs = Array.from(answer.body.matchAll(/<a href="([^"]*)"/g), (match) => match[1]);
    sizes.push(answer.body.length);
    links.push(hrefs.length);
    own += hrefs.filter((href) => href.startsWith('/') || href.includes(domain.name)).length;
    for (const href of hrefs)
      urlBytes += href.startsWith('/')
        ? href.length + domain.hostName(0).length + 5
        : href.length - 7;
  }
  const mean = (values: readonly number[]): number =>
    values.reduce((a, b) => a + b) / values.length;
  const total = mean(links) * links.length;
  say('mean bytes of a page', mean(sizes).toFixed(0), 'IRLbot 25.2 KB');
  say('mean links of a page', mean(links).toFixed(1), 'IRLbot 59');
  say('links that stay within the domain', `${((100 * own) / total).toFixed(0)}%`, 'most');
  say('mean bytes of an address, without http://', (urlBytes / total).toFixed(1), 'IRLbot 70.6');
  const histogram = (values: readonly number[], width: number): [number, number][] => {
    const counts = new Map<number, number>();
    for (const value of values)
      counts.set(Math.floor(value / width), (counts.get(Math.floor(value / width)) ?? 0) + 1);
    const last = Math.max(...counts.keys());
    return Array.from({ length: last + 1 }, (_, i) => [
      (i + 0.5) * width,
      (counts.get(i) ?? 0) / values.length,
    ]);
  };
  save(
    'page-sizes',
    plot(
      'Bytes of a page, in steps of 4 kB',
      { label: 'bytes', min: 0, max: 120_000 },
      { label: 'share of the pages', min: 0, max: 0.2 },
      [
        { label: 'drumlin web', points: histogram(sizes, 4000), draw: 'line' },
        {
          label: `mean ${mean(sizes).toFixed(0)}; IRLbot 25.2 kB`,
          points: [
            [25_200, 0],
            [25_200, 0.2],
          ],
          draw: 'dashes',
        },
      ],
    ),
  );
  save(
    'page-links',
    plot(
      'Links of a page, in steps of 8',
      { label: 'links', min: 0, max: 250 },
      { label: 'share of the pages', min: 0, max: 0.2 },
      [
        { label: 'drumlin web', points: histogram(links, 8), draw: 'line' },
        {
          label: `mean ${mean(links).toFixed(0)}; IRLbot 59`,
          points: [
            [59, 0],
            [59, 0.2],
          ],
          draw: 'dashes',
        },
      ],
    ),
  );
}

/** The share of each kind in the scenarios. */
export function kinds(): void {
  const scenarios = ['clean', 'mixed', 'spam', 'attack', 'hostile'];
  const webs = scenarios.map((scenario) => webOf({ scenario, domains: 100_000 }, PORTS));
  const shareOf = (web: Web, kind: string): number =>
    web.world.layout.countOf(kind as KindName, 100_000) / 100_000;
  const rows = Object.keys(KINDS).map((kind): [string, ...number[]] => [
    kind,
    ...webs.map((web) => shareOf(web, kind)),
  ]);
  save('kinds', bars('Share of each kind of domain', 'share of the domains', rows, scenarios));
}

function liveness(web: Web): void {
  const random = new Random(5, 6, 7, 8);
  const deaths: [page: number, domain: number][] = [];
  const along = { alive: [0, 0], dead: [0, 0] };
  while (deaths.length < 6000) {
    const domain = web.domains.at(random.below(web.world.initialDomains));
    // All pages have the same chance: a domain counts as often as it has pages.
    if (random.unit() > domain.initialPages / 3000) continue;
    const page = random.below(domain.initialPages);
    const death = Math.min(pageDeath(web.world, domain, page), domain.death);
    deaths.push([death, domain.death]);
    const source = along[death > 11 ? 'alive' : 'dead'];
    for (const target of web.neighbours(domain.index)) {
      if (random.below(10) > 0) continue;
      const other = web.domains.at(target);
      if (web.world.birthOf(target) > 0) continue;
      const otherDeath = Math.min(
        pageDeath(web.world, other, random.below(other.initialPages)),
        other.death,
      );
      source[0]++;
      if (otherDeath > 11) source[1]++;
    }
  }
  const share = (test: (death: [number, number]) => boolean): number =>
    deaths.filter(test).length / deaths.length;
  const steps = [0, 1, 2, 3, 4, 6, 8, 11, 16, 24, 36, 48, 60, 72, 84, 96, 108, 120, 138];
  const alive = (step: number): number => share(([death]) => death > step);
  const gone = (step: number): number => share(([, domain]) => domain <= step);
  say(
    'pages alive after 11 steps',
    `${(100 * alive(11)).toFixed(1)}%`,
    'LiveRank, uk-2006: 35.6% after 11 months',
  );
  say(
    'pages alive after 138 steps',
    `${(100 * alive(138)).toFixed(1)}%`,
    'LiveRank, uk-2002: 6.3% after 11.5 years',
  );
  say(
    'pages whose host is gone after 138 steps',
    `${(100 * gone(138)).toFixed(1)}%`,
    'LiveRank, uk-2002: 24.1%',
  );
  const rate = ([all, living]: number[]): string => `${((100 * living) / all).toFixed(1)}%`;
  say('targets alive at step 11, of living pages', rate(along.alive), 'more than');
  say('targets alive at step 11, of dead pages', rate(along.dead), '');
  save(
    'liveness',
    plot(
      'Pages of step 0 that are still there',
      { label: 'step (months)', min: 0, max: 140, ticks: [0, 20, 40, 60, 80, 100, 120, 140] },
      { label: 'share of the pages', min: 0, max: 1 },
      [
        { label: 'alive', points: steps.map((step) => [step, alive(step)]), draw: 'line' },
        {
          label: 'LiveRank: uk-2006, uk-2002',
          points: [
            [11, 0.356],
            [138, 0.063],
          ],
          draw: 'points',
        },
        { label: 'host gone', points: steps.map((step) => [step, gone(step)]), draw: 'line' },
        { label: 'LiveRank: host gone, uk-2002', points: [[138, 0.241]], draw: 'points' },
      ],
    ),
  );
}
