/**
 * An exception out of every method of every part of an agent, one at a time: the crawl survives and
 * counts what it lost, or it ends with that very error and resumes without a loss.
 */

import { Checkpointer } from '../../src/crawl/agent/checkpointer.ts';
import { Likeness } from '../../src/crawl/agent/likeness.ts';
import { Admission } from '../../src/crawl/agent/link-admission.ts';
import { Intake } from '../../src/crawl/agent/page-intake.ts';
import { Turns } from '../../src/crawl/agent/turn.ts';
import { TurnPolicy } from '../../src/crawl/agent/turn-policy.ts';
import { HostResolver } from '../../src/crawl/hosts/host-resolver.ts';
import { Outage } from '../../src/crawl/hosts/outage.ts';
import { RobotsKeeper } from '../../src/crawl/hosts/robots-keeper.ts';
import { Counters } from '../../src/crawl/record/counters.ts';
import { ArchiveStore } from '../../src/crawl/store/archive-store.ts';
import { SharedHostTable } from '../../src/crawl/transport/host-table.ts';
import { BodyBudget } from '../../src/fetch/body-budget.ts';
import { ResponseParser } from '../../src/fetch/response-parser.ts';
import { Distributor } from '../../src/frontier/distributor.ts';
import { Frontier } from '../../src/frontier/frontier.ts';
import { Workbench } from '../../src/frontier/workbench.ts';
import { DiskSieve } from '../../src/sieve/disk-sieve.ts';
import { countUp, type Findings, lostIn, MatrixCrawl, matrixSite } from './case.ts';

const PARTS = [
  ...[ResponseParser, BodyBudget, RobotsKeeper, HostResolver, Outage, TurnPolicy, Turns, Intake],
  ...[Likeness, ArchiveStore, Admission, Frontier, Workbench, Distributor, DiskSieve],
  ...[SharedHostTable, Counters, Checkpointer],
];

interface Place {
  readonly name: string;
  readonly prototype: object;
  readonly method: string;
  /** The call that throws. */
  readonly call: number;
}

/** Every method of every part, at each of these calls. */
export function places(calls: readonly number[]): Place[] {
  return PARTS.flatMap(({ name, prototype }) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([method, { value }]) => method !== 'constructor' && typeof value === 'function')
      .flatMap(([method]) => calls.map((call) => ({ name, prototype, method, call }))),
  );
}

export async function throwEverywhere(
  chosen: readonly Place[],
  report: (line: string) => void = () => {},
): Promise<Findings> {
  const outcomes: Record<string, number> = {};
  const failures: string[] = [];
  const uncaught = (error: unknown) => failures.push(`uncaught: ${error}`);
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught);
  for (const place of chosen) {
    const where = `${place.name}.${place.method} at call ${place.call}`;
    const { outcome, faults } = await throwAt(place).catch((error) => ({
      outcome: 'failed',
      faults: [String(error?.stack ?? error)],
    }));
    countUp(outcomes, outcome);
    failures.push(...faults.map((fault) => `${where}: ${fault}`));
    report(`${where}: ${outcome}${faults.length > 0 ? ` FAILS ${faults}` : ''}`);
  }
  process.off('uncaughtException', uncaught).off('unhandledRejection', uncaught);
  return { cases: chosen.length, outcomes, failures };
}

async function throwAt(place: Place): Promise<{ outcome: string; faults: string[] }> {
  const site = await matrixSite();
  const crawl = new MatrixCrawl(site);
  const boom = new Error('boom');
  const trap = setTrap(place, boom);
  try {
    const first = await crawl.run().then(
      (summary) => ({ summary, error: undefined }),
      (error: unknown) => ({ summary: undefined, error }),
    );
    trap.remove();
    if (!trap.sprung)
      return { outcome: 'not reached', faults: first.summary ? [] : [String(first.error)] };
    if (first.summary) {
      const lost = lostIn(first.summary);
      const faults = lost === 0 ? [] : [`${lost} URLs are not accounted for`];
      return {
        outcome: 'survived',
        faults: [...faults, ...(await crawl.faults(first.summary))],
      };
    }
    if (String(first.error).includes('hangs')) return { outcome: 'hangs', faults: ['it hangs'] };
    const isOurs = String((first.error as Error).message).includes('boom');
    const faults = isOurs ? [] : [`ended with ${first.error}`];
    return {
      outcome: 'ended and resumed',
      faults: [...faults, ...(await crawl.faults(await crawl.run()))],
    };
  } finally {
    trap.remove();
    crawl.remove();
    await site.close();
  }
}

function setTrap({ prototype, method, call }: Place, error: Error) {
  const real = Reflect.get(prototype, method) as (...args: unknown[]) => unknown;
  const trap = {
    sprung: false,
    remove: () => void Reflect.set(prototype, method, real),
  };
  let calls = 0;
  Reflect.set(prototype, method, function (this: unknown, ...args: unknown[]) {
    if (++calls === call) {
      trap.sprung = true;
      throw error;
    }
    return real.apply(this, args);
  });
  return trap;
}
