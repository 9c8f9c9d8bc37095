/**
 * Crawls a synthetic web, compares the pages with what the web serves, and counts kinds of domains.
 *
 *   npx tsx examples/lab.ts
 */
import { crawl } from 'drumlin';
import { SCENARIOS, startLab } from 'drumlin/lab';

console.log(`Scenarios: ${SCENARIOS.join(', ')}`);
const lab = await startLab({ seed: 7, domains: 100, pages: 5, mix: { farm: 0.1 }, thread: true });
const pages = crawl({
  seeds: lab.seeds,
  dns: [lab.dns],
  allowPrivate: true,
  delay: 0,
  order: 'bfs',
  maxPages: 100,
});

let count = 0;
let equal = 0;
const kinds = new Map<string, number>();
for await (const { url, status, body } of pages) {
  const expected = lab.expected(url);
  if (expected?.status === status && Buffer.from(expected.body).equals(body)) equal++;
  const kind = lab.truth(new URL(url).hostname)?.kind ?? 'unknown';
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  count++;
}
console.log(`${count} pages, ${equal} of them as expected, in ${lab.requests} requests`);
for (const [kind, pages] of kinds) console.log(`  ${pages} of domains of the kind "${kind}"`);
await lab.close();
