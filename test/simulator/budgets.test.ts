/** The effect of budgets on domains that invent hosts and pages without end, in virtual time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { type PolicyResult, runLab } from '../../src/simulator/run.ts';
import { KIND_NAMES, type KindTally } from '../../src/simulator/tally.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
const DELAY = 2000;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drumlin-virtual-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function crawled(
  policies: readonly string[],
  pages: number,
  budget: string,
  web: { readonly domains: number; readonly mix?: Readonly<Record<string, number>> },
): Promise<PolicyResult[]> {
  const config = resolveConfig({ delay: DELAY, addressDelay: 250, fetches: 4, budget });
  return runLab({
    web: webOf({ scenario: 'spam', seed: 2, ...web }, PORTS),
    policies,
    pages,
    config,
    folder,
  });
}

test('a domain that invents hosts without end gets its budget in each round, and at most as many look-ups', async () => {
  const budget = 3;
  const mix = { wildcard: 0.2, farm: 0 };
  const [budgeted] = await crawled(['none'], 600, `equal(${budget})`, { domains: 150, mix });
  const { wildcard } = budgeted.kinds;
  const { seconds } = budgeted.samples[budgeted.samples.length - 1];
  // A round lasts as long as the delay of a host, while there are enough hosts.
  const rounds = 1 + (seconds * 1000) / DELAY;
  expect(wildcard.mostPages).toBeGreaterThan(0);
  expect(wildcard.mostPages).toBeLessThanOrEqual(budget * rounds);
  expect(wildcard.mostLookUps).toBeLessThanOrEqual(budget * rounds);
});

test('budgets by in-links or supporters spend less than a third of what breadth first spends on spam', async () => {
  const all = await crawled(['bfs', 'in', 'tse'], 5000, 'proportional(power=2)', {
    domains: 2000,
  });
  const [bfs, byLinks, bySupporters] = all.map(spamShare);
  expect(bfs).toBeGreaterThan(0.3);
  expect(byLinks).toBeLessThan(bfs / 3);
  expect(bySupporters).toBeLessThan(bfs / 3);
  expect(usefulOf(all[2])).toBeGreaterThan(1.3 * usefulOf(all[0]));
});

const SPAM = new Set(['exchange', 'farm', 'parked', 'copy', 'honeypot', 'expired', 'wildcard']);

function spamShare({ kinds }: PolicyResult): number {
  const pages = (of: (name: string) => boolean) =>
    KIND_NAMES.filter(of).reduce((sum, name) => sum + (kinds[name] as KindTally).pages, 0);
  return pages((name) => SPAM.has(name)) / pages(() => true);
}

const usefulOf = ({ samples }: PolicyResult): number => samples[samples.length - 1].useful;
