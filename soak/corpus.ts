/**
 * An export that is killed (SIGKILL) at random moments and started again: is the finished corpus,
 * byte for byte, that of a quiet run?
 *
 * `npm run soak -- corpus [kills] [pages] [seed]`; a test runs a short form of it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePage } from '../src/lab/page.ts';
import { NO_PORTS, webOf } from '../src/lab/server/lab.ts';
import { type ArchivedPage, writeCrawl } from '../test/corpus/lab-archive.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
/** Small, so that a kill comes in every step. */
const FLAGS = ['--segment', '200k', '--part', '300k', '--row-group', '100k'];

export interface CorpusKillPlan {
  readonly kills: number;
  readonly pages: number;
  readonly seed: number;
  readonly say?: (line: string) => void;
}

export interface CorpusKillReport {
  /** Runs that were killed before they ended. */
  readonly killed: number;
  readonly files: number;
  /** Files that differ from those of the quiet run, or are missing or left over. */
  readonly differing: string[];
}

export async function killExports(plan: CorpusKillPlan): Promise<CorpusKillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-corpus-'));
  try {
    const crawl = join(folder, 'crawl');
    await writeCrawl(crawl, labPagesOf(plan.pages), { agents: 2 });
    const began = Date.now();
    await runToEnd(crawl, join(folder, 'quiet'), 1);
    const lasts = Date.now() - began;
    const random = randomFrom(plan.seed);
    const out = join(folder, 'killed');
    let killed = 0;
    for (let kill = 0; kill < plan.kills; kill++) {
      const child = start(crawl, out, 1 + (kill % 2));
      const ended = once(child, 'exit') as Promise<[number | null]>;
      const early = sleep(random() * lasts);
      await Promise.race([ended, early]);
      child.kill('SIGKILL');
      const [code] = await ended;
      if (code === null) killed++;
      // What is complete begins anew, so that every kill hits something.
      else rmSync(out, { recursive: true, force: true });
      plan.say?.(`${killed} kills`);
    }
    await runToEnd(crawl, out, 2);
    const [quiet, other] = [digestsOf(join(folder, 'quiet')), digestsOf(out)];
    const names = new Set([...quiet.keys(), ...other.keys()]);
    const differing = [...names].filter((name) => quiet.get(name) !== other.get(name));
    return { killed, files: quiet.size, differing };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function labPagesOf(count: number): ArchivedPage[] {
  const web = webOf({ scenario: 'mixed', domains: 200, pages: 20 }, NO_PORTS);
  return Array.from({ length: count }, (_, i) => {
    const domain = web.domains.at(i % 40);
    const { body } = makePage(web, domain, Math.floor(i / 40) % 7);
    return { url: `http://site${i % 40}.example/${i}`, body: Buffer.from(body, 'latin1') };
  });
}

function start(crawl: string, out: string, threads: number) {
  const args = ['corpus', 'export', crawl, '--out', out, '--threads', String(threads), ...FLAGS];
  return spawn(process.execPath, [DRUMLIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
}

async function runToEnd(crawl: string, out: string, threads: number): Promise<void> {
  const child = start(crawl, out, threads);
  let words = '';
  child.stderr?.on('data', (bytes) => {
    words += bytes;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the export exited with ${code}: ${words}`);
}

function digestsOf(out: string): Map<string, string> {
  return new Map(
    readdirSync(out).map((name) => [
      name,
      createHash('sha1')
        .update(readFileSync(join(out, name)))
        .digest('hex'),
    ]),
  );
}

/** Mulberry32, so that a run can be repeated, as far as the machine allows. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export async function run(args: string[]): Promise<void> {
  const [kills = 20, pages = 400, seed = 1] = args.map(Number);
  const report = await killExports({
    ...{ kills, pages, seed },
    say: (line) => process.stderr.write(`${line}\n`),
  });
  console.table({ ...report, differing: report.differing.length });
  for (const name of report.differing) console.log(`differs: ${name}`);
  process.exitCode = report.differing.length === 0 ? 0 : 1;
}
