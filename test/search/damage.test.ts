import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BLOCK_BYTES } from '../../src/disk/block-sums.ts';
import { LinkGraph } from '../../src/search/links/link-graph.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { addCaptures, disk } from './collection.ts';

const NAMES = 'anchors groups in names nodes out positions postings sightings terms versions'.split(
  ' ',
);

/** Opens everything and asks a question. */
async function use(folder: string): Promise<number> {
  const index = await SearchIndex.open([folder], disk);
  try {
    await (await LinkGraph.open(disk, [folder], index.crawls)).close();
    return (await index.matches('common')).length;
  } finally {
    await index.close();
  }
}

const path = (folder: string, part: number, name: string) =>
  join(folder, 'parts', `0000${part}`, name);

/** `more`: how many pages the second has more. */
async function twoParts(more = 1): Promise<string> {
  const folder = join(temporaryFolder(), 'index');
  for (const part of [0, 1]) {
    const captures = Array.from({ length: 500 + more * part }, (_, i) => ({
      ...{ url: `http://a.example/${part}/${i}`, time: 1_000 + i, language: 'en' },
      title: `page ${i}`,
      text: `common ${Array.from({ length: 20 }, (_, n) => `w${part}${i * n * 7919}`).join(' ')}`,
      links: [
        {
          url: `http://a.example/${part}/${i + 1}`,
          text: `${part === 0 ? 'next' : 'the next'} ${i}`,
        },
        `http://b.example/${part}/${i * i}`,
      ],
    }));
    await addCaptures(folder, captures, `crawl${part}`);
  }
  return folder;
}

describe('an index', () => {
  test('names a file that was cut, even between two blocks, or is that of another part', async () => {
    const folder = await twoParts();
    expect(readdirSync(path(folder, 0, '.')).sort()).toEqual(NAMES);
    expect(await use(folder)).toBe(1_001);
    for (const name of NAMES) {
      const file = path(folder, 0, name);
      const whole = readFileSync(file);
      const cuts = [20];
      for (let cut = BLOCK_BYTES; cut < whole.length; cut += 3 * BLOCK_BYTES) cuts.push(cut);
      for (const cut of cuts.slice(0, 6)) {
        writeFileSync(file, whole.subarray(0, cut));
        await expect(use(folder)).rejects.toMatchObject({
          ...{ name: 'DrumlinError', fact: expect.stringContaining(file) },
          remedy: expect.stringContaining('Index the archives again'),
        });
      }
      copyFileSync(path(folder, 1, name), file);
      await expect(use(folder)).rejects.toThrow(`${file} is damaged: it holds`);
      writeFileSync(file, whole);
    }
    expect(await use(folder)).toBe(1_001);
  });

  test('notices a file of another part, even of the same length', async () => {
    const folder = await twoParts(0);
    const [one, two] = [path(folder, 0, 'names'), path(folder, 1, 'names')];
    const [whole, other] = [readFileSync(one), readFileSync(two)];
    expect(whole).toHaveLength(other.length);
    for (const [to, from] of [
      [one, other],
      [two, whole],
    ] as const) {
      writeFileSync(to, from);
      await expect(use(folder)).rejects.toThrow('belongs to another part');
      writeFileSync(to, to === one ? whole : other);
    }
    expect(await use(folder)).toBe(1_000);
  });
});
