import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import { BookFolder } from '../../src/focus/book/book.ts';
import type { Day } from '../../src/focus/book/day.ts';
import { urlIn } from '../../src/focus/book/keys.ts';
import { learn } from '../../src/focus/learn/learn.ts';
import { harvestOf, naiveBook, type PlainHarvest, recordsIn } from './naive-book.ts';
import { unsyncedDisk } from './unsynced-disk.ts';

const disk = unsyncedDisk();
const rules = { wanted: 'true', useful: 'true' };
let folder: string;
let books = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'focus-learn-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Memory for a few lines, so that every sort spills. */
const memory = 1000;

async function learnAll(harvests: readonly PlainHarvest[]) {
  const path = join(folder, `book-${books++}`);
  const book = await BookFolder.open(disk, path);
  const days: Day[] = [];
  for (const each of harvests)
    days.push(await learn(disk, book, harvestOf(each), { rules, memory }));
  book.close();
  return { path, days };
}

const url = fc
  .tuple(fc.constantFrom('a.example', 'www.a.example', 'b.example', 'c.co.uk'), fc.nat(4))
  .map(([host, page]) => `http://${host}/${page}`);
const content = fc
  .tuple(fc.constantFrom('u1', 'u2', 'n1', 'n2'), fc.uniqueArray(url, { maxLength: 2 }))
  .map(([name, references]) => [name, ...references].join(' '));
const harvest = fc.record({
  documents: fc.uniqueArray(fc.record({ url, content }), { selector: (each) => each.url }),
  redirects: fc.uniqueArray(fc.record({ from: url, to: url }), { selector: (each) => each.from }),
  pages: fc.uniqueArray(fc.record({ url, links: fc.array(url, { maxLength: 4 }) }), {
    selector: (each) => each.url,
  }),
});

/** A URL is a document, a redirect or a page; crawls come one after the other. */
const history = fc.array(harvest, { minLength: 1, maxLength: 3 }).map((crawls) =>
  crawls.map((each, i): PlainHarvest => {
    const taken = new Set(each.documents.map((document) => document.url));
    const redirects = each.redirects.filter(({ from, to }) => !taken.has(from) && from !== to);
    for (const { from } of redirects) taken.add(from);
    const pages = each.pages.filter((page) => !taken.has(page.url));
    return { identity: `crawl-${i}`, time: 1000 + i, ...each, redirects, pages };
  }),
);

