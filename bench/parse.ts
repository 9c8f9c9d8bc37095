/**
 * A page's links, resolved and canonical: microseconds of CPU a page, ours against parse5 with `new
 * URL`. Then the whole way from the bytes of pages of the lab to what the sieve is offered.
 *
 *   npm run bench -- parse [--pages 2000] [--rounds 7] [--file page.html]
 *
 * The page is synthetic and seeded: 25 KB, 59 links of the usual kinds, scripts, styles, nested
 * tables of attributes. Without `--file` the same page is also measured with a UTF-8 letter in
 * every paragraph, and with odd links only. "definition" is the same in TypeScript, without the
 * kernel.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { systemClock } from '../src/base/clock.ts';
import { xxh64 } from '../src/base/xxh64.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { Admission } from '../src/crawl/agent/link-admission.ts';
import { createScope } from '../src/crawl/agent/scope.ts';
import { Counters } from '../src/crawl/record/counters.ts';
import { InternalErrors } from '../src/crawl/record/internal-errors.ts';
import { NOT_LISTED } from '../src/crawl/skipped/skip-log.ts';
import { memoryTransports } from '../src/crawl/transport/memory-transport.ts';
import { urlOf } from '../src/lab/paths.ts';
import { webOf } from '../src/lab/server/lab.ts';
import { Random } from '../src/lab/words/random.ts';
import { parsePage, parseScanned } from '../src/parse/page.ts';
import { EdgeGatherer } from '../src/reputation/edges/edge-gatherer.ts';
import { MemorySieve } from '../src/sieve/memory-sieve.ts';
import { RecentCache } from '../src/sieve/recent-cache.ts';
import { payLevelDomain } from '../src/url/domain.ts';
import { hostOf } from '../src/url/parts.ts';

type Node = DefaultTreeAdapterTypes.Node;

const PAGE_URL = 'https://www.example.org/catalogue/garden/tools.html';
const PAGE_BYTES = 25_000;
const LINKS = 59;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '7' },
      file: { type: 'string' },
    },
  });
  const subjects: [name: string, body: Buffer][] =
    values.file === undefined
      ? [
          [
            'plain ASCII',
            syntheticPage((i) => PLAIN_LINKS[i % PLAIN_LINKS.length](i), 'tools for the garden'),
          ],
          [
            'UTF-8',
            syntheticPage((i) => PLAIN_LINKS[i % PLAIN_LINKS.length](i), 'outils pour la forêt'),
          ],
          [
            'odd links',
            syntheticPage((i) => ODD_LINKS[i % ODD_LINKS.length](i), 'tools for the garden'),
          ],
        ]
      : [[values.file, readFileSync(values.file)]];
  for (const [name, body] of subjects) {
    const links = parsePage(body, { url: PAGE_URL }).links.length;
    console.log(`${name}: ${body.length} bytes, ${links} links, CPU a page`);
    const ours = measure('drumlin', Number(values.pages), Number(values.rounds), () =>
      parsePage(body, { url: PAGE_URL }),
    );
    measure('definition', Number(values.pages), Number(values.rounds), () =>
      parseScanned(body, undefined, { url: PAGE_URL }, {}),
    );
    const theirs = measure(
      'parse5 + new URL',
      Math.ceil(Number(values.pages) / 20),
      Number(values.rounds),
      () => withParse5(body),
    );
    console.log(`  ${(theirs / ours).toFixed(1)} times faster (minimum to minimum)\n`);
  }
  if (values.file === undefined) wholeWay(Number(values.rounds));
}

/** The lab's pages that the whole way is measured with: ten of each of a hundred domains. */
const LAB = { domains: 600, visited: 100, each: 10 };

/** From the bytes of pages to what the sieve is offered; most links were seen a moment ago. */
function wholeWay(rounds: number): void {
  const pages = labPages();
  const context = (url: string) => ({ url, contentType: 'text/html; charset=utf-8' });
  const bytes = pages.reduce((sum, { body }) => sum + body.length, 0) / pages.length;
  console.log(`pages of the lab to discoveries: ${pages.length}, ${bytes.toFixed(0)} bytes a page`);
  for (const budgets of [false, true]) {
    const name = budgets ? ' + edges' : '';
    const packed = follower(budgets);
    const all = (one: (page: LabPage) => void) => () => pages.forEach(one);
    const oneByOne = follower(budgets);
    measure(
      `drumlin${name}`,
      1,
      rounds,
      all(({ url, body }) => {
        const page = parsePage(body, context(url));
        packed(url, page.packed?.urls ?? page.links.map((link) => link.url));
      }),
      pages.length,
    );
    measure(
      `definition${name}`,
      1,
      rounds,
      all(({ url, body }) => {
        const { links } = parseScanned(body, undefined, context(url), {});
        oneByOne(
          url,
          links.map((link) => link.url),
        );
      }),
      pages.length,
    );
  }
}

