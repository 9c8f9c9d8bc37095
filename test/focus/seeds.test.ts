import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomNumbers } from '../../src/base/random-numbers.ts';
import { type BookFile, BookFolder } from '../../src/focus/book/book.ts';
import { keyOf } from '../../src/focus/book/keys.ts';
import {
  addressText,
  domainText,
  NO_DOMAIN,
  type ParentValue,
  parentText,
} from '../../src/focus/book/values.ts';
import { expectedRate, PriorEstimate } from '../../src/focus/crawl/expected.ts';
import { explore } from '../../src/focus/crawl/explore.ts';
import { chooseSeeds } from '../../src/focus/crawl/seeds.ts';
import { rankBook } from '../../src/focus/rank/rank-book.ts';
import { unsyncedDisk } from './unsynced-disk.ts';

const disk = unsyncedDisk();
let folder: string;
let books = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'focus-seeds-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A book with these records. */
async function bookOf(files: Partial<Record<BookFile, Record<string, string>>>) {
  const held = await BookFolder.open(disk, join(folder, `book-${books++}`));
  const written: Partial<Record<BookFile, { records: number; bytes: number }>> = {};
  for (const file of ['documents', 'addresses', 'references', 'parents', 'domains'] as const) {
    const pass = await held.rewrite(file);
    for (const [key, value] of Object.entries(files[file] ?? {}).sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      await pass.seek(key);
      await pass.put(value);
    }
    written[file] = await pass.finish();
  }
  await held.commit({ rules: { wanted: 'true', useful: 'true' } }, written);
  held.close();
  return held.book!;
}

const parent = fc.record({
  domain: fc.constantFrom('a.example', 'b.example', 'c.example', 'd.example'),
  page: fc.nat(5),
  useful: fc.nat(2),
  documents: fc.integer({ min: 1, max: 2 }),
  last: fc.constantFrom(5, 10),
});
interface Parent extends Omit<ParentValue, 'missed'> {
  readonly domain: string;
  readonly page: number;
}

const PLACES = new Map([
  ['b.example', 1],
  ['a.example', 2],
  ['c.example', 3],
]);
const urlOf = ({ domain, page }: Pick<Parent, 'domain' | 'page'>) => `http://${domain}/${page}`;
const bookOfParents = (parents: readonly Parent[]) =>
  bookOf({
    parents: Object.fromEntries(
      parents.map((each) => [keyOf(urlOf(each)), parentText({ ...each, missed: 0 })]),
    ),
  });
const parents = fc.uniqueArray(parent, { selector: ({ domain, page }) => `${domain}${page}` });

/** Straight from the definition: due parents first; then, as far as a domain has room, others. */
function naiveSeeds(all: readonly Parent[], count: number, perDomain: number, round: number) {
  const order = (a: Parent, b: Parent) =>
    b.useful - a.useful || b.documents - a.documents || (urlOf(a) < urlOf(b) ? -1 : 1);
  const of = (domain: string, isDue: boolean) =>
    all.filter((each) => each.domain === domain && each.last < round === isDue).sort(order);
  const due = [...PLACES.keys()].map((domain) => of(domain, true));
  const taken = due.map((each) => each.slice(0, perDomain));
  const more = [...PLACES.keys()].map((domain, i) =>
    of(domain, false).slice(0, perDomain - taken[i].length),
  );
  const seeds = taken.flat().slice(0, count);
  const isFull = taken.flat().length >= count;
  return {
    seeds: [...seeds, ...more.flat()].slice(0, count).map(urlOf),
    endsRound: !isFull && due.every((each, i) => each.length === taken[i].length),
  };
}

