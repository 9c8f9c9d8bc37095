import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../../src/config/settings.ts';
import { Admission } from '../../../src/crawl/agent/link-admission.ts';
import { createScope } from '../../../src/crawl/agent/scope.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { InternalErrors } from '../../../src/crawl/record/internal-errors.ts';
import { NOT_LISTED, type SkipSink } from '../../../src/crawl/skipped/skip-log.ts';
import { memoryTransports } from '../../../src/crawl/transport/memory-transport.ts';
import { agentOf } from '../../../src/crawl/transport/routing.ts';
import type { Transport } from '../../../src/crawl/transport/transport.ts';
import { unpackKeyedBatch } from '../../../src/crawl/transport/url-parcel.ts';
import type { KeyedBatch } from '../../../src/drum/keyed-batch.ts';
import { entryBytes } from '../../../src/drum/keyed-batch.ts';
import { decodeDiscovery } from '../../../src/frontier/queue/discovered-url.ts';
import { MemorySieve } from '../../../src/sieve/memory-sieve.ts';
import { RecentCache } from '../../../src/sieve/recent-cache.ts';
import { partitionOfUrl } from '../../../src/url/fingerprint.ts';
import { PackedUrls } from '../../../src/url/packed-urls.ts';
import { type VirtualClock, virtualClock } from '../../fetch/virtual-clock.ts';

const PARCEL = 64 * 1024;
const AGE = 100;
const LONGEST = 2048;

type Filter = ConstructorParameters<typeof Admission>[0]['filters']['schedule'];

interface Fixture {
  readonly admission: Admission;
  readonly transport: Transport;
  readonly sieve: MemorySieve;
  readonly clock: VirtualClock;
}

interface Choices {
  readonly config?: Parameters<typeof resolveConfig>[0];
  readonly seeds?: readonly string[];
  /** The scope is asked about every URL. */
  readonly isOneByOne?: boolean;
  readonly schedule?: Filter | undefined;
  readonly counters?: Counters;
  readonly skips?: SkipSink;
}

/** The admission of agent 0. */
function fixture(agents: number, choices: Choices = {}): Fixture {
  const clock = virtualClock();
  const [transport] = memoryTransports(agents, { window: 2 ** 30 });
  const sieve = new MemorySieve();
  const admission = new Admission({
    scope: {
      ...createScope(resolveConfig({ scope: 'any', ...choices.config }), choices.seeds ?? []),
      ...(choices.isOneByOne && { admitsAll: () => false }),
    },
    filters: { schedule: choices.schedule },
    standing: undefined,
    recent: new RecentCache(2 ** 16),
    counters: choices.counters ?? new Counters(),
    internal: new InternalErrors({ event: () => {} }),
    skips: choices.skips ?? NOT_LISTED,
    ...{ clock, transport, sieve },
  });
  return { admission, transport, sieve, clock };
}

const urlsOf = (batch: KeyedBatch): string[] =>
  Array.from({ length: batch.length }, (_, i) => decodeDiscovery(entryBytes(batch, i)).url);

const parcelsOf = ({ transport }: Fixture) =>
  transport.state().unacknowledged.map(({ to, bytes }) => ({ to, batch: unpackKeyedBatch(bytes) }));

async function letThrough({ sieve }: Fixture): Promise<string[]> {
  await sieve.flush();
  const urls: string[] = [];
  for (let batch = await sieve.take(); batch; batch = await sieve.take())
    urls.push(...urlsOf(batch));
  return urls;
}

const url = fc
  .tuple(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 0, max: 500 }),
    fc.integer({ min: 0, max: 1800 }),
  )
  .map(([domain, page, length]) => `http://d${domain}.test/${page}${'x'.repeat(length)}`);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ found: fc.array(url, { maxLength: 60 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ waits: fc.integer({ min: 0, max: 3 * AGE }), sendAll: fc.boolean() }),
  },
);

test('every URL is on its way to the agent that owns it, once, and no parcel is much too large', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 30 }),
      async (agents, steps) => {
        const made = fixture(agents);
        const { admission, clock } = made;
        const all = new Map<string, number>();
        for (const step of steps) {
          if ('found' in step) {
            admission.discover(step.found, 1, undefined);
            for (const url of step.found) all.set(url, (all.get(url) ?? 0) + 1);
          } else {
            clock.advance(step.waits);
            await admission.carry(step.sendAll);
            if (step.sendAll || step.waits >= AGE) expect(admission.snapshot()).toEqual([]);
          }
        }
        const parcels = parcelsOf(made);
        for (const { to, batch } of parcels) {
          expect(batch.bytes.length).toBeLessThan(PARCEL + LONGEST);
          for (const url of urlsOf(batch)) expect(agentOf(partitionOfUrl(url), agents)).toBe(to);
        }
        const waiting = admission.snapshot().flatMap(urlsOf);
        const through = await letThrough(made);
        for (const url of through) expect(agentOf(partitionOfUrl(url), agents)).toBe(0);
        const everywhere = [
          ...through,
          ...parcels.flatMap(({ batch }) => urlsOf(batch)),
          ...waiting,
        ];
        expect([...new Set(everywhere)].sort()).toEqual([...all.keys()].sort());
        // The cache of recent links may forget one; no link is counted more often than discovered.
        for (const url of everywhere) all.set(url, all.get(url)! - 1);
        expect(Math.min(0, ...all.values())).toBe(0);
      },
    ),
  );
});

