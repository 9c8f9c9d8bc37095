/** Crawls in virtual time under attack: what each ranking spends on spam, and whom that costs. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../src/config/settings.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import type { Web } from '../../src/lab/web.ts';
import { WITH_SPAM } from '../../src/simulator/policies.ts';
import { type PolicyResult, runLab } from '../../src/simulator/run.ts';
import { GROUPS, pagesOf } from '../../src/simulator/summary.ts';
import { LiveModel } from '../../src/spam/live/live-model.ts';
import { parseModel } from '../../src/spam/model.ts';
import { TruthModel } from '../spam-crawl/truth-model.ts';
import { ranged } from './offline.ts';

/** How the names of policies end whose verdicts know the truth. */
const WITH_TRUTH = '+truth';
const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };

interface VirtualOptions {
  readonly scenarios: readonly string[];
  readonly policies: readonly string[];
  readonly seeds: readonly number[];
  readonly domains: number;
  readonly pages: number;
  readonly fetches: number;
  /** The file of a spam model, for policies with verdicts; empty without. */
  readonly spam: string;
}

/** Prints a row for each seed as it comes, then means. */
export async function virtualTable(
  options: VirtualOptions,
  print: (line: string) => void,
): Promise<void> {
  const { scenarios, policies, seeds } = options;
  print(`| scenario, seed | ${policies.join(' | ')} |`);
  print(`|---|${policies.map(() => '---|').join('')}`);
  for (const scenario of scenarios) {
    const all: PolicyResult[][] = [];
    for (const seed of seeds) {
      const results = await crawled(scenario, seed, options);
      all.push(results);
      print(`| ${scenario} ${seed} | ${results.map((of) => ranged([spamOf(of)])).join(' | ')} |`);
    }
    const over = (figure: (of: PolicyResult) => number) =>
      policies.map((_, i) => ranged(all.map((results) => figure(results[i])))).join(' | ');
    print(`| ${scenario}: spam | ${over(spamOf)} |`);
    print(`| useful | ${over(({ samples }) => last(samples).useful / last(samples).pages)} |`);
    for (const kind of GROUPS.honest) {
      const reached = over(({ kinds }) => kinds[kind].domains / kinds[kind].all);
      print(`| ${kind}: domains reached | ${reached} |`);
    }
    for (const kind of GROUPS.honest) {
      const share = over(({ kinds, samples }) => kinds[kind].useful / last(samples).pages);
      print(`| ${kind}: useful pages | ${share} |`);
    }
  }
}

const last = <T>(all: readonly T[]): T => all[all.length - 1];

const spamOf = ({ samples }: PolicyResult): number =>
  pagesOf(last(samples), 'spam') / last(samples).pages;

async function crawled(
  scenario: string,
  seed: number,
  { policies, domains, pages, fetches, spam }: VirtualOptions,
): Promise<PolicyResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'drumlin-resistance-'));
  try {
    const web = webOf({ scenario, seed, domains }, PORTS);
    const config = resolveConfig({ delay: 4000, addressDelay: 500, fetches, spam });
    const results: PolicyResult[] = [];
    for (const name of policies) {
      const spamModel = spam === '' ? undefined : modelFor(name, spam, web);
      const policy = name.replace(WITH_TRUTH, WITH_SPAM);
      results.push(
        ...(await runLab({ web, policies: [policy], pages, config, spamModel, folder })),
      );
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Verdicts by the model, or by the truth after the first page of a domain. */
function modelFor(policy: string, path: string, web: Web): LiveModel {
  const model = parseModel(readFileSync(path, 'utf8'), path);
  return policy.endsWith(WITH_TRUTH)
    ? new TruthModel(model, path, web)
    : new LiveModel(model, path);
}
