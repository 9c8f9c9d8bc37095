/** Sieve, book and queues together, against a list of URLs for every domain. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flatOut } from '../../src/base/pacer.ts';
import { Disk } from '../../src/disk/disk.ts';
import { BatchBuilder } from '../../src/drum/keyed-batch.ts';
import { encodeDiscovery } from '../../src/frontier/queue/discovered-url.ts';
import { BudgetedSupply } from '../../src/reputation/budgeted-supply.ts';
import { ReputationFolder } from '../../src/reputation/reputation-folder.ts';
import { MemorySieve } from '../../src/sieve/memory-sieve.ts';
import { fingerprint } from '../../src/url/fingerprint.ts';
import { hostOf } from '../../src/url/parts.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

type Budgets = (domain: string) => number;

async function supplyWith(
  budget: Budgets,
  pace = { now: () => 0, roundTime: 0, fewHosts: () => true },
  isShut: (url: string) => boolean = () => false,
) {
  const blocked = { urls: 0 };
  const sieve = new MemorySieve();
  const folder = await ReputationFolder.open({
    ...{ disk: new Disk(), dir: temporaryFolder(), memory: 2 ** 23, p: 1, seed: 1, mostArcs: 1000 },
    onHalved: () => {},
    budgetOf: ({ name }) => budget(name),
  });
  const { book, rounds: beast } = folder;
  const onBlocked = () => {
    blocked.urls++;
  };
  const supply = new BudgetedSupply({
    sieve,
    book,
    beast,
    pacer: flatOut,
    onBlocked,
    isShut,
    ...pace,
  });
  const offer = async (urls: readonly string[]) => {
    const batch = new BatchBuilder();
    for (const url of urls) {
      batch.addText(fingerprint(url), encodeDiscovery({ url, depth: 0, redirects: 0 }));
    }
    await sieve.offer(batch);
    supply.offered();
    await supply.decide();
  };
  return { supply, offer, folder, blocked };
}

/** Everything that the supply gives, in the order of rounds. */
async function drain(supply: BudgetedSupply): Promise<string[]> {
  const urls: string[] = [];
  while (!supply.idle) {
    const some = await supply.take();
    if (some) urls.push(...some.map(({ url }) => url));
    else await supply.decide();
  }
  return urls;
}

const pages = (domain: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `http://${domain}/${from + i}`);

