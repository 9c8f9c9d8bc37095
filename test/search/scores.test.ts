import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import '../property-seed.ts';
import { addCaptures, disk, type TestCapture } from './collection.ts';
import { type NaiveAtom, type NaiveQuery, naiveSearch } from './naive-search.ts';

const RUNS = Number(process.env.DRUMLIN_SEARCH_RUNS ?? 3);
/** Blocks of four postings, runs of about ten versions, two runs merged at once. */
const TINY = { block: 4, memory: 14_000, mostRuns: 2 } as const;

const WORDS = (
  'run running runs runner café cafe cafés house houses haus häuser arab arabic spring springs ' +
  'the of and zone fly no stocks stock 東京都 é 2011'
).split(' ');
const word = fc.constantFrom(...WORDS);
const HOSTS = ['a.gov.ly', 'gov.ly', 'b.example', 'www.b.example'];

const pageText = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const url = fc
  .tuple(fc.constantFrom(...HOSTS), fc.nat(5))
  .map(([host, path]) => `http://${host}/${path}`);
const link = fc.record({
  url,
  text: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
});
const captures: fc.Arbitrary<TestCapture[]> = fc.uniqueArray(
  fc.record({
    url,
    links: fc.array(link, { maxLength: 3 }),
    time: fc.integer({ min: 1, max: 40 }),
    title: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
    text: fc.oneof(pageText, fc.constantFrom('run the arab spring', 'no fly zone of the house')),
    language: fc.constant('en'),
  }),
  { minLength: 1, maxLength: 80, selector: ({ url, time }) => `${url} ${time}` },
);

/** The language of a text depends on the text alone, as in an archive. */
const withLanguage = (list: TestCapture[]): TestCapture[] =>
  list.map((capture) => ({
    ...capture,
    language: ['en', 'de', '', 'fr'][capture.text.length % 4],
  }));