describe('a book', () => {
  test('holds what a naive computation holds, whatever was crawled', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (harvests) => {
        const { path, days } = await learnAll(harvests);
        const naive = naiveBook(harvests);
        const documents = [...(await recordsIn(path, 'documents'))].map(
          ([digest, [key, first, last, useful]]) =>
            [
              digest,
              { url: urlIn(key), first: +first, last: +last, useful: useful === '1' },
            ] as const,
        );
        expect(new Map(documents)).toEqual(naive.documents);
        const parents = [...(await recordsIn(path, 'parents'))].map(
          ([key, [count, useful, last]]) =>
            [urlIn(key), { documents: +count, useful: +useful, last: +last }] as const,
        );
        expect(new Map(parents)).toEqual(naive.parents);
        const references = [...(await recordsIn(path, 'references'))].map(
          ([key, [count]]) => [urlIn(key), +count] as const,
        );
        expect(new Map(references)).toEqual(naive.references);
        const addresses = [...(await recordsIn(path, 'addresses'))].map(
          ([key, [digest]]) => [urlIn(key), digest] as const,
        );
        expect(new Map(addresses)).toEqual(naive.addresses);
        const domains = [...(await recordsIn(path, 'domains'))]
          .map(([name, [count, useful, linking, cited]]) => {
            const counts = { documents: +count, useful: +useful };
            return [name, { ...counts, parents: +linking, references: +cited }] as const;
          })
          .filter(([, counts]) => Object.values(counts).some((count) => count > 0));
        expect(new Map(domains)).toEqual(naive.domains);
        expect(
          days.map(({ fetched, fresh, useful, parents }) => ({ fetched, fresh, useful, parents })),
        ).toEqual(naive.days);
      }),
      { numRuns: 20 },
    );
  });

  test('counts a crawl once, however often it is learned', async () => {
    const crawl: PlainHarvest = {
      identity: 'one',
      time: 1000,
      documents: [
        { url: 'http://a.example/1.pdf', content: 'u1 http://a.example/2.pdf' },
        { url: 'http://a.example/2.pdf', content: 'n1' },
      ],
      redirects: [],
      pages: [{ url: 'http://a.example/', links: ['http://a.example/1.pdf'] }],
    };
    const once = await learnAll([crawl]);
    const thrice = await learnAll([crawl, crawl, crawl]);
    for (const file of ['documents', 'addresses', 'references', 'parents', 'domains'] as const)
      expect(await recordsIn(thrice.path, file)).toEqual(await recordsIn(once.path, file));
    expect(thrice.days[2]).toEqual(once.days[0]);
    const book = await BookFolder.open(disk, thrice.path);
    expect(book.book?.days).toEqual(once.days);
    book.close();
  });

  describe('remembers what became of seeds', () => {
    const SEED = 'http://a.example/list';
    const first: PlainHarvest = {
      identity: 'first',
      time: 1000,
      documents: [{ url: 'http://a.example/1.pdf', content: 'u1' }],
      redirects: [],
      pages: [{ url: SEED, links: ['http://a.example/1.pdf'] }],
    };
    const nothing = { documents: [], redirects: [], pages: [] };
    const dayOf = (time: number, rest: Partial<PlainHarvest>): PlainHarvest => ({
      ...{ ...nothing, identity: `day-${time}`, time },
      ...rest,
    });
    const missed = (finished: boolean) => ({ tried: { urls: [SEED], finished } });
    const parentIn = async (path: string) => [...(await recordsIn(path, 'parents')).values()][0];

    test('a parent that gives no page three times in a row is forgotten', async () => {
      const days = [2000, 3000, 4000].map((time) => dayOf(time, missed(true)));
      expect(await parentIn((await learnAll([first, ...days.slice(0, 2)])).path)).toEqual([
        ...['1', '1', '3000', '2'],
      ]);
      expect(await parentIn((await learnAll([first, ...days])).path)).toBeUndefined();
    });

    test('a seed that a limit left unrequested stays due, and is not forgotten so soon', async () => {
      const days = [2000, 3000, 4000].map((time) => dayOf(time, missed(false)));
      const { path } = await learnAll([first, ...days]);
      expect(await parentIn(path)).toEqual(['1', '1', '1000', '0.75']);
      const [domain] = (await recordsIn(path, 'domains')).values();
      expect(domain.at(-1)).toBe('0'); // not tried
    });

    test('a page that is as before keeps its links', async () => {
      const same = { pages: [{ url: SEED, links: undefined }], ...missed(true) };
      const days = [2000, 3000, 4000, 5000].map((time) => dayOf(time, same));
      const { path, days: learned } = await learnAll([first, ...days]);
      expect(await parentIn(path)).toEqual(['1', '1', '5000']);
      expect(learned.at(-1)).toMatchObject({ parents: 1, usefulParents: 1, fetched: 0 });
    });

    test('a domain that does not answer counts as tried, and its seeds as requests', async () => {
      const urls = ['http://dead.example/x/', 'http://dead.example/'];
      const day = dayOf(2000, { tried: { urls, finished: true } });
      const { path } = await learnAll([first, day]);
      const dead = (await recordsIn(path, 'domains')).get('dead.example');
      expect(dead?.slice(4)).toEqual(['2', '0', '2000']);
    });
  });

  test('a day without documents has the time of its last answer, or of its begin', async () => {
    const empty = { identity: 'x', documents: [], redirects: [] };
    const answered = await learnAll([
      { ...empty, time: 5000, pages: [{ url: 'http://a.example/', links: [] }] },
    ]);
    expect(answered.days[0].time).toBe(new Date(5_000_000).toISOString());
    const silent = await learnAll([{ ...empty, time: 5000, pages: [], began: 4000 }]);
    expect(silent.days[0].time).toBe(new Date(4_000_000).toISOString());
  });

  test('is as before when learning fails at any write, and learns again', async () => {
    const [first, second] = [1, 2].map((number): PlainHarvest => {
      const url = `http://a.example/${number}.pdf`;
      const pages = [{ url: `http://a.example/${number}`, links: [url] }];
      const documents = [{ url, content: `u${number}` }];
      return { identity: `${number}`, time: number, documents, redirects: [], pages };
    });
    const { path: whole } = await learnAll([first, second]);
    const { path } = await learnAll([first]);
    const before = await recordsIn(path, 'documents');
    let failures = 0;
    for (let writes = 0; ; writes++) {
      const failing = failingDisk(writes);
      const book = await BookFolder.open(failing.disk, path);
      failing.begin();
      const failed = await learn(failing.disk, book, harvestOf(second), { rules, memory }).then(
        () => false,
        () => true,
      );
      book.close();
      if (!failed) break;
      failures++;
      expect(await recordsIn(path, 'documents')).toEqual(before);
    }
    expect(failures).toBeGreaterThan(6);
    for (const file of ['documents', 'parents', 'domains'] as const)
      expect(await recordsIn(path, file)).toEqual(await recordsIn(whole, file));
  });

  test('is held by one process at a time, and refuses folders that are no books', async () => {
    const { path } = await learnAll([]);
    const held = await BookFolder.open(disk, path);
    await expect(BookFolder.open(disk, path)).rejects.toThrow(/in use/i);
    held.close();
    await writeFile(join(path, 'holiday.jpg'), '');
    await expect(BookFolder.open(disk, path)).rejects.toThrow(/holiday\.jpg.*and no book/);
    await writeFile(join(path, 'book.json'), '{"drumlin":"focus-book","version":9}');
    await expect(BookFolder.open(disk, path)).rejects.toThrow(/v9.*learn the crawls into a new/);
  });
});

/** A disk whose write number `count` after `begin` fails, and every one after it. */
function failingDisk(count: number) {
  let left = Infinity;
  const inner = unsyncedDisk().fileSystem;
  const failing = new Disk({
    ...nodeFileSystem,
    ...inner,
    async open(path, mode) {
      const file = await inner.open(path, mode);
      const write = file.write.bind(file);
      return {
        ...file,
        write: (...of: Parameters<typeof write>) =>
          left-- > 0
            ? write(...of)
            : Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
      };
    },
    rename: (from, to) =>
      left-- > 0 ? inner.rename(from, to) : Promise.reject(new Error('not renamed')),
  });
  const begin = () => {
    left = count;
  };
  return { disk: failing, begin };
}
