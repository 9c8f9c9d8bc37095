import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { xxh64 } from '../../../src/base/xxh64.ts';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { BatchBuilder } from '../../../src/drum/keyed-batch.ts';
import { encodeDiscovery } from '../../../src/frontier/queue/discovered-url.ts';
import {
  type BookState,
  DomainBook,
  type DomainBookOptions,
  type PlacedUrl,
} from '../../../src/reputation/budget/domain-book.ts';
import type { BudgetOf } from '../../../src/reputation/budget/domain-delta.ts';
import {
  type DomainRecord,
  newRecord,
  type Override,
} from '../../../src/reputation/budget/domain-record.ts';
import { place } from '../../../src/reputation/budget/place.ts';
import { fingerprint } from '../../../src/url/fingerprint.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { TINY } from '../../drum/tiny-geometry.ts';

const root = mkdtempSync(join(tmpdir(), 'drumlin-book-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** Five changes fill a bucket, so books merge all the time. */
const GEOMETRY = { ...TINY, bucketTexts: 512, stagedBytes: 200, textChunk: 200 };
const NOW = 1_700_000_000_000;

/** A higher budget for domains with more in-links, unless the operator has decided. */
const byDegree =
  (base: number): BudgetOf =>
  ({ inDegree, supporters = 0, override }) =>
    typeof override === 'number'
      ? override
      : override === 'blocked'
        ? 0
        : base + inDegree + supporters;

function options(more: Partial<DomainBookOptions> = {}): DomainBookOptions {
  const folder = join(root, String(count++));
  mkdirSync(folder);
  const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  return { disk, folder, memory: 2 ** 20, budgetOf: byDegree(2), geometry: GEOMETRY, ...more };
}

function batchOf(urls: readonly string[]): BatchBuilder {
  const batch = new BatchBuilder();
  for (const url of urls)
    batch.addText(fingerprint(url), encodeDiscovery({ url, depth: 1, redirects: 0 }));
  return batch;
}

async function takeAll(book: DomainBook): Promise<PlacedUrl[]> {
  const all: PlacedUrl[] = [];
  for (let some = await book.take(); some; some = await book.take()) all.push(...some);
  return all;
}

const urlOf = ({ entry }: PlacedUrl): string => Buffer.from(entry).subarray(2).toString();

async function recordsOf(book: DomainBook): Promise<Map<string, DomainRecord>> {
  const records = new Map<string, DomainRecord>();
  for await (const { key, record } of book.records()) {
    expect(key).toBe(xxh64(record.name));
    records.set(record.name, record);
  }
  return records;
}

/** As a checkpoint stores it. */
const stored = (frozen: Frozen<BookState>): Frozen<BookState> => JSON.parse(JSON.stringify(frozen));

describe('a book of domains', () => {
  test('gives the URLs of a domain their places in the order they came, all its hosts together', async () => {
    const book = await DomainBook.open(options());
    const urls = [
      'a.site.example',
      'b.site.example',
      'site.example',
      'c.site.example',
      'other.example',
    ].map((host) => `http://${host}/`);
    await book.offerUrls(batchOf(urls), { round: 3, last: 5 }, NOW);
    await book.flush();
    const placed = await takeAll(book);
    expect(Object.fromEntries(placed.map((each) => [urlOf(each), each.place]))).toEqual({
      'http://a.site.example/': 4,
      'http://b.site.example/': 4,
      'http://site.example/': 5,
      'http://c.site.example/': 5,
      'http://other.example/': 4,
    });
    expect(placed.every(({ budget }) => budget === 2)).toBe(true);
    expect(book.waiting).toBe(0);
    await book.close();
  });

  test('counts links to a domain that come before, between and after its URLs', async () => {
    const book = await DomainBook.open(options());
    const key = xxh64('site.example');
    book.countEdges(key, 'site.example', 2, 0.5, NOW);
    await book.offerUrls(batchOf(['http://site.example/']), { round: 1, last: 2 }, NOW + 9000);
    book.countEdges(key, 'site.example', 3, 0.25, NOW + 9000);
    book.setSupporters(key, 7);
    const { 'site.example': record } = Object.fromEntries(await recordsOf(book));
    expect(record).toMatchObject({
      inDegree: 5,
      cash: 0.75,
      supporters: 7,
      firstSeen: NOW / 1000,
      urls: 1,
    });
    expect(record.budget).toBe(2 + 5 + 7);
    await book.close();
  });

  test('refuses the URLs of a blocked domain and counts them, until it is unblocked', async () => {
    const book = await DomainBook.open(options());
    const rounds = { round: 1, last: 9 };
    book.setOverride('farm.example', 'blocked', NOW);
    await book.offerUrls(
      batchOf(['http://farm.example/1', 'http://x.farm.example/2']),
      rounds,
      NOW,
    );
    book.setOverride('farm.example', 4, NOW);
    await book.offerUrls(batchOf(['http://farm.example/3']), rounds, NOW);
    book.setOverride('farm.example', undefined, NOW);
    await book.offerUrls(batchOf(['http://farm.example/4']), rounds, NOW);
    await book.flush();
    expect((await takeAll(book)).map(({ place, budget }) => [place, budget])).toEqual([
      ['blocked', 0],
      ['blocked', 0],
      [2, 4],
      [2, 2],
    ]);
    const record = (await recordsOf(book)).get('farm.example');
    expect(record).toMatchObject({ urls: 4, refused: 2, later: 0, override: undefined });
    await book.close();
  });

  test('counts URLs that are put off, and those that then get a place', async () => {
    const book = await DomainBook.open(options());
    const urls = [1, 2, 3, 4, 5].map((n) => `http://site.example/${n}`);
    await book.offerUrls(batchOf(urls), { round: 1, last: 2 }, NOW);
    await book.flush();
    const putOff = (await takeAll(book)).filter(({ place }) => place === 'later').map(urlOf);
    expect(putOff).toEqual(urls.slice(2));
    expect((await recordsOf(book)).get('site.example')).toMatchObject({ urls: 5, later: 3 });
    await book.offerUrls(batchOf(putOff), { round: 2, last: 3 }, NOW, true);
    await book.flush();
    expect((await takeAll(book)).map(({ place }) => place)).toEqual([3, 3, 'later']);
    expect((await recordsOf(book)).get('site.example')).toMatchObject({ urls: 5, later: 1 });
    await book.close();
  });

  test('applies new budgets to the domains given at once, and to others from their second URL on', async () => {
    const book = await DomainBook.open(options());
    const rounds = { round: 1, last: 9 };
    const offer = async (name: string) => {
      await book.offerUrls(batchOf([`http://${name}.example/`]), rounds, NOW);
      await book.flush();
      return (await takeAll(book)).map(({ budget }) => budget)[0];
    };
    expect([await offer('named'), await offer('other')]).toEqual([2, 2]);
    book.setBudgets(byDegree(100), [xxh64('named.example')]);
    expect([await offer('named'), await offer('other')]).toEqual([100, 2]);
    expect([await offer('named'), await offer('other')]).toEqual([100, 100]);
    await book.close();
  });

  test('counts a URL that has lost its place as put off, until it is offered again', async () => {
    const book = await DomainBook.open(options());
    const url = 'http://site.example/';
    await book.offerUrls(batchOf([url]), { round: 1, last: 9 }, NOW);
    book.postpone(xxh64('site.example'));
    expect((await recordsOf(book)).get('site.example')).toMatchObject({ urls: 1, later: 1 });
    await book.offerUrls(batchOf([url]), { round: 1, last: 9 }, NOW, true);
    expect((await recordsOf(book)).get('site.example')).toMatchObject({
      urls: 1,
      later: 0,
      used: 2,
    });
    await book.close();
  });

  test('remembers when a domain was first seen even if it had no name then', async () => {
    const book = await DomainBook.open(options());
    const key = xxh64('site.example');
    book.countEdges(key, '', 1, 0, NOW);
    book.countEdges(key, 'site.example', 0, 0, NOW + 60_000);
    const record = (await recordsOf(book)).get('site.example');
    expect(record).toMatchObject({ inDegree: 1, firstSeen: NOW / 1000 });
    await book.close();
  });

  test('treats the budgets that it is opened with as changed', async () => {
    const given = options();
    const rounds = { round: 1, last: 9 };
    const before = await DomainBook.open(given);
    await before.offerUrls(batchOf(['http://site.example/1']), rounds, NOW);
    const at = stored(await before.freeze());
    await before.close();
    const book = await DomainBook.open({ ...given, at, budgetOf: byDegree(50) });
    await book.offerUrls(batchOf(['http://site.example/2', 'http://site.example/3']), rounds, NOW);
    await book.offerUrls(batchOf(['http://site.example/4']), rounds, NOW);
    await book.flush();
    expect((await takeAll(book)).map(({ budget }) => budget)).toEqual([2, 2, 2, 50]);
    await book.close();
  });

  test('places URLs that are offered again by new budgets, all but the first', async () => {
    const book = await DomainBook.open(options({ budgetOf: byDegree(0) }));
    const urls = [1, 2, 3, 4].map((n) => `http://site.example/${n}`);
    await book.offerUrls(batchOf(urls), { round: 1, last: 9 }, NOW);
    book.setBudgets(byDegree(2));
    await book.offerUrls(batchOf(urls), { round: 1, last: 9 }, NOW, true);
    await book.flush();
    expect((await takeAll(book)).map(({ place }) => place)).toEqual([
      ...['later', 'later', 'later', 'later'],
      ...['later', 2, 2, 3],
    ]);
    await book.close();
  });

  test('keeps a record intact while its numbers grow in the middle of a merge', async () => {
    const { geometry, ...roomy } = options();
    const book = await DomainBook.open(roomy);
    const urls = Array.from({ length: 300 }, (_, i) => `http://site.example/${i}`);
    await book.offerUrls(batchOf(urls), { round: 1, last: 200 }, NOW);
    await book.flush();
    expect((await takeAll(book)).map(({ place }) => place)).toEqual(
      urls.map((_, i) => 2 + Math.floor(i / 2)),
    );
    expect((await recordsOf(book)).get('site.example')).toMatchObject({
      urls: 300,
      used: 2,
      inDegree: 0,
    });
    await book.close();
  });

  test('learns the name of a domain of which at first only the score was known', async () => {
    const book = await DomainBook.open(options());
    book.setSupporters(xxh64('site.example'), 5);
    await book.offerUrls(batchOf(['http://site.example/']), { round: 1, last: 2 }, NOW);
    const record = (await recordsOf(book)).get('site.example');
    expect(record).toMatchObject({ supporters: 5, urls: 1, firstSeen: NOW / 1000, budget: 7 });
    await book.close();
  });

  test('hands its records over to another book, which computes their budgets anew', async () => {
    const from = await DomainBook.open(options());
    from.setOverride('good.example', 'trusted', NOW);
    from.countEdges(xxh64('site.example'), 'site.example', 3, 0, NOW);
    await from.offerUrls(batchOf(['http://site.example/']), { round: 1, last: 2 }, NOW);
    const to = await DomainBook.open(options({ budgetOf: byDegree(50) }));
    for await (const { key, record } of from.records()) to.put(key, record);
    const [before, after] = [await recordsOf(from), await recordsOf(to)];
    expect(after.get('site.example')).toEqual({ ...before.get('site.example'), version: 0 });
    expect([...to.overrides]).toEqual([['good.example', 'trusted']]);
    await to.offerUrls(batchOf(['http://site.example/2']), { round: 1, last: 2 }, NOW);
    expect((await recordsOf(to)).get('site.example')).toMatchObject({ budget: 53, used: 0 });
    await from.close();
    await to.close();
  });

  test('can be read while it changes: the reader sees what was there when it began', async () => {
    const book = await DomainBook.open(options());
    const names = Array.from({ length: 20 }, (_, i) => `site${i}.example`);
    for (const name of names) book.countEdges(xxh64(name), name, 1, 0, NOW);
    const seen: number[] = [];
    for await (const { record } of book.records()) {
      seen.push(record.inDegree);
      for (const name of names) book.countEdges(xxh64(name), name, 1, 0, NOW);
      await book.flush();
      await takeAll(book);
    }
    expect(seen).toEqual(names.map(() => 1));
    expect((await recordsOf(book)).get('site0.example')?.inDegree).toBe(21);
    await book.close();
    expect(
      readdirSync(join(root, String(count - 1))).filter((name) => name.startsWith('records.')),
    ).toHaveLength(1);
  });

  test('is empty at first', async () => {
    const book = await DomainBook.open(options());
    await book.flush();
    expect([await takeAll(book), (await recordsOf(book)).size, book.size, book.pending]).toEqual([
      [],
      0,
      0,
      0,
    ]);
    await book.close();
  });
});

type Action =
  | { readonly do: 'urls'; readonly urls: readonly number[]; readonly again: boolean }
  | { readonly do: 'edges'; readonly site: number; readonly edges: number }
  | { readonly do: 'supporters'; readonly site: number; readonly supporters: number }
  | { readonly do: 'override'; readonly site: number; readonly override: Override | undefined }
  | { readonly do: 'budgets'; readonly base: number }
  | { readonly do: 'rounds'; readonly forward: number; readonly longer: number }
  | { readonly do: 'flush' | 'take' | 'checkpoint' | 'crash' | 'write' };

const site = fc.nat(7);
const nameOf = (n: number) => `site${n}.example`;
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('urls' as const),
      urls: fc.array(site, { minLength: 1, maxLength: 12 }),
      again: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('edges' as const),
      site,
      edges: fc.integer({ min: 1, max: 3 }),
    }),
  },
  fc.record({ do: fc.constant('supporters' as const), site, supporters: fc.nat(3) }),
  fc.record({
    do: fc.constant('override' as const),
    site,
    override: fc.constantFrom<(Override | undefined)[]>(undefined, 0, 3, 'blocked', 'trusted'),
  }),
  fc.record({ do: fc.constant('budgets' as const), base: fc.nat(3) }),
  fc.record({ do: fc.constant('rounds' as const), forward: fc.nat(2), longer: fc.nat(2) }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'flush' as const,
        'take' as const,
        'checkpoint' as const,
        'crash' as const,
        'write' as const,
      ),
    }),
  },
);

