/**
 * Crawls of one web in virtual time, by several policies at once, judged by the truth.
 *
 * Idea      The crawls take turns, so that every line printed compares all of them after as many
 *           pages. `tse+truth` and `trusted+truth` have verdicts that know the truth after the
 *           first page of a domain: no verdicts can do better.
 *           Where fetchers are idle, spam costs no useful page. So each line tells how many turns
 *           of spam began while another host was ready, and the last line how many useful pages the
 *           truth has fetched by the time at which the crawl with verdicts ended.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budgetIn, resolveConfig } from '../../src/config/settings.ts';
import { KINDS } from '../../src/lab/kinds.ts';
import type { Web } from '../../src/lab/web.ts';
import { parseBudget, verdictOn } from '../../src/reputation/budget/budget-policy.ts';
import { VirtualCrawl } from '../../src/simulator/crawl.ts';
import { type Order, POLICIES, type Policy, WITH_SPAM } from '../../src/simulator/policies.ts';
import { isHonest, KIND_NAMES } from '../../src/simulator/tally.ts';
import { LiveModel } from '../../src/spam/live/live-model.ts';
import type { SpamModel } from '../../src/spam/model.ts';
import { SETTINGS } from './settings.ts';
import { TruthModel } from './truth-model.ts';

/** How the names of policies end whose verdicts know the truth. */
const WITH_TRUTH = '+truth';
/** Pages between two looks at the clock. */
const A_WHILE = 500;

export interface Comparison {
  readonly web: Web;
  readonly pages: number;
  readonly policies: readonly string[];
  /** How often each crawl is looked at. */
  readonly looks: number;
  readonly model: SpamModel;
  /** Of the model. */
  readonly path: string;
  /** Other budgets than the default. */
  readonly budget?: string;
}

/** A crawl by one policy, and the processor time that it took. */
class Run {
  readonly name: string;
  readonly #crawl: VirtualCrawl;
  readonly #order: Order;
  readonly #folder: string;
  readonly #web: Web;
  #cpu = 0;
  #complete = true;

  private constructor(name: string, crawl: VirtualCrawl, order: Order, folder: string, web: Web) {
    this.name = name;
    this.#crawl = crawl;
    this.#order = order;
    this.#folder = folder;
    this.#web = web;
  }

  static async open(name: string, comparison: Comparison): Promise<Run> {
    const { web, model, path } = comparison;
    const folder = mkdtempSync(join(tmpdir(), 'drumlin-spam-'));
    const isTruth = name.endsWith(WITH_TRUTH);
    const spamModel = isTruth ? new TruthModel(model, path, web) : new LiveModel(model, path);
    const config = resolveConfig({ ...SETTINGS, spam: path, ...budgetOf(comparison) });
    let order: Order | undefined;
    const policy: Policy = async (parts) => {
      order = await POLICIES[name.replace(WITH_TRUTH, WITH_SPAM)](parts);
      return order;
    };
    const crawl = await VirtualCrawl.open({ web, policy, config, spamModel, folder });
    return new Run(name, crawl, order as Order, folder, web);
  }

  get elapsed(): number {
    return this.#crawl.elapsed;
  }

  get useful(): number {
    return this.#crawl.tally.useful;
  }

  async until(pages: number): Promise<boolean> {
    const begun = process.cpuUsage();
    this.#complete = await this.#crawl.run(pages);
    const { user, system } = process.cpuUsage(begun);
    this.#cpu += user + system;
    return this.#complete;
  }

