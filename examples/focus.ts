/**
 * Crawls a small web of documents, learns which domains have papers, and looks there for new ones
 * a year of its time later.
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
const web = { scenario: 'papers', domains: 30, pages: 30, mix: { academic: 0.6 } } as const;
const before = await startLab(web);
const local = { allowPrivate: true, delay: 0 };
for await (const _ of crawl({ seeds: before.seeds, ...local, dns: [before.dns], dir: broad }));
await before.close();

const [history] = await learn(book, [broad]);
console.log(`history: ${history.fetched} documents, ${history.useful} of them useful`);
for (const { place, name, documents, quality } of (await rank(book)).slice(0, 3))
  console.log(`${place} ${name}: ${documents} documents, ${quality} references to them`);

const now = await startLab({ ...web, step: 12, httpPort: before.ports.http });
const day = await crawlDay(book, { ...local, dns: [now.dns], seeds: 100 });
console.log(`whitelist: ${day.requests} requests, ${day.fetched} documents, ${day.useful} useful`);
await now.close();