describe('URLs under budgets', () => {
  test('come out by rounds: each domain has its budget in each, until it has no more URLs', async () => {
    const { supply, offer, folder } = await supplyWith((domain) =>
      domain === 'large.test' ? 4 : 2,
    );
    await offer([...pages('small.test', 7), ...pages('large.test', 7)]);
    const urls = await drain(supply);
    const domains = urls.map((url) => hostOf(url).replace('.test', ''));
    expect(domains.slice(0, 6).sort()).toEqual(
      [...'llll'].map(() => 'large').concat('small', 'small'),
    );
    expect(domains.slice(6, 11).sort()).toEqual(['large', 'large', 'large', 'small', 'small']);
    expect(domains.slice(11)).toEqual(['small', 'small', 'small']);
    expect(supply.queued).toBe(0);
    expect(supply.idle).toBe(true);
    await folder.close();
  });

  test('wait for the next round as long as a round lasts, unless there are few hosts', async () => {
    const pace = { time: 1000, few: false };
    const { supply, offer, folder } = await supplyWith(() => 2, {
      ...{ now: () => pace.time, roundTime: 400, fewHosts: () => pace.few },
    });
    await offer(pages('a.test', 7));
    expect(supply.nextAt).toBeLessThanOrEqual(1000);
    expect(await supply.take()).toHaveLength(2);
    expect([await supply.take(), supply.nextAt, supply.idle]).toEqual([undefined, 1400, false]);
    pace.time = 1400;
    expect(await supply.take()).toHaveLength(2);
    expect(await supply.take()).toBeUndefined();
    pace.few = true;
    expect(supply.nextAt).toBe(0);
    expect(await supply.take()).toHaveLength(3);
    expect(supply.idle).toBe(true);
    await folder.close();
  });

  test('of a single site are handed out many at a time, however small its budget', async () => {
    const { supply, offer, folder } = await supplyWith(() => 1);
    await offer(pages('a.test', 200));
    expect(await supply.take()).toHaveLength(64);
    expect(supply.queued).toBe(136);
    expect(await drain(supply)).toHaveLength(136);
    await folder.close();
  });

  test('come out once each, and are counted exactly, in any order of events', async () => {
    const step = fc.record({
      domain: fc.integer({ min: 0, max: 4 }),
      count: fc.integer({ min: 0, max: 30 }),
    });
    const story = fc.array(fc.oneof(step, fc.constant('take' as const)), {
      maxLength: 25,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(story, async (steps) => {
        const { supply, offer, folder } = await supplyWith((domain) => Number(domain[1]) + 1);
        const given = new Map<string, string[]>();
        const got = new Map<string, string[]>();
        const note = (map: Map<string, string[]>, url: string) => {
          const host = hostOf(url);
          map.set(host, [...(map.get(host) ?? []), url]);
        };
        let waiting = 0;
        for (const step of steps) {
          if (step === 'take') {
            const urls = (await supply.take()) ?? [];
            for (const { url } of urls) note(got, url);
            waiting -= urls.length;
          } else {
            const host = `d${step.domain}.test`;
            const urls = pages(host, step.count, given.get(host)?.length ?? 0);
            for (const url of urls) note(given, url);
            await offer(urls);
            waiting += urls.length;
          }
          expect(supply.queued).toBe(waiting);
        }
        for (const url of await drain(supply)) note(got, url);
        for (const [host, urls] of given) expect(got.get(host)?.sort()).toEqual(urls.sort());
        expect(got.size).toBe([...given.values()].filter(({ length }) => length > 0).length);
        await folder.close();
      }),
      { numRuns: 12 },
    );
  });

  test('of a domain that invents hosts without end are no more per round than of any other', async () => {
    const { supply, offer, folder } = await supplyWith(() => 3, {
      ...{ now: () => 0, roundTime: 0, fewHosts: () => false },
    });
    const invented = Array.from({ length: 40 }, (_, i) => `http://h${i}.endless.test/`);
    await offer([...invented, ...pages('other.test', 9)]);
    const rounds: string[][] = [];
    while (!supply.idle) {
      const round = await supply.take();
      if (round) rounds.push(round.map(({ url }) => hostOf(url)));
      else await supply.decide();
    }
    const endless = rounds.map(
      (hosts) => hosts.filter((host) => host.endsWith('.endless.test')).length,
    );
    expect(Math.max(...endless)).toBe(3);
    expect(endless.reduce((sum, count) => sum + count, 0)).toBe(40);
    // All URLs of the other domain have come out when the endless one had as many.
    expect(
      rounds
        .slice(0, 3)
        .flat()
        .filter((host) => host === 'other.test'),
    ).toHaveLength(9);
    await folder.close();
  });

  test('of domains with budget 0 stay queued, and do not keep a crawl from ending', async () => {
    let budget = 0;
    const { supply, offer, folder } = await supplyWith((domain) =>
      domain === 'poor.test' ? budget : 5,
    );
    await offer([...pages('poor.test', 3), ...pages('rich.test', 12)]);
    expect(await drain(supply)).toEqual(pages('rich.test', 12));
    expect(supply).toMatchObject({ queued: 3, idle: true });
    budget = 1;
    folder.book.setBudgets(({ name }) => (name === 'poor.test' ? budget : 5));
    supply.budgetsChanged();
    expect(supply.idle).toBe(false);
    expect((await drain(supply)).sort()).toEqual(pages('poor.test', 3));
    await folder.close();
  });

  test('of a domain that has lost its budget are taken back, and come out once if it gets another', async () => {
    let isShut = false;
    const budgetOf = (name: string) => (isShut && name === 'poor.test' ? 0 : 2);
    const { supply, offer, folder } = await supplyWith(
      budgetOf,
      undefined,
      (url) => isShut && hostOf(url) === 'poor.test',
    );
    await offer([...pages('poor.test', 40), ...pages('rich.test', 40)]);
    const [first, ...fetched] = (await supply.take()) ?? [];
    isShut = true;
    // What was handed out and not fetched yet is taken back, too.
    supply.putOff(first);
    folder.book.setBudgets(({ name }) => budgetOf(name));
    const before = [...fetched.map(({ url }) => url), ...(await drain(supply))];
    const poor = before.filter((url) => hostOf(url) === 'poor.test');
    expect(poor.length).toBeLessThan(40);
    expect(supply).toMatchObject({ queued: 80 - before.length, idle: true });
    isShut = false;
    folder.book.setBudgets(({ name }) => budgetOf(name));
    supply.budgetsChanged();
    const all = [...before, ...(await drain(supply))].sort();
    expect(all).toEqual([...pages('poor.test', 40), ...pages('rich.test', 40)].sort());
    expect(supply).toMatchObject({ queued: 0, idle: true });
    await folder.close();
  });

  test('of blocked domains are refused and counted', async () => {
    const { supply, offer, folder, blocked } = await supplyWith(() => 2);
    folder.book.setOverride('bad.test', 'blocked', 0);
    await offer([...pages('bad.test', 3), ...pages('good.test', 3)]);
    expect(await drain(supply)).toEqual(pages('good.test', 3));
    expect(blocked.urls).toBe(3);
    expect(supply).toMatchObject({ queued: 0, idle: true });
    await folder.close();
  });
});