  /** Crawls on until a virtual time; false when there is no more to fetch. */
  async untilTime(elapsed: number): Promise<boolean> {
    while (this.elapsed < elapsed)
      if (!(await this.until(this.#crawl.tally.pages + A_WHILE))) return false;
    return true;
  }

  toString(): string {
    const { tally, contested } = this.#crawl;
    const { pages, useful, kinds } = tally;
    const share = (part: number) => `${((100 * part) / pages).toFixed(1)} %`;
    const spam = KIND_NAMES.filter((kind) => KINDS[kind].spam);
    const onSpam = spam.reduce((sum, kind) => sum + kinds[kind].pages, 0);
    const most = spam
      .map((kind) => [kind, kinds[kind].pages] as const)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 4)
      .map(([kind, count]) => `${kind} ${share(count)}`);
    return (
      `${this.name.padEnd(10)} ${pages} pages${this.#complete ? '' : ' (all there are)'}, ` +
      `useful ${useful}, spam ${onSpam} (${share(onSpam)}: ${most.join(', ')}), ` +
      `${(this.elapsed / 1000).toFixed(0)} s, ${contested.turns} turns while other hosts were ready, ` +
      `${contested.spam} of them of spam, ` +
      `${(this.#cpu / pages).toFixed(0)} µs a page`
    );
  }

  /**
   * Of the domains with fetched pages: those that `isBelow` half of their budget by their verdict.
   */
  async hurt(isBelow: (spam: number) => boolean): Promise<string> {
    const { reputation, domains } = this.#order;
    await reputation?.write();
    const counts = { honest: 0, hurt: 0, spam: 0, found: 0 };
    for await (const { record } of domains?.() ?? []) {
      const truth = this.#web.placeOf(record.name)?.domain;
      if (!truth || record.spam === undefined || record.pages === 0) continue;
      const below = isBelow(verdictOn(record));
      if (truth.kind.spam) {
        counts.spam++;
        if (below) counts.found++;
      } else if (isHonest(truth.kind)) {
        counts.honest++;
        if (below) counts.hurt++;
      }
    }
    const { honest, hurt, spam, found } = counts;
    const share = (part: number, all: number) => `${((100 * part) / all).toFixed(2)} % of ${all}`;
    return `honest ${share(hurt, honest)}, spam ${share(found, spam)}`;
  }

  async close(): Promise<void> {
    await this.#crawl.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function compareCrawls(comparison: Comparison): Promise<void> {
  const { policies, pages, looks } = comparison;
  const runs: Run[] = [];
  try {
    for (const name of policies.filter((policy) => !policy.endsWith(WITH_TRUTH)))
      runs.push(await Run.open(name, comparison));
    for (let look = 1; look <= looks; look++)
      for (const run of runs) {
        await run.until(Math.ceil((pages * look) / looks));
        console.log(`  ${run}`);
      }
    const judged = runs.find(({ name }) => name.endsWith(WITH_SPAM));
    const isBelow = belowHalf(comparison);
    if (judged) console.log(`  below half of their budget: ${await judged.hurt(isBelow)}`);
    for (const name of policies.filter((policy) => policy.endsWith(WITH_TRUTH)))
      await compareTruth(name, comparison, judged?.elapsed);
  } finally {
    for (const run of runs) await run.close();
  }
}

/** What verdicts that know the truth fetch in the same time, or until nothing is left. */
async function compareTruth(
  name: string,
  comparison: Comparison,
  elapsed = Infinity,
): Promise<void> {
  const run = await Run.open(name, comparison);
  try {
    await run.untilTime(elapsed);
    console.log(`  ${run}`);
  } finally {
    await run.close();
  }
}

const budgetOf = ({ budget }: Pick<Comparison, 'budget'>) => (budget ? { budget } : {});

/** Whether a domain with a verdict gets less than half of its budget. */
export function belowHalf(comparison: Pick<Comparison, 'budget'> = {}): (spam: number) => boolean {
  const budgets = parseBudget(
    budgetIn(resolveConfig({ spam: 'model.json', ...budgetOf(comparison) })),
  );
  const any = { name: '', rank: 1, score: 10, inDegree: 10, supporters: 10, cash: 10 };
  const budget = (spam: number) => budgets.budget({ ...any, domains: 100, mean: 1, spam });
  return (spam) => budget(spam) < budget(0) / 2;
}
