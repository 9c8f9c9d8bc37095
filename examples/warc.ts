/**
 * Crawls a small web into an archive, lists what is in it, and looks one page up.
 *
 *   npx tsx examples/warc.ts
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'drumlin';
import { startLab } from 'drumlin/lab';
import { checkDigests, formatCdxj, openArchive, readWarc, responseOf } from 'drumlin/warc';

const dir = join(await mkdtemp(join(tmpdir(), 'example-')), 'crawl');
const lab = await startLab({ scenario: 'site', pages: 10 });
for await (const _ of crawl({
  seeds: lab.seeds,
  dns: [lab.dns],
  allowPrivate: true,
  delay: 0,
  dir,
}));
await lab.close();

const archive = await openArchive(dir);
for (const { path } of archive.files) {
  const reader = readWarc(path);
  const types = new Map<string, number>();
  let whole = true;
  for await (const record of reader) {
    types.set(record.type, (types.get(record.type) ?? 0) + 1);
    whole &&= checkDigests(record).block === 'ok';
  }
  console.log(
    `${path}: ${reader.fault?.fact ?? 'no damage'}, digests ${whole ? 'hold' : 'differ'}`,
  );
  for (const [type, count] of types) console.log(`  ${count} ${type}`);
}

for await (const capture of archive.captures({ status: '200' })) console.log(formatCdxj(capture));

const capture = await archive.nearest(lab.seeds[0]);
const response = capture && (await responseOf(await archive.page(capture)));
console.log(
  `${response?.url}: ${response?.body.length} bytes of ${response?.headers.get('content-type')}`,
);
