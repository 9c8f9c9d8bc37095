/**
 * Crawls a small web, indexes the text of its pages, and searches it.
 *
 *   npx tsx examples/search.ts
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'drumlin';
import { startLab } from 'drumlin/lab';
import { indexArchives, openIndex } from 'drumlin/search';

const folder = await mkdtemp(join(tmpdir(), 'example-'));
const dir = join(folder, 'crawl');
const lab = await startLab({ scenario: 'site', pages: 20 });
for await (const _ of crawl({
  seeds: lab.seeds,
  dns: [lab.dns],
  allowPrivate: true,
  delay: 0,
  dir,
}));
await lab.close();

const out = join(folder, 'index');
const { versions } = await indexArchives([dir], out);
console.log(`${versions} versions`);
const index = await openIndex([out]);
for (const { url, score, snippet } of await index.search('a* or e*', { top: 3 }))
  console.log(score.toFixed(2), url, snippet);
await index.close();
