/** What the operator changes on a worker, and what agents that begin later get. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { KEYS } from '../../../src/cluster/members/keys.ts';
import { Steering } from '../../../src/cluster/worker/steering.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { loadFilters } from '../../../src/filter/filter-set.ts';
import { loadPredicates } from '../../../src/filter/predicates.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

/** A clock for the watch of filters: `look` lets it look once, and waits until it has. */
function slowClock() {
  let [next, waits] = [() => {}, () => {}];
  const after = (_: number, callback: () => void) => {
    next = callback;
    waits();
    return () => {};
  };
  const look = () =>
    new Promise<void>((looked) => {
      waits = looked;
      next();
    });
  return { clock: { ...systemClock, after }, look };
}

async function steeredBy(book: Map<string, unknown>, fetch: string) {
  const disk = new Disk();
  const dir = temporaryFolder();
  const filtering = {
    ...{ disk, predicates: await loadPredicates('') },
    ...{ ranking: '', spam: false },
  };
  const { clock, look } = slowClock();
  const told: string[] = [];
  const refused: string[] = [];
  const logged: unknown[] = [];
  const ordered: unknown[] = [];
  const steering = await Steering.open({
    ...{ filtering, dir, clock, every: 5, get: (key) => book.get(key) },
    filters: await loadFilters({ fetch }, filtering),
    log: {
      event: (name, facts) => {
        refused.push(name);
        logged.push(facts);
      },
    },
    onFilters: ({ texts }) => void told.push(texts.fetch ?? ''),
    onOrders: async (orders) => void ordered.push(orders),
  });
  const read = (name: string) => disk.readText(join(dir, name));
  return { steering, told, refused, look, read, ordered, logged };
}

const PATHS = 'PathDepth < 3';
const HOSTS = 'HostEndsWith(.edu)';

test('the filters of the crawl stay in force while the operator gives none', async () => {
  const { steering, told, look } = await steeredBy(new Map(), PATHS);
  await look();
  expect([told, steering.filters.texts.fetch]).toEqual([[], PATHS]);
  await steering.end();
});

test('an agent that begins after a change gets the changed filters', async () => {
  const { steering, told, look } = await steeredBy(new Map(), PATHS);
  steering.changed(KEYS.filters, { text: `fetch: ${HOSTS}\n` });
  while (told.length === 0) await look();
  expect([told, steering.filters.texts.fetch]).toEqual([[HOSTS], HOSTS]);
  await steering.end();
});

test('a worker that joins after a change begins with it, and has the decisions for domains', async () => {
  const book = new Map<string, unknown>([
    [KEYS.filters, { text: `fetch: ${HOSTS}\n` }],
    [KEYS.domains, { text: 'farm.example\tblock\n' }],
  ]);
  const { steering, read } = await steeredBy(book, PATHS);
  expect(steering.filters.texts.fetch).toBe(HOSTS);
  expect(await read('domains.tsv')).toBe('farm.example\tblock\n');
  await steering.end();
});

test('filters that cannot be read change nothing, and are logged', async () => {
  const book = new Map<string, unknown>([[KEYS.filters, { text: 'fetch: Staus == 1\n' }]]);
  const { steering, told, refused, look } = await steeredBy(book, PATHS);
  await look();
  expect([told, refused, steering.filters.texts.fetch]).toEqual([[], ['filters-refused'], PATHS]);
  await steering.end();
});

test('the log names what wrote the filters', async () => {
  const { steering, told, look, logged } = await steeredBy(new Map(), PATHS);
  steering.changed(KEYS.filters, { text: `fetch: ${HOSTS}\n`, by: 'console' });
  while (told.length === 0) await look();
  expect(logged).toEqual([{ by: 'console', filters: { fetch: HOSTS } }]);
  await steering.end();
});

test('settings and a pause reach agents that run, and those that begin later', async () => {
  const tuning = { number: 1, by: 'console', settings: { delay: '2s' }, paused: false };
  const book = new Map<string, unknown>([[KEYS.tuning, tuning]]);
  const { steering, ordered, logged, refused } = await steeredBy(book, PATHS);
  const first = { settings: { delay: 2000 }, paused: false, seeds: [] };
  expect([ordered, steering.orders]).toEqual([[first], first]);
  steering.changed(KEYS.tuning, { ...tuning, number: 2, paused: true });
  const second = { ...first, paused: true };
  expect([ordered, steering.orders]).toEqual([[first, second], second]);
  steering.changed(KEYS.tuning, { ...tuning, number: 3, settings: { delay: 'soon' } });
  steering.changed(KEYS.tuning, { ...tuning, number: 3, settings: { delay: 'soon' } });
  await steering.end();
  expect(steering.orders).toEqual(second);
  expect(refused.sort()).toEqual(['settings-changed', 'settings-changed', 'tuning-refused']);
  expect(logged).toContainEqual({ by: 'console', changes: { delay: '2s' } });
  expect(logged).toContainEqual({ by: 'console', changes: { paused: true } });
});
