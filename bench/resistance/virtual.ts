/** Crawls in virtual time under attack: what each ranking spends on spam, and whom that costs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../src/config/settings.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { type PolicyResult, runLab } from '../../src/simulator/run.ts';
import { GROUPS, pagesOf } from '../../src/simulator/summary.ts';
import { ranged } from './offline.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };

interface VirtualOptions {
  readonly scenarios: readonly string[];
  readonly policies: readonly string[];
  readonly seeds: readonly number[];
  readonly domains: number;
  readonly pages: number;
  readonly fetches: number;
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
  { policies, domains, pages, fetches }: VirtualOptions,
): Promise<PolicyResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'drumlin-resistance-'));
  try {
    const web = webOf({ scenario, seed, domains }, PORTS);
    const config = resolveConfig({ delay: 4000, addressDelay: 500, fetches });
    return await runLab({ web, policies, pages, config, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