interface Asked {
  readonly url: string;
  readonly round: number;
  readonly last: number;
  readonly again: boolean;
  readonly blocked: boolean;
}

/**
 * Records in a map, and the answer for each URL. Budgets are not modelled: the book says which one
 * it used.
 */
class Model {
  records = new Map<string, DomainRecord>();
  /** URLs offered, by domain, in order, with the request. */
  asked = new Map<string, Asked[]>();
  answered = new Map<string, number>();
  overrides = new Map<string, Override>();
  round = 1;
  last = 4;
  urls = 0;
  /** URLs placed, by domain and round. */
  filled = new Map<string, number>();
  /** No budget has changed, nor could have. */
  steady = true;

  of(name: string): DomainRecord {
    const record = this.records.get(name) ?? newRecord(name, NOW / 1000);
    this.records.set(name, record);
    return record;
  }

  copy(): Model {
    return Object.assign(new Model(), structuredClone({ ...this }));
  }
}

/** Checks an answer against the model, and enters it there. */
function settle(model: Model, answer: PlacedUrl): void {
  const url = urlOf(answer);
  const name = new URL(url).hostname;
  const at = model.answered.get(name) ?? 0;
  const asked = model.asked.get(name)?.[at];
  expect(asked?.url).toBe(url);
  if (!asked) return;
  model.answered.set(name, at + 1);
  const record = model.of(name);
  if (asked.again && record.later > 0) record.later--;
  else record.urls++;
  expect(answer.place === 'blocked').toBe(asked.blocked);
  if (asked.blocked) {
    record.refused++;
    return;
  }
  if (model.steady) {
    const next = place(record, answer.budget, asked);
    expect(answer.place).toBe(next?.nextRound ?? 'later');
    if (next) Object.assign(record, next);
  }
  if (typeof answer.place !== 'number') {
    record.later++;
    return;
  }
  expect(answer.place).toBeGreaterThan(asked.round);
  expect(answer.place).toBeLessThanOrEqual(asked.last);
  record.nextRound = Math.max(record.nextRound, answer.place);
  record.budget = Math.max(record.budget, answer.budget);
  const filled = `${name} ${answer.place}`;
  model.filled.set(filled, (model.filled.get(filled) ?? 0) + 1);
  expect(model.filled.get(filled)).toBeLessThanOrEqual(record.budget);
}

