/** A small crawl for the fault matrix: its web, its folder, and what must hold afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import type { Summary } from '../../src/crawl/crawl.ts';
import { archivedPages } from '../../test/crawl/archived.ts';
import { fastClock } from '../../test/crawl/fast-clock.ts';
import { startCrawl } from '../../test/crawl/here.ts';
import { linking, type SmallSite, startSmallSite } from '../../test/crawl/small-site.ts';
import { accountOf } from '../hostile/verdict.ts';

/** A crawl that takes longer hangs. */
const LONGEST = 180_000;
const PAGES = Array.from({ length: 12 }, (_, i) => `/${i}`);

/** What one part of the matrix has tried, and what did not hold. */
export interface Findings {
  readonly cases: number;
  /** How the cases ended, by kind. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

/** A site of thirteen pages, half of them compressed, with a sitemap, and a redirect. */
export function matrixSite(): Promise<SmallSite> {
  return startSmallSite({
    '/robots.txt': 'User-agent: *\nDisallow: /no\nSitemap: /sitemap.xml\n',
    '/': linking(...PAGES.slice(0, 10), '/moved', '/no'),
    '/moved': (_, response) => void response.writeHead(302, { location: PAGES[10] }).end(),
    '/sitemap.xml': (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(`<urlset><url><loc>${PAGES[11]}</loc></url></urlset>`),
    ...Object.fromEntries(
      PAGES.map((path, i) => [path, i % 2 === 0 ? PAGE : (_, response) => compressed(response)]),
    ),
  });
}

const PAGE = linking('/', PAGES[0]);

function compressed(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
  response.end(gzipSync(PAGE));
}

export class MatrixCrawl {
  readonly #site: SmallSite;
  readonly #folder = mkdtempSync(join(tmpdir(), 'drumlin-matrix-'));
  readonly dir = join(this.#folder, 'crawl');

  constructor(site: SmallSite) {
    this.#site = site;
  }

  /** Crawls, or resumes, until the end; a crawl that does not end is an error. */
  async run(options: CrawlOptions = {}, seeds: readonly string[] = []): Promise<Summary> {
    const config = resolveConfig({
      ...{ dir: this.dir, allowPrivate: true, delay: 0, agents: 2, sitemaps: true },
      ...{ checkpoint: 500, nearDuplicates: 'no-follow', order: 'bfs' },
      ...options,
    } as CrawlOptions);
    const clock = fastClock(500);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The crawl hangs.')), LONGEST);
    });
    const all = [`${this.#site.origin}/`, ...seeds];
    const crawl = startCrawl(all, config, { clock }).then(({ finished }) => finished);
    try {
      return await Promise.race([crawl, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What is wrong with the archive of a crawl that ended; `counted`: pages may be missing. */
  async faults(summary: Summary): Promise<string[]> {
    const { origin } = this.#site;
    const stored = (await archivedPages(this.dir)).filter((url) => url.startsWith(origin));
    const once = new Set(stored);
    const paths = ['/', '/moved', '/sitemap.xml', ...PAGES];
    const missing = paths.filter((path) => !once.has(`${origin}${path}`));
    const { errors, refused } = summary;
    const isCounted = [
      errors['internal-error'],
      errors['robots-unreachable'],
      refused['links-lost'],
    ].some((count) => (count ?? 0) > 0);
    return [
      ...(stored.length > once.size ? [`${stored.length - once.size} pages are stored twice`] : []),
      ...(missing.length > 0 && !isCounted ? [`missing and not counted: ${missing}`] : []),
    ];
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Not 0 if URLs of a crawl of one run were lost. */
export const lostIn = (summary: Summary): number => accountOf(summary).lost;

export function countUp(outcomes: Record<string, number>, what: string): void {
  outcomes[what] = (outcomes[what] ?? 0) + 1;
}