describe('seeds', () => {
  const placeOf = (domain: string) => PLACES.get(domain);

  test('are the due parents of the best domains, then others, as a naive choice takes them', async () => {
    await fc.assert(
      fc.asyncProperty(
        parents,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 3 }),
        async (all, count, perDomain) => {
          const book = await bookOfParents(all);
          expect(await chooseSeeds(book, { placeOf, count, perDomain, round: 8 })).toEqual(
            naiveSeeds(all, count, perDomain, 8),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('leave no parent out, and no domain gets more than its share', async () => {
    // a.example has twelve parents and room for two a day; b.example is better and small.
    let all: Parent[] = [
      ...Array.from({ length: 12 }, (_, page) => ({
        domain: 'a.example',
        page,
        useful: 12 - page,
      })),
      ...Array.from({ length: 3 }, (_, page) => ({ domain: 'b.example', page, useful: 9 })),
    ].map((each) => ({ ...each, documents: 20, last: 0 }));
    const crawled = new Set<string>();
    let round = 1;
    for (let now = 2; now < 8; now++) {
      const book = await bookOfParents(all);
      const { seeds, endsRound } = await chooseSeeds(book, {
        ...{ placeOf, count: 10, perDomain: 2, round },
      });
      for (const name of PLACES.keys())
        expect(seeds.filter((url) => url.includes(name)).length).toBeLessThanOrEqual(2);
      all = all.map((each) => (seeds.includes(urlOf(each)) ? { ...each, last: now } : each));
      for (const url of seeds) crawled.add(url);
      expect(endsRound).toBe(now === 7);
      if (endsRound) round = now;
    }
    expect(crawled.size).toBe(15);
  });
});

describe('exploring', () => {
  const reference = { [keyOf('http://dead.example/x/1.pdf')]: '3' };
  const domainOf = (tried: number) => ({
    'dead.example': domainText({ ...NO_DOMAIN, requests: 2, tried }),
  });
  const options = { count: 4, isListed: () => false, requests: 50, now: 100 * 86_400 };

  test('begins at the folder and the front page of an address that useful documents name', async () => {
    expect(await explore(await bookOf({ references: reference }), options)).toEqual([
      'http://dead.example/x/',
      'http://dead.example/',
    ]);
  });

  test('leaves a domain alone that was tried, whatever came of it, for 90 days', async () => {
    const tried = (day: number) =>
      bookOf({ references: reference, domains: domainOf(day * 86_400) });
    expect(await explore(await tried(99), options)).toEqual([]);
    expect(await explore(await tried(9), options)).toHaveLength(2);
  });
});

describe('exploring many domains', () => {
  const DAY = 86_400;
  const hint = fc.record({
    domain: fc.nat(7).map((n) => `${'hgfedcba'[n]}.example`),
    path: fc.constantFrom('/', '/x/1.pdf', '/x/2.pdf?a=/b', '/y'),
    count: fc.integer({ min: 1, max: 4 }),
  });
  const tried = fc.record({
    requests: fc.constantFrom(0, 9, 10, 11),
    tried: fc.constantFrom(0, 9 * DAY, 10 * DAY, 11 * DAY),
  });
  const world = fc.record({
    hints: fc.uniqueArray(hint, {
      ...{ minLength: 1, maxLength: 20, selector: ({ domain, path }) => domain + path },
    }),
    domains: fc.dictionary(fc.constantFrom('a.example', 'c.example', 'e.example'), tried),
    count: fc.integer({ min: 0, max: 9 }),
  });

  test('takes those that useful documents name most, each by its most named address', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ hints, domains, count }) => {
        const book = await bookOf({
          references: Object.fromEntries(
            hints.map(({ domain, path, count }) => [keyOf(`http://${domain}${path}`), `${count}`]),
          ),
          domains: Object.fromEntries(
            Object.entries(domains).map(([name, each]) => [
              name,
              domainText({ ...NO_DOMAIN, ...each }),
            ]),
          ),
        });
        const isListed = (domain: string) => domain === 'b.example';
        const options = { count, isListed, requests: 10, now: 100 * DAY };
        const open = [...new Set(hints.map(({ domain }) => domain))].filter((domain) => {
          const { requests, tried } = domains[domain] ?? { requests: 0, tried: 0 };
          return !isListed(domain) && requests < 10 && (tried === 0 || tried <= 10 * DAY);
        });
        const groups = open.map((domain) => {
          const own = hints.filter((each) => each.domain === domain);
          own.sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1));
          return { domain, path: own[0].path, sum: own.reduce((sum, each) => sum + each.count, 0) };
        });
        groups.sort((a, b) => b.sum - a.sum || (a.domain < b.domain ? -1 : 1));
        const seeds = groups.flatMap(({ domain, path }) => {
          const folder = path.replace(/\?.*/, '').replace(/[^/]*$/, '');
          return [`http://${domain}${folder}`, `http://${domain}/`];
        });
        expect(await explore(book, options)).toEqual([...new Set(seeds)].slice(0, count));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the expected rate', () => {
  test('finds the distribution again that rates were drawn from, and the rate of a domain', () => {
    const random = randomNumbers(11);
    /** Of mean 0.1 and variance 0.005: a = 2, b = 20. */
    const gamma = () => (-Math.log(1 - random()) - Math.log(1 - random())) / 20;
    const poisson = (mean: number) => {
      let [count, left] = [0, -Math.log(1 - random())];
      for (; left < mean; count++) left -= Math.log(1 - random());
      return count;
    };
    const estimate = new PriorEstimate();
    for (let i = 0; i < 20_000; i++) {
      const requests = 50 + (i % 3) * 50;
      estimate.add({ requests, gained: poisson(requests * gamma()) });
    }
    for (let i = 0; i < 20_000; i++) estimate.add({ requests: 0, gained: 5 });
    const prior = estimate.prior();
    expect(prior.found / 2).toBeCloseTo(1, 1);
    expect(prior.requests / 20).toBeCloseTo(1, 1);
    expect(expectedRate({ requests: 30, gained: 8 }, { found: 2, requests: 20 })).toBe(0.2);
  });

  test('of a domain that was hardly tried is near the mean of all, of one tried often its own', () => {
    const estimate = new PriorEstimate();
    for (let i = 0; i < 50; i++) estimate.add({ requests: 1000, gained: i < 25 ? 100 : 0 });
    const prior = estimate.prior();
    expect(expectedRate({ requests: 0, gained: 0 }, prior)).toBeCloseTo(0.05);
    expect(expectedRate({ requests: 1e6, gained: 2e5 }, prior)).toBeCloseTo(0.2, 2);
    expect(expectedRate({ requests: 1, gained: 0 }, prior)).toBeGreaterThan(0.03);
  });

  test('is a number above 0 whatever was found', () => {
    const tried = fc.record({ requests: fc.nat(100), gained: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(tried), tried, (all, one) => {
        const estimate = new PriorEstimate();
        for (const each of all) estimate.add(each);
        const rate = expectedRate(one, estimate.prior());
        expect(rate > 0 && Number.isFinite(rate)).toBe(true);
      }),
    );
  });
});

describe('quality from a file', () => {
  const domain = (documents: number) => domainText({ ...NO_DOMAIN, documents });
  const address = (name: string) =>
    addressText({ digest: 'D', domain: name, last: 1, useful: true, source: 0 });
  const book = () =>
    bookOf({
      documents: { D: 'a.example http://a.example/1.pdf\t1\t1\t1\t0' },
      addresses: {
        [keyOf('http://a.example/1.pdf')]: address('a.example'),
        [keyOf('http://mirror.example/1.pdf')]: address('a.example'),
      },
      domains: { 'a.example': domain(3), 'b.example': domain(1) },
    });
  const options = (quality: string) => ({ top: 10, quality, temporary: folder });

  test('counts for the domain of the document, and counts what is unknown', async () => {
    const path = join(folder, 'citations.txt');
    await writeFile(
      path,
      '# from OpenAlex\nhttp://a.example/1.pdf 5\nhttp://mirror.example/1.pdf,2\nwww.b.example 4\nhttp://c.example/ 9\nd.example 1\n',
    );
    const { domains, unknown } = await rankBook(disk, await book(), options(path));
    expect(domains.map(({ name, quality }) => [name, quality])).toEqual([
      ['a.example', 7],
      ['b.example', 4],
    ]);
    expect(unknown).toBe(2);
  });

  test.each([
    ['a.example', 'no number'],
    ['a.example -1', 'a number below 0'],
    ['a.example one', 'a word'],
    ['a.example 1 2', 'two numbers'],
    ['http:// 3', 'no URL'],
    ['.example 3', 'no domain'],
  ])('%j is refused by file and line (%s)', async (line) => {
    const path = join(folder, 'bad.txt');
    await writeFile(path, `a.example 1\n\n${line}\n`);
    await expect(rankBook(disk, await book(), options(path))).rejects.toThrow(/bad\.txt, line 3: /);
  });

  test('an empty book and a list without a core are clear errors', async () => {
    const empty = await bookOf({});
    await expect(rankBook(disk, empty, options('useful'))).rejects.toThrow(/holds no document/);
    await expect(rankBook(disk, await book(), options('references'))).rejects.toThrow(
      /both documents and quality.*--quality useful/,
    );
  });
});
