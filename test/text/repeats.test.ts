import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { inTemporaryFolder } from '../../src/disk/temporary-folder.ts';
import { mainBlocks, textOf } from '../../src/text/main-text.ts';
import { linesOf, readBlocks } from '../../src/text/read-blocks.ts';
import { RepeatCounter, type RepeatTable, repeatKeys } from '../../src/text/repeats.ts';

interface SitePage {
  readonly host: string;
  readonly text: string;
}

/** Counts pages; with little memory the pairs go through files. */
function count(
  pages: readonly SitePage[],
  { order = pages.map((_, i) => i), memory = 1 << 20 } = {},
): Promise<RepeatTable> {
  const disk = new Disk();
  return inTemporaryFolder(disk, tmpdir(), 'drumlin-repeats-', async (folder) => {
    const counter = new RepeatCounter(disk, folder, memory);
    for (const i of order) await counter.add(i, repeatKeys(pages[i].host, linesOf(pages[i].text)));
    return counter.finish();
  });
}

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const page = fc.record({
  host: fc.constantFrom('one.test', 'two.test'),
  text: fc.array(word, { maxLength: 6 }).map((words) => words.join('\n')),
});

test('a block repeats if it stands on a fifth of the pages of its host, and on three', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(page, { maxLength: 40 }), async (pages) => {
      const table = await count(pages);
      for (const host of ['one.test', 'two.test']) {
        const own = pages.filter((other) => other.host === host);
        for (const text of 'abcdefgh') {
          const standing = own.filter((other) => other.text.split('\n').includes(text)).length;
          const repeats = standing >= Math.max(3, Math.min(20, Math.ceil(own.length * 0.2)));
          expect([host, text, table.of(host)(linesOf(text)[0])]).toEqual([host, text, repeats]);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('neither the order of pages nor the memory matters', async () => {
  const pages = Array.from({ length: 30 }, (_, i) => ({
    host: `${i % 3}.test`,
    text: `menu\npage ${i}\n${i % 2 === 0 ? 'even' : 'odd'}`,
  }));
  const order = pages.map((_, i) => 29 - i);
  const one = await count(pages);
  const other = await count(pages, { order, memory: 1024 });
  expect(other.keys).toEqual(one.keys);
  expect(other.counts).toEqual(one.counts);
});

const SLOGAN =
  'The finest articles about hills and ice, written for you by those who know them best.';
const html = (text: string) => readBlocks(Buffer.from(`<p>${SLOGAN}</p><p>${text}</p>`));
const article = (i: number) =>
  `Article ${i} tells of the ${i} hills in the north, and of the ice that made every one of them.`;

test('what repeats on a site is not main text, whatever it looks like', async () => {
  const pages = Array.from({ length: 5 }, (_, i) => ({
    host: 'hills.test',
    text: `${SLOGAN}\n${article(i)}`,
  }));
  const table = await count(pages);
  const text = (host: string) => textOf(mainBlocks(html(article(1)), { repeats: table.of(host) }));
  expect(text('hills.test')).toBe(article(1));
  expect(text('other.test')).toBe(`${SLOGAN}\n${article(1)}`);
});

test('a page whose whole text repeats is a copy, and keeps it', async () => {
  const long = Array.from({ length: 8 }, (_, i) => article(i)).join(' ');
  const pages = Array.from({ length: 5 }, () => ({
    host: 'hills.test',
    text: `${SLOGAN}\n${long}`,
  }));
  const table = await count(pages);
  expect(textOf(mainBlocks(html(long), { repeats: table.of('hills.test') }))).toContain(long);
});