interface LabPage {
  readonly url: string;
  readonly body: Buffer;
}

function labPages(): LabPage[] {
  const web = webOf({ domains: LAB.domains }, { http: 8080, https: 0, dns: 0, control: 0 });
  const random = new Random(9, 9, 9, 9);
  return Array.from({ length: LAB.visited }, (_, i) => web.domains.at(i)).flatMap((domain) =>
    Array.from({ length: LAB.each }, () => {
      const url = urlOf(domain, random.below(domain.pages));
      const { hostname, pathname, search } = new URL(url);
      const answer = web.answer(hostname, pathname + search);
      return { url, body: Buffer.from(answer?.body ?? '') };
    }).filter(({ body }) => body.length > 1000),
  );
}

/** Discovers the links of a page as a crawl does, with or without edges between domains. */
function follower(budgets: boolean) {
  const [transport] = memoryTransports(1, { window: 2 ** 30 });
  const admission = new Admission({
    scope: createScope(resolveConfig({ scope: 'any' }), []),
    filters: { schedule: undefined },
    standing: undefined,
    recent: new RecentCache(2 ** 21),
    counters: new Counters(),
    internal: new InternalErrors({ event: () => {} }),
    skips: NOT_LISTED,
    clock: systemClock,
    transport,
    sieve: new MemorySieve(),
  });
  const options = { owners: 1, ownerOf: () => 0, cash: false, cache: 2 ** 20 };
  const gatherer = budgets ? new EdgeGatherer(options) : undefined;
  return (url: string, links: Parameters<Admission['discover']>[0]): void => {
    gatherer?.page(xxh64(payLevelDomain(hostOf(url))), url, links);
    admission.discover(links, 1, url);
  };
}

/**
 * Runs `work` in rounds after a warm-up. Prints and returns the least CPU time of a run in
 * microseconds.
 */
function measure(
  name: string,
  times: number,
  rounds: number,
  work: () => unknown,
  pages = 1,
): number {
  for (let i = 0; i < times; i++) work();
  const costs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) work();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / times / pages);
  }
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / rounds;
  const sd = Math.sqrt(costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / rounds);
  const least = Math.min(...costs);
  console.log(
    `  ${name.padEnd(18)} min ${least.toFixed(1)} µs   mean ${mean.toFixed(1)} ± ${sd.toFixed(1)} µs`,
  );
  return least;
}

function withParse5(body: Buffer): string[] {
  const urls: string[] = [];
  const visit = (node: Node): void => {
    if ('attrs' in node) {
      const href = node.attrs.find((attribute) => attribute.name === 'href')?.value;
      if (href !== undefined && URL.canParse(href, PAGE_URL))
        urls.push(new URL(href, PAGE_URL).href);
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(body.toString()));
  return urls;
}

const PLAIN_LINKS: readonly ((i: number) => string)[] = [
  (i) => `/catalogue/garden/item-${i}.html`,
  (i) => `item-${i}.html?colour=green&amp;size=${i}`,
  (i) => `../kitchen/item-${i}.html`,
  (i) => `https://www.example.org/about/page-${i}`,
  (i) => `/catalogue/search?q=spade&page=${i}#results`,
  (i) => `https://shop${i}.example.com/offers/${i}/`,
];

const ODD_LINKS: readonly ((i: number) => string)[] = [
  (i) => `/a/./b/../item ${i}.html`,
  (i) => `HTTP://WWW.Example.ORG:80/item-${i}`,
  (i) => `/caf\u00e9/${i}?x=[${i}]`,
  (i) => `item%2d${i}.html`,
];

function syntheticPage(link: (i: number) => string, words: string): Buffer {
  let page = `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Tools &amp; more</title>
<link rel="stylesheet" href="/style.css"><script>if (1 < 2 && "</p>") { run("<a href='no'>"); }</script>
<style>a > b { color: red }</style></head>\n<body class="page">\n<!-- menu -->\n`;
  const room = (PAGE_BYTES - page.length) / LINKS;
  for (let i = 0; i < LINKS; i++) {
    const start = page.length;
    page += `<div class="item" id="item-${i}" data-index="${i}"><h3><a class="title" href="${link(i)}">Item ${i}</a></h3>
<p>`;
    while (page.length - start < room - 85) page += `${words}, <b>number</b> ${i}; `;
    page += `<br><img src="/i/${i}.png" alt="x > y"></p></div>\n`;
  }
  return Buffer.from(`${page}</body></html>\n`);
}
