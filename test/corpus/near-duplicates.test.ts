import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { labPages } from '../../bench/duplicates/pages.ts';
import { nearDuplicates } from '../../src/corpus/near/near-duplicates.ts';
import { type SketchPart, SketchWriter } from '../../src/corpus/near/sketch-file.ts';
import { Disk } from '../../src/disk/disk.ts';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

interface Known {
  readonly body: Uint8Array;
  readonly date: number;
}

async function writeSketches(folder: string, pages: readonly Known[], parts: number) {
  const list: SketchPart[] = [];
  const size = Math.ceil(pages.length / parts);
  for (let part = 0; part < parts; part++) {
    const some = pages.slice(part * size, (part + 1) * size);
    const path = join(folder, `sketches-${part}`);
    const file = await disk.open(path, 'create');
    const writer = new SketchWriter(file);
    for (const [i, { body, date }] of some.entries())
      await writer.add(fingerprintOf(body), date, `id-${part * size + i}`);
    await writer.flush();
    await file.close();
    list.push({ path, first: part * size, pages: some.length });
  }
  return list;
}

async function clustersOf(pages: readonly Known[], parts: number, memory: number) {
  const folder = temporaryFolder();
  const list = await writeSketches(folder, pages, parts);
  const earliest = new Map<number, number>();
  const options = { threshold: 0.65, memory };
  let last = -1;
  for await (const { page, earliest: first, earliestId } of nearDuplicates(
    disk,
    folder,
    list,
    options,
  )) {
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
  test('are found across crawls and agents: recall 0.95, precision 0.99 in the lab', async () => {
    // Pages come in no order; as two crawls of two agents each, they are read file by file.
    const pages = labPages(1);
    const order = [0, 1, 2, 3].flatMap((file) =>
      pages
        .map((page, i) => ({ ...page, date: i, file: (i < pages.length / 2 ? 0 : 2) + (i % 2) }))
        .filter((page) => page.file === file),
    );
    const earliest = await clustersOf(order, 4, 4 * 2 ** 20);
    const seen = new Set<string>();
    let [positives, right, wrong] = [0, 0, 0];
    const byDate = order.map((page, at) => ({ ...page, at })).sort((a, b) => a.date - b.date);
    for (const { text, at } of byDate) {
      if (seen.has(text)) positives++;
      seen.add(text);
      const first = earliest.get(at);
      if (first === undefined || first === at) continue;
      expect(order[first].date).toBeLessThan(order[at].date);
      if (order[first].text === text) right++;
      else wrong++;
    }
    expect(positives).toBeGreaterThan(900);
    expect(right / positives).toBeGreaterThanOrEqual(0.95);
    expect(right / (right + wrong)).toBeGreaterThanOrEqual(0.99);
  });

  test('are the same for any memory and any parts', async () => {
    const pages = Array.from({ length: 400 }, (_, i) => ({
      body: Buffer.from(`<p>${words(i % 90, 200)} ${words(i, 5)}</p>`),
      date: (i * 7) % 400,
    }));
    const one = await clustersOf(pages, 1, 64 * 2 ** 20);
    expect(one.size).toBe(400);
    expect(await clustersOf(pages, 7, 16 * 1024)).toEqual(one);
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