/** Words of a query: `zzz` is in no page. */
const latin = fc.constantFrom(...WORDS.filter((each) => each !== '東京都'), 'zzz');
const atom: fc.Arbitrary<NaiveAtom> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ word: latin, inTitle: fc.constant(false), prefix: fc.constant(false) }),
  },
  fc.record({ word: latin, inTitle: fc.boolean(), prefix: fc.constant(false) }),
  fc.record({
    word: fc.constantFrom('run', 'ho', 's', 'ara'),
    inTitle: fc.boolean(),
    prefix: fc.constant(true),
  }),
  fc.record({
    phrase: fc.array(latin, { minLength: 1, maxLength: 3 }),
    inTitle: fc.boolean(),
  }),
  fc.record({ phrase: fc.constant(['東京', '京都']), inTitle: fc.constant(false) }),
  fc.record({ site: fc.constantFrom('ly', 'gov.ly', 'b.example', 'www.b.example') }),
);
const query: fc.Arbitrary<NaiveQuery> = fc.record({
  clauses: fc.array(fc.array(atom, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  excluded: fc.array(atom, { maxLength: 1 }),
  any: fc.boolean(),
});
const time = fc.oneof(
  fc.constant([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const),
  fc.integer({ min: 40, max: 41 }).map((at) => [at, at] as const),
  fc.integer({ min: 1, max: 40 }).map((at) => [at, at] as const),
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(20)).map(([a, more]) => [a, a + more] as const),
);

function written(one: NaiveAtom): string {
  if ('site' in one) return `site:${one.site}`;
  const field = one.inTitle ? 'title:' : '';
  if ('phrase' in one) return `${field}"${one.phrase.join(' ')}"`.replace('東京 京都', '東京都');
  return field + one.word + (one.prefix ? '*' : '');
}
const textOf = ({ clauses, excluded }: NaiveQuery): string =>
  [
    ...clauses.map((clause) => clause.map(written).join(' or ')),
    ...excluded.map((each) => `-${written(each)}`),
  ].join(' ');

/** One index, three parts, three folders. */
async function indexesOf(list: readonly TestCapture[]) {
  const third = (n: number) => list.filter((_, i) => i % 3 === n);
  const folders = () => [0, 1, 2].map(() => join(temporaryFolder(), 'index'));
  const [[whole], [divided], three] = [folders(), folders(), folders()];
  await addCaptures(whole, list, 'all', TINY);
  for (const n of [0, 1, 2]) {
    await addCaptures(divided, third(n), `part${n}`, TINY);
    await addCaptures(three[n], third(n), `folder${n}`, TINY);
  }
  return Promise.all([[whole], [divided], three].map((each) => SearchIndex.open(each, disk)));
}

async function answer(index: SearchIndex, wanted: NaiveQuery, from: number, to: number) {
  const { pages } = index;
  const range = { from, to };
  if (to < pages.first || from > pages.last) return 'no such time';
  try {
    const text = textOf(wanted);
    const { results } = await index.search(text, { range, any: wanted.any, top: 100 });
    for (const top of [1, 3]) {
      const few = await index.search(text, { range, any: wanted.any, top });
      expect(few.results).toEqual(results.slice(0, top));
    }
    const matches = await index.matches(text, { range, any: wanted.any });
    expect(new Set(matches).size).toBe(matches.length);
    expect(new Set(matches.map((version) => pages.pageOf[version]))).toEqual(
      new Set(results.map(({ version }) => pages.pageOf[version])),
    );
    return await Promise.all(
      results.map(async ({ version, score }) => {
        const { part, local } = index.partOf(version);
        return { ...(await part.name(local)), score };
      }),
    );
  } catch (error) {
    if (error instanceof DrumlinError && error.fact.includes('only function words'))
      return 'only stop words';
    throw error;
  }
}

describe('scores', () => {
  test('are those of BM25 over the versions valid at the time; parts and folders do not matter', async () => {
    const cases = fc.array(fc.tuple(query, time), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(captures.map(withLanguage), cases, async (list, questions) => {
        const indexes = await indexesOf(list);
        const languages = ['', 'de', 'en', 'fr'].filter((code) =>
          list.some(({ language }) => language === code),
        );
        for (const [wanted, [from, to]] of questions) {
          const [one, parts, folders] = await Promise.all(
            indexes.map((index) => answer(index, wanted, from, to)),
          );
          expect(parts).toEqual(one);
          expect(folders).toEqual(one);
          if (one === 'no such time') continue;
          const naive = naiveSearch(list, languages, wanted, from, to);
          compare(one, naive, `${textOf(wanted)} any=${wanted.any} ${from}..${to}`);
        }
        for (const index of indexes) await index.close();
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});

describe('phrases that a part does not have', () => {
  test('leave the other words of an "or" as they are, in windows that are full', async () => {
    const folder = join(temporaryFolder(), 'index');
    const list = Array.from({ length: 1_100 }, (_, i) => ({
      ...{ url: `http://a.example/${i}`, time: 1_000 + i, language: 'en' },
      title: 'alpha beta gamma delta',
      text: `alpha beta gamma delta common ${'pad '.repeat(i % 7)}`,
    }));
    await addCaptures(folder, list, 'all');
    const index = await SearchIndex.open([folder], disk);
    const [common, pad] = [await index.matches('common'), await index.search('pad')];
    expect(common).toHaveLength(list.length);
    for (const phrase of ['alpha zzz', 'alpha beta zzz', 'alpha beta gamma delta zzz']) {
      expect(await index.matches(`"${phrase}" or common`)).toEqual(common);
      expect((await index.search('pad')).results).toEqual(pad.results);
    }
    await index.close();
  });
});

function compare(
  results: Awaited<ReturnType<typeof answer>>,
  naive: ReturnType<typeof naiveSearch>,
  query: string,
) {
  if (typeof results === 'string' || typeof naive === 'string') {
    expect({ query, results }).toEqual({ query, results: naive });
    return;
  }
  expect({ query, found: results.map(({ url }) => url).sort() }).toEqual({
    query,
    found: naive.map(({ url }) => url).sort(),
  });
  for (const [i, { score }] of results.entries()) {
    const close = Math.abs(score - naive[i].score) <= 1e-9;
    expect({ query, i, score, naive: naive[i].score, close }).toMatchObject({ close: true });
  }
  for (const { url, score } of results) {
    const same = naive.find((each) => each.url === url);
    expect(Math.abs(score - (same?.score ?? -1))).toBeLessThan(1e-9);
  }
}
