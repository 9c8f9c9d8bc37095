/** Ranks of domains and verdicts on spam as a prior of search results. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priorOf } from '../../src/search/query/prior.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { addCaptures, disk } from './collection.ts';

const HOSTS = ['a.example.co.uk', 'www.example.co.uk', 'b.org', 'c.net', '10.0.0.1'];
const DOMAINS = ['example.co.uk', 'b.org', 'c.net', '10.0.0.1'];
const domainOf = (url: string) => DOMAINS.find((name) => new URL(url).host.endsWith(name)) ?? '';

async function indexOf(texts: readonly (readonly [host: number, text: string])[]) {
  const out = join(temporaryFolder(), 'index');
  const captures = texts.map(([host, text], i) => ({
    ...{ url: `http://${HOSTS[host]}/${i}`, time: 1 + i, title: '', text, language: 'en' },
  }));
  await addCaptures(out, captures, 'crawl', { block: 4 });
  return SearchIndex.open([out], disk);
}

function file(lines: readonly string[]): string {
  const path = join(temporaryFolder(), 'list.txt');
  writeFileSync(path, lines.join('\n'));
  return path;
}

async function scoresOf(index: SearchIndex, query: string, top: number, prior?: Float64Array) {
  const { results } = await index.search(query, { top, any: true, prior });
  const named: [url: string, score: number][] = [];
  for (const { version, score } of results) {
    const { part, local } = index.partOf(version);
    named.push([(await part.name(local)).url, score]);
  }
  return named;
}

const text = fc
  .array(fc.constantFrom('coast', 'bread', 'crowd', 'zone'), { minLength: 1, maxLength: 9 })
  .map((words) => words.join(' '));

test('a score is BM25 times the prior of the domain, and the first ones are found', async () => {
  const pages = fc.array(fc.tuple(fc.nat(HOSTS.length - 1), text), { minLength: 1, maxLength: 60 });
  const values = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: 1, max: 9 }),
  );
  await fc.assert(
    fc.asyncProperty(pages, values, fc.nat(3), async (texts, [spam, place], listed) => {
      const index = await indexOf(texts);
      const name = DOMAINS[listed];
      const weights = { rankWeight: 0.5, spamWeight: 2 };
      const ranks = file([`${place}\t${name}\t0.5`, '9\tother.org\t0.1']);
      const prior = await priorOf(index, disk, {
        ...weights,
        ranks,
        spam: file([`${name} ${spam}`]),
      });
      const factor = (url: string) =>
        domainOf(url) === name
          ? (1 - spam) ** 2 / (1 + 0.5 * Math.log(place))
          : 1 / (1 + 0.5 * Math.log(10));
      const plain = await scoresOf(index, 'coast bread', 100);
      const expected = plain.map(([url, score]) => score * factor(url)).sort((a, b) => b - a);
      const found = await scoresOf(index, 'coast bread', 5, prior);
      for (const [i, [url, score]] of found.entries()) {
        expect(score).toBeCloseTo(expected[i], 9);
        expect(score).toBeCloseTo((plain.find(([one]) => one === url)?.[1] ?? 0) * factor(url), 9);
      }
      expect(found).toHaveLength(Math.min(5, plain.length));
      await index.close();
    }),
    { numRuns: 10 },
  );
});

test.each([
  ['ranks', 'b.org 0', 'places begin with 1'],
  ['spam', 'b.org 1.5', 'a probability is from 0 to 1'],
  ['spam', 'b.org', 'not a domain with a value'],
])('a file of %s with "%s" is refused', async (kind, line, sentence) => {
  const index = await indexOf([[2, 'coast']]);
  const files = { rankWeight: 1, spamWeight: 1, [kind]: file([line]) };
  await expect(priorOf(index, disk, files)).rejects.toThrow(sentence);
  await index.close();
});

test('domains are known in any case, and one that no list has comes after the greatest place', async () => {
  const index = await indexOf([
    [2, 'coast'],
    [3, 'coast'],
  ]);
  const ranks = file(['# a list', '', '7\tother.org\t0.1', '2\tB.org\t0.5']);
  const prior = await priorOf(index, disk, { rankWeight: 1, spamWeight: 1, ranks });
  const factors = [2, 8].map((place) => 1 / (1 + Math.log(place)));
  expect([...(prior ?? [])].sort()).toEqual(factors.sort());
  await index.close();
});

test('without files there is no prior', async () => {
  const index = await indexOf([[2, 'coast']]);
  expect(await priorOf(index, disk, { rankWeight: 1, spamWeight: 1 })).toBeUndefined();
  await index.close();
});