const CHANGE_BUDGETS = new Set<Action['do']>(['edges', 'supporters', 'override', 'budgets']);

async function act(action: Action, book: DomainBook, model: Model): Promise<void> {
  if (CHANGE_BUDGETS.has(action.do)) model.steady = false;
  switch (action.do) {
    case 'urls': {
      const { round, last } = model;
      const urls = action.urls.map((n) => `http://${nameOf(n)}/${model.urls++}`);
      for (const url of urls) {
        const name = new URL(url).hostname;
        const blocked = model.records.get(name)?.blocked ?? false;
        const asked = { url, round, last, again: action.again, blocked };
        model.asked.set(name, [...(model.asked.get(name) ?? []), asked]);
      }
      return book.offerUrls(batchOf(urls), { round, last }, NOW, action.again);
    }
    case 'edges':
      model.of(nameOf(action.site)).inDegree += action.edges;
      return book.countEdges(xxh64(nameOf(action.site)), nameOf(action.site), action.edges, 0, NOW);
    case 'supporters':
      // Scores come only for domains that were discovered.
      model.of(nameOf(action.site)).supporters = action.supporters;
      book.countEdges(xxh64(nameOf(action.site)), nameOf(action.site), 0, 0, NOW);
      return book.setSupporters(xxh64(nameOf(action.site)), action.supporters);
    case 'override': {
      const record = model.of(nameOf(action.site));
      record.override = action.override;
      record.blocked = action.override === 'blocked';
      if (action.override === undefined) model.overrides.delete(record.name);
      else model.overrides.set(record.name, action.override);
      return book.setOverride(record.name, action.override, NOW);
    }
    case 'budgets':
      return book.setBudgets(byDegree(action.base), []);
    case 'rounds':
      model.round += action.forward;
      model.last = Math.max(model.last + action.longer, model.round);
      return;
    case 'write':
      return book.write();
    case 'flush':
      return book.flush();
    case 'take':
      for (const answer of (await book.take()) ?? []) settle(model, answer);
  }
}

