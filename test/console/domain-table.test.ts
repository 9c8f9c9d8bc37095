/** The table of domains: its pages against the list of `drumlin domains`, and a plain sort. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { xxh64 } from '../../src/base/xxh64.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { DomainTable } from '../../src/console/look/domain-table.ts';
import { Counters } from '../../src/crawl/record/counters.ts';
import { AgentFolder } from '../../src/crawl/state/agent-folder.ts';
import { CrawlFolder } from '../../src/crawl/state/crawl-folder.ts';
import { COLUMNS, listDomains } from '../../src/crawl/state/domain-list.ts';
import { encodeImage } from '../../src/crawl/state/memory-image.ts';
import { Disk } from '../../src/disk/disk.ts';
import { newRecord } from '../../src/reputation/budget/domain-record.ts';

const DOMAINS = 60;
const disk = new Disk();
const folder = mkdtempSync(join(tmpdir(), 'drumlin-test-'));
const dir = join(folder, 'crawl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nameOf = (i: number): string => `${i % 3 === 0 ? 'a-' : ''}site-${i.toString(36)}.test`;
let table: DomainTable;

beforeAll(async () => {
  const config = resolveConfig({ dir, agents: 1, allowPrivate: true });
  const opened = await CrawlFolder.open(disk, config, ['http://a.test/'], systemClock);
  await opened.begin(config, 1, ['http://a.test/']);
  const agent = await AgentFolder.open(disk, 0, config);
  const book = agent.reputation?.book;
  for (let i = 0; i < DOMAINS; i++) {
    const record = newRecord(nameOf(i), 1_700_000_000 + i);
    // Few values, so that many domains have the same; some have no score, and so no rank.
    Object.assign(record, { inDegree: i % 4, supporters: i % 5, pages: i % 3, urls: i % 7 });
    if (i % 8 === 0) record.spam = (i % 16) / 16;
    if (i % 10 === 1) record.override = 'blocked';
    book?.put(xxh64(record.name), record);
  }
  await book?.flush();
  while (await book?.take());
  const image = encodeImage({
    frontier: new Uint8Array(),
    transport: { agent: 0, agents: 1, received: [0], unacknowledged: [] },
    discovered: [],
  });
  const frontier = { hostsSeen: 0, domainsSeen: 0, required: 0, allHere: true };
  const state = { savedAt: 1, waiting: 0, counters: { ...new Counters() }, taken: 0, seeds: 1 };
  await agent.save(image, { ...state, frontier, moved: [], archive: [] }, async () => {});
  await agent.close();
  await opened.close();
  table = await DomainTable.read(disk, dir);
});

const all = { reverse: false, contains: '', state: 'any', from: 0, count: 500 } as const;

describe('the table of domains', () => {
  test('has the rows of drumlin domains, in its order, whatever the column', async () => {
    for (const sort of COLUMNS) {
      const { rows } = await listDomains(disk, dir, sort, 500);
      const page = await table.page({ ...all, sort });
      expect([sort, page.rows.map(({ domain }) => domain)]).toEqual([
        sort,
        rows.map(({ domain }) => domain),
      ]);
      expect(page.rows).toEqual(rows);
    }
  });

  test('gives every part of an order, both ways, with and without a search', async () => {
    for (const sort of COLUMNS)
      for (const contains of ['', 'a-', 'no-such'])
        for (const state of ['any', 'blocked'] as const) {
          const { rows: whole } = await table.page({ ...all, sort, contains, state });
          const model = (await table.page({ ...all, sort })).rows
            .filter((row) => row.domain.includes(contains))
            .filter((row) => state === 'any' || row.state === state);
          expect(whole).toEqual(model);
          const back = await table.page({ ...all, sort, contains, state, reverse: true });
          expect([back.matching, back.rows]).toEqual([model.length, [...model].reverse()]);
          for (const from of [0, 1, 7, 59, 60, 1000]) {
            const part = await table.page({ ...all, sort, contains, state, from, count: 5 });
            expect(part.rows).toEqual(model.slice(from, from + 5));
          }
        }
  });

  test('finds a domain by its name and by the hash of its name', () => {
    for (let i = 0; i < DOMAINS; i++) {
      const at = table.find(nameOf(i));
      expect(at === undefined ? '' : table.name(at)).toBe(nameOf(i));
    }
    expect(table.find('site-zz.test')).toBeUndefined();
  });

  test('gives the best by rank of some hashes, those without rank last', () => {
    const names = Array.from({ length: 20 }, (_, i) => nameOf(3 * i));
    const hashes = BigUint64Array.from([...names.map(xxh64), 1n, 2n ** 64n - 1n]);
    const rows = names.map((name) => table.row(table.find(name) as number));
    const model = rows
      .map((row) => ({ row, key: xxh64(row.domain), rank: row.rank ?? Infinity }))
      .sort((a, b) => (a.rank === b.rank ? (a.key < b.key ? -1 : 1) : a.rank - b.rank))
      .map(({ row }) => row);
    expect(model.at(-1)?.rank).toBeUndefined();
    for (const count of [0, 1, 7, 50])
      expect(table.best(hashes, count)).toEqual(model.slice(0, count));
  });
});
