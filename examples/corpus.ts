/**
 * Crawls a small web, exports its text without near-duplicates, and its index as a table.
 *
 *   npx tsx examples/corpus.ts
 */
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'drumlin';
import { exportCorpus, exportIndex } from 'drumlin/corpus';
import { startLab } from 'drumlin/lab';

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

const out = join(folder, 'corpus');
const counts = await exportCorpus([dir], out, {
  where: ['words >= 20'],
  duplicates: 'drop',
  mask: ['emails'],
});
console.log(`${counts.rows} of ${counts.pages} pages, ${counts.words} words`);
for (const [condition, pages] of Object.entries(counts.conditions))
  console.log(`${pages} pages do not meet ${condition}`);
for (const name of await readdir(out)) console.log(name);

console.log(await exportIndex(dir, join(folder, 'index')));
