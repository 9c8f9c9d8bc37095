/** Microseconds of CPU a page: our fingerprint, the index, and a plain simhash in the same run. */
import { fingerprintAndWords, fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { LikenessMemory } from '../../src/duplicates/likeness-folder.ts';
import { parsePage } from '../../src/parse/page.ts';
import { METERED_TEXT, PageMeter } from '../../src/spam/features/content/page-meter.ts';
import { SiteSums } from '../../src/spam/features/content/site-sums.ts';
import { simhashOfPage } from './simhash.ts';
import type { KnownPage } from './stream.ts';

const PAGES = 1000;

export function measureSpeed(all: readonly KnownPage[], rounds: number): void {
  const pages = all.slice(0, PAGES);
  const bytes = pages.reduce((sum, { body }) => sum + body.length, 0);
  console.log(
    `${pages.length} pages of the lab, ${(bytes / pages.length / 1000).toFixed(1)} KB on average; µs of CPU a page`,
  );
  measure('fingerprint', rounds, pages, ({ body }) => fingerprintOf(body));
  const meter = new PageMeter(listsOf(pages));
  const sums = SiteSums.empty();
  measure('fingerprint, spam features', rounds, pages, ({ body }) =>
    sums.add(meter.measure(fingerprintAndWords(body, METERED_TEXT).words), false),
  );
  measure('plain simhash', Math.min(3, rounds), pages, ({ body }) => simhashOfPage(body));
  measure('links of the page (parsePage)', rounds, pages, ({ body, url }) =>
    parsePage(body, { url }),
  );
  const fingerprints = new Map(pages.map((page) => [page, fingerprintOf(page.body)]));
  const { pages: similar, learner } = new LikenessMemory(16 * 2 ** 20);
  measure('find and add', rounds, pages, (page) => {
    const fingerprint = fingerprints.get(page) ?? fingerprintOf(page.body);
    similar.find(fingerprint, 0.6);
    similar.add(fingerprint, page.url);
  });
  measure('learn', rounds, pages, (page) => {
    const fingerprint = fingerprints.get(page) ?? fingerprintOf(page.body);
    learner.learn(page.url, fingerprint, similar.added - 1, undefined);
  });
}

/** The most frequent words of the pages, also in the place of queries. */
function listsOf(pages: readonly KnownPage[]) {
  const counts = new Map<string, number>();
  for (const { body } of pages)
    for (const word of Buffer.from(fingerprintAndWords(body).words.text)
      .toString()
      .toLowerCase()
      .split(' '))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  counts.delete('');
  const words = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
  return { collection: words.slice(0, 1000), queries: words.slice(500, 1500) };
}

function measure(
  name: string,
  rounds: number,
  pages: readonly KnownPage[],
  work: (page: KnownPage) => unknown,
): void {
  for (const page of pages) work(page);
  const costs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    for (const page of pages) work(page);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / pages.length);
  }
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / rounds;
  const sd = Math.sqrt(costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / rounds);
  console.log(
    `  ${name.padEnd(30)} min ${Math.min(...costs).toFixed(1)}   mean ${mean.toFixed(1)} ± ${sd.toFixed(1)}`,
  );
}