test('a large parcel is sent at once; the rest of a page is kept for a moment', () => {
  const made = fixture(2);
  const { admission, clock } = made;
  const theirs = Array.from(
    { length: 5000 },
    (_, i) => `http://d${i}.test/${'x'.repeat(60)}`,
  ).filter((url) => agentOf(partitionOfUrl(url), 2) === 1);
  admission.discover(theirs, 1, undefined);
  const sent = parcelsOf(made).flatMap(({ batch }) => urlsOf(batch));
  expect(parcelsOf(made).length).toBeGreaterThan(1);
  expect([...sent, ...admission.snapshot().flatMap(urlsOf)]).toEqual(theirs);
  expect(sent.length).toBeLessThan(theirs.length);
  expect(admission.wakeAt).toBe(clock.now() + AGE);
});

test('the content of a snapshot is on its way again after it is restored', async () => {
  const before = fixture(3);
  const urls = Array.from({ length: 300 }, (_, i) => `http://d${i}.test/`);
  before.admission.discover(urls, 1, undefined);
  const after = fixture(3);
  for (const batch of before.admission.snapshot()) after.admission.restore(batch);
  await after.admission.carry();
  expect(after.admission.snapshot()).toEqual([]);
  const sent = parcelsOf(after).flatMap(({ batch }) => urlsOf(batch));
  expect([...(await letThrough(after)), ...sent].sort()).toEqual(urls.sort());
});

test('a snapshot stays what it was, whatever is discovered and sent until the next carry', () => {
  const { admission } = fixture(2);
  const page = (n: number) =>
    Array.from({ length: 3000 }, (_, i) => `http://d${i}.test/${n}/${'x'.repeat(60)}`);
  admission.discover(page(1), 1, undefined);
  const snapshot = admission.snapshot();
  const before = snapshot.map(urlsOf);
  expect(before).toHaveLength(2);
  admission.discover(page(2), 1, undefined);
  expect(snapshot.map(urlsOf)).toEqual(before);
});

test('links in one text are admitted, counted and listed like the same links one by one', () => {
  const path = fc.constantFrom('', 'a', 'in/b', 'no/c', 'a/a/a/a/a/a', 'x'.repeat(40));
  const link = fc
    .tuple(fc.integer({ min: 0, max: 3 }), path)
    .map(([domain, rest]) => `http://d${domain}.test/${rest}`);
  const config = fc.record(
    {
      scope: fc.constantFrom('any', 'host', 'domain', 'parent'),
      maxDepth: fc.constantFrom(1, 2, 100),
      maxUrlLength: fc.constantFrom(30, 2048),
      include: fc.constantFrom([], ['*/in/*']),
      exclude: fc.constantFrom([], ['*/no/*']),
    },
    { requiredKeys: [] },
  );
  const pages = fc.array(
    fc.tuple(fc.array(link, { maxLength: 8 }), fc.integer({ min: 0, max: 3 })),
  );
  fc.assert(
    fc.property(config, fc.boolean(), pages, (chosen, filters, found) => {
      const admit = (take: (urls: string[]) => string[] | PackedUrls, isOneByOne: boolean) => {
        const listed: unknown[] = [];
        const counters = new Counters();
        const { admission } = fixture(3, {
          config: chosen as NonNullable<Choices['config']>,
          seeds: ['http://d1.test/', 'http://d2.test/'],
          schedule: filters ? ({ url }) => !url.endsWith('a') : undefined,
          isOneByOne,
          counters,
          skips: {
            kept() {},
            skipped: (...about) => listed.push(about),
            links: (...about) => listed.push(about),
          },
        });
        for (const [urls, depth] of found) admission.discover(take(urls), depth, 'http://d1.test/');
        return { listed, skipped: counters.refused, admitted: admission.snapshot().map(urlsOf) };
      };
      expect(admit(PackedUrls.of, false)).toEqual(admit((urls) => urls, true));
    }),
  );
});
