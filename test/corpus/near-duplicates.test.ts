import { describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { clustersAmong, type DatedPage } from './near-truth.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

async function clustersOf(pages: readonly DatedPage[], files: number, memory: number) {
  const earliest = new Map<number, number>();
  let last = -1;
  const found = clustersAmong(disk, temporaryFolder(), pages, files, memory);
  for await (const { page, earliest: first, earliestId } of found) {
    expect(page).toBeGreaterThan(last);
    expect(earliestId).toBe(`id-${first}`);
    earliest.set(page, first);
    last = page;
  }
  return earliest;
}

const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, i) => `w${(seed * 7919 + i * 104729) % 99991}`).join(' ');

describe('near-duplicates of a corpus', () => {
  test('are the same for any memory and any parts', async () => {
    const pages = Array.from({ length: 400 }, (_, i) => ({
      body: Buffer.from(`<p>${words(i % 90, 200)} ${words(i, 5)}</p>`),
      date: (i * 7) % 400,
    }));
    const one = await clustersOf(pages, 1, 64 * 2 ** 20);
    expect(one.size).toBe(400);
    expect(await clustersOf(pages, 7, 16 * 1024)).toEqual(one);
  });

  test('are about as long: a page with the text of another and half as much more is none', async () => {
    const text = words(5, 300);
    const bodies = [text, `${words(8, 20)} ${text}`, `${text} ${words(6, 150)}`];
    const pages = bodies.map((body, date) => ({ body: Buffer.from(`<p>${body}</p>`), date }));
    expect([...(await clustersOf(pages, 1, 64 * 1024))]).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  test('stay with the earliest by date, and by place if the dates are equal', async () => {
    const body = Buffer.from(`<p>${words(1, 100)}</p>`);
    const dates = [5, 3, 9, 3];
    const found = await clustersOf(
      dates.map((date) => ({ body, date })),
      2,
      64 * 1024,
    );
    expect([...found]).toEqual([0, 1, 2, 3].map((page) => [page, 1]));
  });

  test('are not pages of too few words to tell', async () => {
    const pages = [1, 2].map((date) => ({ body: Buffer.from('<p>not found</p>'), date }));
    expect((await clustersOf(pages, 1, 64 * 1024)).size).toBe(0);
  });

  test('of one text on many pages are one cluster, though their groups come in pieces', async () => {
    const body = Buffer.from(`<p>${words(3, 80)}</p>`);
    const pages = Array.from({ length: 3000 }, (_, date) => ({ body, date }));
    const found = await clustersOf(pages, 3, 64 * 1024);
    expect(found.size).toBe(3000);
    expect(new Set(found.values())).toEqual(new Set([0]));
  });
});
