/**
 * URLs of many domains that ask for a round: how long the book takes for them, and how long a crawl
 * of one site waits for it.
 *
 *   npm run bench -- book [--urls 1M] [--domains 100k] [--memory 16Mi] [--together 6]
 *
 * Domains have URLs by Zipf's law, `--together` of them one after the other, like the new links of
 * a page. First edges make all domains known. Then the URLs are offered in batches of 4,096 with
 * budgets by IRLbot's policy, merged whenever the book is full and once at the end, and all places
 * are taken. Seconds are of processor time, all threads included, without making the URLs.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseBytes, parseCount } from '../src/base/units.ts';
import { xxh64 } from '../src/base/xxh64.ts';
import { Disk } from '../src/disk/disk.ts';
import { BatchBuilder } from '../src/drum/keyed-batch.ts';
import { encodeDiscovery } from '../src/frontier/queue/discovered-url.ts';
import { budgets, parseBudget } from '../src/reputation/budget/budget-policy.ts';
import { DomainBook } from '../src/reputation/budget/domain-book.ts';
import { SCORES, Standing } from '../src/reputation/budget/standing.ts';
import { fingerprint } from '../src/url/fingerprint.ts';

const BATCH = 4096;
const ROUNDS = { round: 1, last: 64 };
const SMALL_FLUSHES = 200;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      urls: { type: 'string', default: '1M' },
      domains: { type: 'string', default: '100k' },
      memory: { type: 'string', default: '16Mi' },
      together: { type: 'string', default: '6' },
    },
  });
  const root = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  try {
    const memory = parseBytes(values.memory);
    const [urls, domains, together] = [values.urls, values.domains, values.together].map(
      parseCount,
    );
    await largeBook(root, urls, domains, memory, together);
    await smallBook(root, memory);
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function largeBook(
  root: string,
  urls: number,
  domains: number,
  memory: number,
  together: number,
): Promise<void> {
  const disk = new Disk();
  const policy = parseBudget('irlbot * boost(.edu=4)');
  const book = await openBook(disk, join(root, 'large'), memory);
  const names = Array.from({ length: domains }, (_, i) => `site-${i}.com`);

  const edges = await timed(async () => {
    for (const [i, name] of names.entries()) {
      book.countEdges(xxh64(name), name, 1 + Math.floor(domains / (i + 1)), 0, 0);
      if (i % BATCH === 0) await book.write();
    }
    await book.flush();
    while (await book.take());
  });
  print(`edges of ${formatCount(domains)} domains: ${rate(domains, edges)}`);

  let standing = Standing.none;
  const ranking = await timed(async () => {
    standing = await Standing.of(book.records(), SCORES.in);
  });
  print(`the best 10,000 of them: ${rate(domains, ranking)}`);
  book.setBudgets(budgets(policy, standing, 'in'), standing.keys);

  const random = zipf(domains);
  let name = names[0];
  const batch = new BatchBuilder();
  const before = { ...disk.traffic };
  let [seconds, taken, later] = [0, 0, 0];
  for (let offered = 0; offered < urls; offered += batch.length) {
    batch.clear();
    for (let i = 0; i < Math.min(BATCH, urls - offered); i++) {
      if ((offered + i) % together === 0) name = names[random()];
      const url = `https://www.${name}/section/page-${offered + i}.html`;
      batch.addText(fingerprint(url), encodeDiscovery({ url, depth: 3, redirects: 0 }));
    }
    const isLast = offered + batch.length >= urls;
    seconds += await timed(async () => {
      await book.offerUrls(batch, ROUNDS, 0);
      if (isLast) await book.flush();
      for (let placed = await book.take(); placed; placed = await book.take()) {
        taken += placed.length;
        for (const { place } of placed) if (place === 'later') later++;
      }
    });
  }
  print(
    `places for ${formatCount(taken)} URLs: ${rate(taken, seconds)}, ${formatCount(later)} put off`,
  );
  const { read, written } = disk.traffic;
  print(
    `a URL: ${formatBytes((written - before.written) / urls)} written, ${formatBytes((read - before.read) / urls)} read`,
  );
  await book.close();
}

async function smallBook(root: string, memory: number): Promise<void> {
  const book = await openBook(new Disk(), join(root, 'small'), memory);
  const batch = new BatchBuilder();
  const times: number[] = [];
  for (let i = 0; i < SMALL_FLUSHES; i++) {
    batch.clear();
    for (let n = 0; n < 50; n++) {
      const url = `https://example.org/${i}/${n}`;
      batch.addText(fingerprint(url), encodeDiscovery({ url, depth: 1, redirects: 0 }));
    }
    const startedAt = performance.now();
    await book.offerUrls(batch, ROUNDS, 0);
    await book.flush();
    while (await book.take());
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  print(
    `50 URLs of one site, offered, merged and taken: ${times[SMALL_FLUSHES / 2].toFixed(2)} ms (median)`,
  );
  await book.close();
}

function openBook(disk: Disk, folder: string, memory: number): Promise<DomainBook> {
  mkdirSync(folder);
  const budgetOf = budgets(parseBudget('irlbot'), Standing.none, 'in');
  return DomainBook.open({ disk, folder, memory, budgetOf });
}

/** Ranks below `n`, the first most often. */
function zipf(n: number): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.min(n - 1, Math.floor(n ** (state / 2 ** 32)) - 1);
  };
}

/** Seconds of processor time. */
async function timed(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

const rate = (count: number, seconds: number): string =>
  `${formatCount(count / seconds)} a second and core`;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
