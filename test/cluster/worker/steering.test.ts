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
  const steering = await Steering.open({
    ...{ filtering, dir, clock, every: 5, get: (key) => book.get(key) },
    filters: await loadFilters({ fetch }, filtering),
    log: { event: (name) => void refused.push(name) },
    onFilters: ({ texts }) => void told.push(texts.fetch ?? ''),
  });
  const read = (name: string) => disk.readText(join(dir, name));
  return { steering, told, refused, look, read };
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
