import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BookFile, BookFolder } from '../../src/focus/book/book.ts';
import { keyOf } from '../../src/focus/book/keys.ts';
import { addressText, domainText, NO_DOMAIN, parentText } from '../../src/focus/book/values.ts';
import { expectedRate, PriorEstimate } from '../../src/focus/crawl/expected.ts';
import { chooseParents } from '../../src/focus/crawl/seeds.ts';
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

test('seeds are the due parents of the best domains, as a naive choice takes them', async () => {
  const all = fc.uniqueArray(parent, { selector: ({ domain, page }) => `${domain}${page}` });
  await fc.assert(
    fc.asyncProperty(
      all,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 3 }),
      async (parents, count, perDomain) => {
        const places = new Map([
          ['b.example', 1],
          ['a.example', 2],
          ['c.example', 3],
        ]);
        const named = parents.map((each) => ({
          ...each,
          url: `http://${each.domain}/${each.page}`,
        }));
        const book = await bookOf({
          parents: Object.fromEntries(
            named.map((each) => [keyOf(each.url), parentText({ ...each, missed: 0 })]),
          ),
        });
        const model = [...places.keys()].flatMap((domain) =>
          named
            .filter((each) => each.domain === domain && each.last < 8)
            .sort(
              (a, b) =>
                b.useful - a.useful || b.documents - a.documents || (a.url < b.url ? -1 : 1),
            )
            .slice(0, perDomain),
        );
        const placeOf = (domain: string) => places.get(domain);
        expect(await chooseParents(book, { placeOf, count, perDomain, round: 8 })).toEqual(
          model.slice(0, count).map(({ url }) => url),
        );
      },
    ),
    { numRuns: 60 },
  );
});

describe('the expected rate', () => {
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
