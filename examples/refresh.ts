/**
 * Crawls a small web, waits eleven months of its time, and finds out which pages are left.
 *
 *   npx tsx examples/refresh.ts
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'drumlin';
import { startLab } from 'drumlin/lab';
import { refresh } from 'drumlin/refresh';

const folder = await mkdtemp(join(tmpdir(), 'example-'));
const old = join(folder, 'old');
const before = await startLab({ domains: 10, pages: 10 });
const local = { allowPrivate: true, delay: 0 };
for await (const _ of crawl({ seeds: before.seeds, ...local, dns: [before.dns], dir: old }));
const httpPort = Number(new URL(before.seeds[0]).port);
await before.close();

const now = await startLab({ domains: 10, pages: 10, step: 11, httpPort });
const options = { ...local, dns: [now.dns], dir: join(folder, 'new'), z: '10%', alpha: 0.5 };
const { pages, tested, alive, verdicts } = await refresh(old, options);
await now.close();
console.log(`${pages} pages, ${tested} tested: ${alive} are alive`);
console.log(verdicts);
