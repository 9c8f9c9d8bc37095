/**
 * Crawls a synthetic web with spam, and compares the pages with what the web serves.
 *
 *   npx tsx examples/lab.ts
 */
import { crawl } from 'drumlin';
import { SCENARIOS, startLab } from 'drumlin/lab';

console.log(`Scenarios: ${SCENARIOS.join(', ')}`);
const lab = await startLab({ scenario: 'spam', seed: 7, domains: 40, pages: 5, patience: 100 });
const pages = crawl({
  seeds: lab.seeds,
  dns: [lab.dns],
  allowPrivate: true,
  insecure: true,
  delay: 0,
  order: 'bfs',
  maxPages: 150,
  maxTime: '5s',
});

let equal = 0;
let spam = 0;
let count = 0;
for await (const { url, status, body } of pages) {
  const expected = lab.expected(url);
  if (expected?.status === status && Buffer.from(expected.body).equals(body)) equal++;
  if (lab.truth(new URL(url).hostname)?.spam) spam++;
  count++;
}
console.log(`${count} pages: ${equal} as expected, ${spam} from spam domains`);
console.log(`${lab.requests} requests`);
await lab.close();