/** The fields that do not depend on when the budgets reached a domain. */
const lasting = ({
  budget,
  version,
  nextRound,
  used,
  most,
  held,
  heldUntil,
  ...rest
}: DomainRecord) => ({
  ...rest,
  filled: Math.max(nextRound, heldUntil),
});

test('is a map of records in any order of events, and after a crash what it was at the last checkpoint', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 10, maxLength: 60, size: 'max' }),
      async (actions) => {
        const given = options();
        let book = await DomainBook.open(given);
        let model = new Model();
        let checkpoint: { at: Frozen<BookState>; model: Model } | undefined;
        for (const each of actions) {
          if (each.do === 'checkpoint') {
            checkpoint = { at: stored(await book.freeze()), model: model.copy() };
            await book.discardOlder(checkpoint.at);
          } else if (each.do === 'crash') {
            await book.close();
            book = await DomainBook.open({ ...given, ...(checkpoint && { at: checkpoint.at }) });
            model = checkpoint?.model.copy() ?? new Model();
          } else {
            await act(each, book, model);
          }
        }
        await book.flush();
        for (const answer of await takeAll(book)) settle(model, answer);
        expect(book.waiting).toBe(0);
        for (const [name, asked] of model.asked)
          expect(model.answered.get(name)).toBe(asked.length);
        const records = [...(await recordsOf(book))].map(
          ([name, record]) => [name, lasting(record)] as const,
        );
        const expected = [...model.records].map(
          ([name, record]) => [name, lasting(record)] as const,
        );
        expect(new Map(records)).toEqual(new Map(expected));
        expect(new Map(book.overrides)).toEqual(model.overrides);
        await book.close();
        rmSync(given.folder, { recursive: true });
      },
    ),
    { numRuns: 25 },
  );
});

