import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePage } from '../../src/parse/page.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { addCaptures, disk, type TestCapture } from './collection.ts';

const page = (url: string, time: number, text: string, links: TestCapture['links'] = []) => ({
  ...{ url, time, text, links, title: '', language: 'en' },
});
const TARGET = 'http://b.example/';

async function opened(...folders: (readonly TestCapture[])[][]): Promise<SearchIndex> {
  const paths: string[] = [];
  for (const parts of folders) {
    const folder = join(temporaryFolder(), 'index');
    for (const [i, part] of parts.entries())
      await addCaptures(folder, part, `part${i}`, { block: 4, memory: 100_000, mostRuns: 2 });
    paths.push(folder);
  }
  return SearchIndex.open(paths, disk);
}

/** The times of the first captures of the versions with a word, and their scores. */
async function found(index: SearchIndex, query: string): Promise<[number, number][]> {
  const versions = await index.matches(query);
  const { results } = await index.search(query);
  const scores = new Map(results.map(({ version, score }) => [version, score]));
  return versions
    .map((v): [number, number] => [index.pages.firsts[v], scores.get(v) ?? 0])
    .sort(([a], [b]) => a - b);
}

describe('anchors', () => {
  test('belong to the versions that had not ended when the link was first seen', async () => {
    const list = [
      page(TARGET, 10, 'one'),
      page(TARGET, 20, 'two'),
      page(TARGET, 30, 'three'),
      page('http://a.example/', 20, '', [{ url: TARGET, text: 'Running' }]),
      page('http://a.example/', 35, '', [{ url: TARGET, text: 'Running' }]),
      page('http://c.example/', 5, '', [{ url: TARGET, text: 'early' }]),
      page('http://c.example/', 9, '', [{ url: 'http://never.example/', text: 'early' }]),
    ];
    for (const index of [await opened([list]), await opened(list.map((each) => [each]))]) {
      expect((await found(index, 'running')).map(([time]) => time)).toEqual([20, 30]);
      expect((await found(index, 'run')).map(([time]) => time)).toEqual([20, 30]);
      expect((await found(index, 'early')).map(([time]) => time)).toEqual([10, 20, 30]);
      expect((await found(index, 'early two')).map(([time]) => time)).toEqual([20]);
      expect(await found(index, 'title:early')).toEqual([]);
      expect(await found(index, '"running"')).toHaveLength(2);
      await index.close();
    }
  });

  test('count once for each site, text and page, however many pages have the link', async () => {
    const from = (host: string, n: number) =>
      page(`http://${host}/${n}`, n, 'x', [{ url: TARGET, text: 'menu' }]);
    const one = [page(TARGET, 1, 'target'), from('a.example', 1)];
    const sites = [...one, from('c.example', 2)];
    const many = [...one, ...Array.from({ length: 40 }, (_, n) => from('www.a.example', n))];
    const scoreOf = async (list: readonly TestCapture[]) => {
      const padding = Array.from({ length: 50 - list.length }, (_, n) =>
        page(`http://z.example/${n}`, n, 'x'),
      );
      const index = await opened([[...list, ...padding]]);
      const [[, score]] = await found(index, 'menu');
      await index.close();
      return score;
    };
    expect(await scoreOf(many)).toBeCloseTo(await scoreOf(one), 9);
    expect(await scoreOf(sites)).not.toBeCloseTo(await scoreOf(one), 3);
  });

  test('of one page are bounded, and parts agree which count', async () => {
    const list = [
      page(TARGET, 1, 'target'),
      ...Array.from({ length: 13 }, (_, n) => {
        const links = Array.from({ length: 100 }, (_, i) => ({
          url: TARGET,
          text: `w${n}x${i} all`,
        }));
        return page(`http://a.example/${n}`, n + 1, '', links);
      }),
    ];
    const third = (n: number) => list.filter((_, i) => i % 3 === n);
    const indexes = [
      await opened([list]),
      await opened([third(0), third(1), third(2)]),
      await opened([third(0)], [third(1)], [third(2)]),
    ];
    const scores = await Promise.all(indexes.map((index) => found(index, 'all')));
    expect(scores[0]).toHaveLength(1);
    for (const each of scores) expect(each[0][1]).toBeCloseTo(scores[0][0][1], 12);
    const counts = await Promise.all(
      indexes.map(async (index) => (await index.matches('w1*', { any: true })).length),
    );
    expect(new Set(counts).size).toBe(1);
    for (const index of indexes) await index.close();
  });
});

describe('the text of a link', () => {
  const textOf = (html: string) =>
    parsePage(Buffer.from(html), { url: 'http://a.example/' }, { texts: true }).links[0]?.text;

  test.each([
    ['<a href=x>Plain  text\n</a>', 'Plain text'],
    ['<a href=x>a<b>b</b>c <i>d</i></a> e', 'abc d'],
    ['<a href=x><div>a</div><div>b</div></a>', 'a b'],
    ['<a href=x><img src=y alt="An &amp; image"></a>', 'An & image'],
    ['<a href=x>&eacute;t&eacute; é</a>', 'été é'],
    ['<a href=x>1 <!-- </a> --> 2 < 3</a>', '1 2 < 3'],
    ['<a href=x>one<a href=y>two</a>', 'one'],
    ['<a href=x title=">">never closed', 'never closed'],
    ['<a href=x>a<script>b</script>', 'a'],
    ['<a href=x></a>', ''],
    [`<a href=x>${'long '.repeat(500)}</a>`, 'long '.repeat(40).trim()],
    ['<a href=x>unfinished <img alt="', 'unfinished'],
  ])('%s', (html, text) => {
    expect(textOf(html)).toBe(text);
  });
});
