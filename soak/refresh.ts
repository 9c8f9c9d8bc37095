/**
 * A refresh that is killed (SIGKILL) at random moments, over and over, and resumed each time. At
 * the end, is every page judged, and judged right? Is any page in the archive twice?
 *
 * `npm run soak -- refresh [kills] [domains] [pages] [seed]`; the tests run a short form of it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lab, startLab } from '../src/lab/server/lab.ts';
import { archivedPages } from '../test/crawl/archived.ts';
import { lastCheckpoints, randomFrom, repeats, runAndKill, runToEnd, slowBy } from './kill.ts';

export interface RefreshKills {
  readonly kills: number;
  readonly domains: number;
  readonly pages: number;
  /** The most requests that a life makes. */
  readonly requests: number;
  readonly agents: number;
  readonly seed: number;
  /** Milliseconds that every answer takes, so that there are checkpoints in between. */
  readonly answersAfter?: number;
  readonly flags?: readonly string[];
  readonly by?: string;
}

export interface RefreshReport {
  readonly kills: number;
  readonly exitCode: number | null;
  /** Pages of the old collection, and those with a verdict. */
  readonly collection: number;
  readonly judged: number;
  /** Pages with a wrong verdict. */
  readonly wrong: string[];
  /** Pages that are in the archive more than once. */
  readonly twice: string[];
  readonly askedAgain: number;
  readonly mayBeAskedAgain: number;
}

const CHECKPOINT = '200ms';
const STEP = 11;
const ALIVE = new Set(['unchanged', 'changed', 'moved']);

export async function killRefresh(plan: RefreshKills): Promise<RefreshReport> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-refresh-kill-'));
  const [old, dir, log] = ['old', 'new', 'requests.jsonl'].map((name) => join(folder, name));
  const { agents } = plan;
  const web = { domains: plan.domains, pages: plan.pages, ...slowBy(plan.answersAfter) };
  let lab = await startLab(web);
  try {
    const polite = ['--allow-private', '--delay', '0', '--agents', String(agents), '--json'];
    const crawled = await runToEnd([
      'crawl',
      ...lab.seeds,
      '--dir',
      old,
      '--dns',
      lab.dns,
      ...polite,
    ]);
    if (crawled !== 0) throw new Error(`the crawl exited with ${crawled}`);
    const { http, dns } = lab.ports;
    await lab.close();
    lab = await startLab({ ...web, step: STEP, httpPort: http, dnsPort: dns, log });
    const flags = ['--checkpoint', CHECKPOINT, '--alpha', '100%', '--z', '5%'];
    const order = plan.by === undefined ? [] : ['--by', plan.by];
    const args = ['refresh', old, '--dir', dir, '--dns', lab.dns, ...polite, ...flags, ...order];
    args.push(...(plan.flags ?? []));
    const random = randomFrom(plan.seed);
    const lives: { checkpointAt: number; killedAt: number }[] = [];
    let { requests } = plan;
    while (lives.length < plan.kills) {
      if (await runAndKill(args, { agents, dir, lab, requests }, random)) break;
      const times = lastCheckpoints(dir, agents);
      if (Math.max(...times) <= (lives.at(-1)?.killedAt ?? 0)) requests *= 1.2;
      lives.push({ checkpointAt: Math.min(...times), killedAt: Date.now() });
    }
    const exitCode = await runToEnd(args);
    await lab.close(); // writes the rest of its log
    const counts = { kills: lives.length, exitCode, ...repeats(log, lives) };
    return { ...counts, ...(await judge(dir, lab)) };
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judge(dir: string, lab: Lab) {
  const [, ...lines] = readFileSync(join(dir, 'refresh/verdicts.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  const { pages } = JSON.parse(readFileSync(join(dir, 'refresh/summary.json'), 'utf8'));
  const wrong = lines.filter((line) => {
    const [url, verdict] = line.split('\t');
    const answer = lab.expected(url);
    const lives = answer?.status === 200 && !Buffer.from(answer.body).includes('Page Not Found');
    return ALIVE.has(verdict) !== lives;
  });
  const archived = await archivedPages(dir);
  const twice = archived.filter((url, i) => url === archived[i - 1]);
  const judged = new Set(lines.map((line) => line.split('\t')[0])).size;
  return { collection: pages as number, judged, wrong, twice };
}

export async function run(args: string[]): Promise<void> {
  const [kills = 10, domains = 200, pages = 30, seed = Date.now() % 1e6] = args.map(Number);
  const plan = { kills, domains, pages, seed, requests: 300, agents: 2 };
  const report = await killRefresh(plan);
  process.stdout.write(`${JSON.stringify({ ...plan, ...report }, null, 2)}\n`);
  const isGood = report.exitCode === 0 && report.wrong.length === 0 && report.twice.length === 0;
  process.exitCode = isGood && report.judged === report.collection ? 0 : 1;
}