test('what was frozen survives a power loss, including places that were not taken', async () => {
  const fileSystem = new PowerCutFileSystem();
  const given = options({ disk: new Disk(fileSystem) });
  const book = await DomainBook.open(given);
  const urls = Array.from({ length: 40 }, (_, i) => `http://site${i % 3}.example/${i}`);
  const rounds = { round: 1, last: 3 };
  await book.offerUrls(batchOf(urls.slice(0, 30)), rounds, NOW);
  await book.flush();
  await book.offerUrls(batchOf(urls.slice(30)), rounds, NOW);
  const at = stored(await book.freeze());
  await fileSystem.syncFolder(given.folder);
  await book.discardOlder(at);
  await book.offerUrls(batchOf(urls), rounds, NOW);
  await book.flush();
  await takeAll(book);
  await book.close();
  fileSystem.cutPower();
  // With budgets that it never had: decided places do not change.
  const again = await DomainBook.open({ ...given, at, budgetOf: byDegree(1000) });
  expect(again.waiting).toBe(40);
  await again.flush();
  const placed = await takeAll(again);
  expect(placed.map(urlOf).sort()).toEqual([...urls].sort());
  const early = placed.filter((each) => urls.indexOf(urlOf(each)) < 30);
  expect(early.filter(({ place }) => place === 2)).toHaveLength(6);
  expect(early.every(({ budget }) => budget === 2)).toBe(true);
  await again.close();
});

