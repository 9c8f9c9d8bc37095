/**
 * Crawls of a finite web on disks that fill up, fail for good, refuse to sync or lose power, at
 * random moments, with a changing number of agents. At the end of each crawl every page is archived
 * exactly once.
 *
 * `npm run soak -- faults [minutes] [seed]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrumlinError } from '../src/base/errors.ts';
import { type CrawlOptions, resolveConfig } from '../src/config/settings.ts';
import { startCrawl } from '../src/crawl/crawl.ts';
import { Disk } from '../src/disk/disk.ts';
import { type Lab, startLab } from '../src/lab/server/lab.ts';
import { archivedPages } from '../test/crawl/archived.ts';
import { type Faults, FaultyFileSystem } from '../test/disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../test/disk/power-cut-file-system.ts';
import { type Random, randomFrom } from '../test/fuzz/mutation.ts';

/** After this many failures the disk works. */
const MOST_FAILURES = 20;
/**
 * A run that takes more seconds hangs. Only seconds in which this process runs count, because it
 * may be stopped for a while.
 */
const PATIENCE = 60;

export async function run([
  minutes = '5',
  seed = String(Date.now() % 1e6),
]: string[]): Promise<void> {
  const random = randomFrom(Number(seed));
  const lab = await startLab({ scenario: 'clean', domains: 25, pages: 8 });
  const until = Date.now() + Number(minutes) * 60_000;
  let [crawls, failures] = [0, 0];
  process.stderr.write(`seed ${seed}\n`);
  while (Date.now() < until) {
    failures += await crawlThrough(lab, random);
    crawls++;
  }
  console.table({ crawls, failures });
  await lab.close();
}

/** Runs one crawl to its end, through any number of failures. Returns how many there were. */
async function crawlThrough(lab: Lab, random: Random): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-soak-'));
  const dir = join(folder, 'crawl');
  const options: CrawlOptions = {
    ...{ dir, dns: [lab.dns], allowPrivate: true, delay: 0, checkpoint: 100 },
    ...{ backlogMemory: 65_536, hostMemory: 2 ** 20, sieveMemory: 2 ** 20 },
    ...{ frontHosts: 4 + random(20), frontUrls: 40 },
  };
  for (let failures = 0; ; failures++) {
    const powered = random(2) === 0 ? new PowerCutFileSystem() : undefined;
    const faults = failures < MOST_FAILURES ? faultsOf(random) : {};
    const disk = new Disk(new FaultyFileSystem({ skipSync: !powered, ...faults }, powered));
    const what = `failure ${failures}, ${JSON.stringify(faults)}, power ${powered ? 'cut' : 'kept'}, in ${dir}`;
    const error = await crawl({ ...options, agents: 1 + random(4) }, lab, disk, what);
    if (error === undefined) {
      await requireAll(dir, lab);
      rmSync(folder, { recursive: true, force: true });
      return failures;
    }
    if (!(error instanceof DrumlinError) || !error.code.startsWith('DISK_')) {
      throw new Error(`not an error of a failing disk: ${what}`, { cause: error });
    }
    powered?.cutPower();
  }
}

function faultsOf(random: Random): Faults {
  const kind = random(10);
  if (kind < 5) return { operations: Math.floor((random(100) / 100) ** 2 * 700) };
  if (kind < 9)
    return { room: Math.floor((random(100) / 100) ** 2 * 2e6), shortTransfers: 1 + random(5000) };
  return kind === 9 && random(2) === 0 ? { failSync: true } : { failRename: true };
}

async function crawl(options: CrawlOptions, lab: Lab, disk: Disk, what: string): Promise<unknown> {
  let seconds = 0;
  const watchdog = setInterval(() => {
    if (++seconds < PATIENCE) return;
    process.stderr.write(`hangs: ${what}\n`);
    process.exit(1);
  }, 1000);
  try {
    await (await startCrawl(lab.seeds, resolveConfig(options), { here: true, disk })).finished;
    return undefined;
  } catch (error) {
    return error;
  } finally {
    clearInterval(watchdog);
  }
}

async function requireAll(dir: string, lab: Lab): Promise<void> {
  const archived = await archivedPages(dir);
  const missing = [...lab.web.allUrls()].filter((url) => !archived.includes(url));
  const twice = archived.filter((url, i) => archived[i - 1] === url);
  if (missing.length + twice.length === 0) return;
  throw new Error(`${dir}: missing ${missing.join(' ')}, twice ${twice.join(' ')}`);
}
