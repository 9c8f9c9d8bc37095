/**
 * Crawls only a part of a web: links by a filter with a predicate of our own, pages by their
 * status. Prints URLs that failed, too.
 *
 *   npx tsx examples/filters.ts
 *
 * It crawls the synthetic web that comes with Drumlin. `drumlin filter list` prints all predicates.
 */
import { crawl } from 'drumlin';
import { startLab } from 'drumlin/lab';

const lab = await startLab({ scenario: 'mixed', domains: 30, pages: 10 });
const pages = crawl({
  seeds: lab.seeds,
  dns: [lab.dns],
  allowPrivate: true,
  delay: 0,
  maxPages: 60,
  maxTime: '10s',
  filters: {
    schedule: 'HasVowel(a) and PathDepth < 3 and not ExtensionIs(jpg, png, pdf)',
    store: 'Status == 200 and not IsDuplicate',
    predicates: { HasVowel: ({ url }, vowel) => new URL(url).hostname.includes(vowel) },
  },
  onError: ({ url, host, fault }) => console.log(`${fault}: ${url ?? host}`),
});

for await (const { url, links } of pages) console.log(`${url} ${links.length} links`);
await lab.close();