describe('verdicts on spam', () => {
  const bySpam: BudgetOf = ({ spam = 0 }) => Math.round(100 * (1 - spam));

  test('a verdict by pages replaces the one by the name, and never the other way round', async () => {
    const spamByName = (name: string) => (name.startsWith('shop') ? 0.75 : 0.1);
    const book = await DomainBook.open(options({ budgetOf: bySpam, spamByName }));
    const key = xxh64('shop.example');
    book.countEdges(key, 'shop.example', 1, 0, NOW);
    book.countEdges(xxh64('a.example'), 'a.example', 1, 0, NOW);
    await book.flush();
    const first = await recordsOf(book);
    expect(first.get('shop.example')).toMatchObject({ spam: 0.75, budget: 25 });
    expect(first.get('a.example')).toMatchObject({ spam: 0.1, budget: 90 });
    book.setSpam(key, 0.5);
    book.countEdges(key, 'shop.example', 1, 0, NOW);
    book.countPages(key, 3);
    await book.offerUrls(batchOf(['http://shop.example/x']), { round: 0, last: 3 }, NOW);
    await book.flush();
    expect((await recordsOf(book)).get('shop.example')).toMatchObject({ spam: 0.5, budget: 50 });
    const frozen = stored(await book.freeze());
    await book.close();
    expect(frozen.state.drum.size).toBe(2);
  });

  test('a verdict may come before the name', async () => {
    const book = await DomainBook.open(options({ budgetOf: bySpam, spamByName: () => 0.9 }));
    book.setSpam(xxh64('a.example'), 0.2);
    book.countEdges(xxh64('a.example'), 'a.example', 1, 0, NOW);
    await book.flush();
    expect((await recordsOf(book)).get('a.example')).toMatchObject({ spam: 0.2, budget: 80 });
    await book.close();
  });
});
