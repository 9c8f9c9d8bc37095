/**
 * Crawls a small web of documents, learns which domains have papers, and crawls a day there.
 *
 *   npx tsx examples/focus.ts
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'drumlin';
import { crawlDay, learn, rank } from 'drumlin/focus';
import { startLab } from 'drumlin/lab';

const folder = await mkdtemp(join(tmpdir(), 'example-'));
const [broad, book] = [join(folder, 'broad'), join(folder, 'book')];
const lab = await startLab({ scenario: 'papers', domains: 60, pages: 40, mix: { academic: 0.3 } });
const local = { dns: [lab.dns], allowPrivate: true, delay: 0 };
for await (const _ of crawl({ seeds: lab.seeds, ...local, maxPages: 300, dir: broad }));

const [history] = await learn(book, [broad]);
console.log(`history: ${history.fetched} documents, ${history.useful} of them useful`);
for (const { place, name, documents, quality } of (await rank(book)).slice(0, 3))
  console.log(`${place} ${name}: ${documents} documents, ${quality} references to them`);

const day = await crawlDay(book, { ...local, seeds: 20, maxPages: 150 });
console.log(`whitelist: ${day.requests} requests, ${day.fetched} documents, ${day.useful} useful`);
await lab.close();
