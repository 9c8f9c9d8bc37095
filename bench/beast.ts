/**
 * Budgets over a long crawl: what BEAST moves between memory and disk for each page, compared with
 * the naive version with two queues and the theorems of the IRLbot paper.
 *
 *   npm run bench -- beast [--pages 10M] [--naive 300k] [--domains 1000] [--memory 4Mi]
 *                          [--checkpoint 0] [--dir FOLDER]
 *
 * A line is a stage: a rescan and the rounds up to the next one. For BEAST that is a cycle of j
 * rounds, for the naive version one round (only some of those are printed). Bytes are those read
 * and written, per page fetched in the stage. Predictions are Theorem 5 for BEAST and Theorem 4 for
 * the naive version, with N, V and E[B] of the stage, and equation (11) for j. The paper's α is N /
 * (E[B] V) with one V for the whole crawl. Here domains run out of pages and V shrinks, so (11) is
 * computed with the "rounds" of all stages, each its pages divided by its own E[B] V. Every line
 * has checked that no URL was lost and that no domain got more than its budget in any round.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  formatBytes,
  formatCount,
  formatDuration,
  parseBytes,
  parseCount,
} from '../src/base/units.ts';
import {
  type BudgetParameters,
  beastTraffic,
  budgetRounds,
  queuesAtEnd,
  twoQueuesTraffic,
} from '../src/frontier/beast/cost-model.ts';
import {
  BudgetedCrawl,
  type Stage,
  UNIQUE_LINKS,
  URL_BYTES,
} from './peers/beast/budgeted-crawl.ts';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '10M' },
      naive: { type: 'string', default: '300k' },
      domains: { type: 'string', default: '1000' },
      memory: { type: 'string', default: '4Mi' },
      checkpoint: { type: 'string', default: '0' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const options = {
    domains: parseCount(values.domains),
    memory: parseBytes(values.memory),
    checkpoint: parseCount(values.checkpoint),
  };
  print(
    `${values.domains} domains, memory ${values.memory}; ${URL_BYTES} bytes a URL, ${UNIQUE_LINKS} new ones a page`,
  );
  const crawl = (naive: boolean, pages: string) =>
    measure(values.dir, { ...options, ...(naive && { mostQueues: 1 }) }, parseCount(pages), naive);
  await crawl(false, values.pages);
  await crawl(true, values.naive);
}

async function measure(
  dir: string,
  options: Omit<Parameters<typeof BudgetedCrawl.begin>[0], 'folder'>,
  pages: number,
  isNaive: boolean,
): Promise<void> {
  const folder = mkdtempSync(join(dir, 'drumlin-bench-'));
  const start = performance.now();
  const cpu = process.cpuUsage();
  print(`\n${isNaive ? 'two queues' : 'BEAST'}, up to ${formatCount(pages)} pages`);
  print(columns(HEADINGS));
  let peak = 0;
  let printed = 0;
  let rounds = 0;
  try {
    const crawl = await BudgetedCrawl.begin({ ...options, folder });
    for (;;) {
      const stage = await crawl.stage(pages);
      peak = Math.max(peak, stage.waiting);
      if (stage.domains > 0) rounds += stage.fetched / (stage.domains * stage.budget);
      const isOver = stage.pages >= pages;
      if (stage.domains > 0 && (isOver || stage.pages > 1.9 * printed)) {
        print(columns(line(stage, rounds, isNaive)) + (stage.isWhole ? '' : '  (cut short)'));
        printed = stage.pages;
      }
      if (isOver) break;
    }
    await crawl.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const { user, system } = process.cpuUsage(cpu);
  print(
    `${formatDuration(performance.now() - start)}, ${formatCount(pages / ((user + system) / 1e6))} pages a second of processor time;` +
      ` up to ${formatCount(peak)} URLs queued (${formatBytes(peak * URL_BYTES)}); peak RSS ${formatBytes(process.resourceUsage().maxRSS * 1024)}`,
  );
}

const HEADINGS = [
  'pages',
  'of the stage',
  'V',
  'E[B]',
  'α',
  'rounds',
  'j',
  '(11)',
  'bytes/page',
  'theorem',
  'ratio',
  'bytes/page in all',
];
const WIDTHS = [11, 12, 6, 6, 8, 8, 5, 5, 10, 9, 6, 18];

function line(stage: Stage, rounds: number, isNaive: boolean): string[] {
  const { pages, fetched, domains, budget } = stage;
  const c: BudgetParameters = {
    pages,
    pagesPerSecond: 1,
    urlBytes: URL_BYTES,
    uniqueLinks: UNIQUE_LINKS,
    domains,
    budget,
  };
  const overAll = { ...c, domains: pages / (rounds * budget) };
  const bytes = stage.moved / fetched;
  const predicted = isNaive ? twoQueuesTraffic(c) : beastTraffic(c);
  return [
    formatCount(pages),
    formatCount(fetched),
    formatCount(domains),
    budget.toFixed(1),
    budgetRounds(c).toFixed(1),
    rounds.toFixed(1),
    formatCount(stage.queues),
    isNaive ? '' : formatCount(queuesAtEnd(overAll)),
    formatCount(bytes),
    formatCount(predicted),
    (bytes / predicted).toFixed(2),
    formatCount(stage.movedInAll / pages),
  ];
}

function columns(cells: readonly string[]): string {
  return cells.map((cell, i) => cell.padStart(WIDTHS[i])).join(' ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
