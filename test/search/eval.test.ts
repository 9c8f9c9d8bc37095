import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { openIndex } from '../../src/api/search.ts';
import { evaluateSearch } from '../../src/cli/commands/search/eval.ts';
import { register } from '../../src/cli/commands/search/search.ts';
import { search } from '../../src/cli/commands/search/work.ts';
import { CHANGED, ORDERS } from '../../src/search/changed/order.ts';
import { gridOf } from '../../src/search/eval/grid.ts';
import { chanceOf, qualityOf, shareInside } from '../../src/search/eval/measures.ts';
import { parseJudgements, parseQueries, runLines } from '../../src/search/eval/trec.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { addCaptures, type TestCapture } from './collection.ts';
import { judgedRuns } from './eval-runs.ts';

const PYTREC: readonly (readonly number[])[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'pytrec.json'), 'utf8'),
);

describe('the measures of a ranking', () => {
  test('are those of pytrec_eval on 200 random runs, to 1e-9', () => {
    const runs = judgedRuns(200);
    expect(PYTREC).toHaveLength(runs.length);
    for (const [i, { ranking, gains }] of runs.entries()) {
      const quality = qualityOf(ranking, new Map(Object.entries(gains)), 15);
      const { ndcg, recall, reciprocalRank } = quality;
      for (const [place, value] of [ndcg, recall, reciprocalRank].entries())
        expect(Math.abs(value - PYTREC[i][place])).toBeLessThan(1e-9);
    }
  });

  test('add up the reciprocal ranks of all relevant pages', () => {
    const gains = new Map([...'abd'].map((page) => [page, 1]));
    expect(qualityOf(['a', 'b', 'c', 'd'], gains, 2).reciprocalRanks).toBe(1.75);
    expect(qualityOf(['x'], new Map(), 15)).toEqual({
      ...{ ndcg: 0, recall: 0, reciprocalRank: 0, reciprocalRanks: 0 },
    });
  });

  test('know the share of walks that never leave', () => {
    const pair = { count: 2, from: Uint32Array.of(0, 1), to: Uint32Array.of(1, 0) };
    expect(shareInside(pair, [1, 1])).toBeCloseTo(1, 12);
    // Half of the links lead out: a walk of k steps stays with probability 1 / 2^k.
    expect(shareInside(pair, [2, 2])).toBeCloseTo(0.15 / (1 - 0.85 / 2), 12);
    expect(shareInside({ ...pair, from: Uint32Array.of(), to: Uint32Array.of() }, [5, 5])).toBe(
      0.15,
    );
  });

  test('differ by chance as often as the signs of the differences allow', () => {
    const one = [1, 2, 3, 4, 5, 6, 7, 8];
    const other = one.map((value) => value - 0.5);
    expect(chanceOf(one, other)).toBeCloseTo(2 / 2 ** 8, 2);
    expect(chanceOf(one, one)).toBe(1);
    expect(chanceOf([1, 0], [0, 1])).toBe(1);
  });
});

describe('files of TREC', () => {
  test('are read', () => {
    expect(parseQueries('1\tarab spring\t2011-10\r\n\n2\tlibya\n', 'q')).toEqual([
      { where: 'Line 1 of q', id: '1', text: 'arab spring', time: '2011-10' },
      { where: 'Line 3 of q', id: '2', text: 'libya', time: undefined },
    ]);
    const judgements = parseJudgements(
      '1 0 http://A.example 2\n1\t0\thttp://b.example/x\t0\n',
      'j',
    );
    expect(judgements).toEqual(
      new Map([
        [
          '1',
          new Map([
            ['http://a.example/', 2],
            ['http://b.example/x', 0],
          ]),
        ],
      ]),
    );
  });

  test.each([
    ['', 'has no query'],
    ['1', 'Line 1 of q is no query'],
    ['1\ta\n1\tb', 'Line 2 of q has the number 1 again'],
  ])('of queries %j are refused', (text, fact) => {
    expect(() => parseQueries(text, 'q')).toThrow(fact);
  });

  test.each([
    ['1 0 http://a.example/', 'is no judgement'],
    ['1 0 http://a.example/ good', 'is no judgement'],
    [
      '1 0 http://a.example/ 1\n1 0 http://a.example 1',
      'Line 2 of j judges http://a.example again',
    ],
  ])('of judgements %j are refused', (text, fact) => {
    expect(() => parseJudgements(text, 'j')).toThrow(fact);
  });

  test('of runs have falling scores', () => {
    const pages = [0.5, 0.5, 0.2].map((rank, i) => ({ url: `u${i}`, rank }));
    const scores = runLines('7', pages, 'name').map((line) => Number(line.split(' ')[4]));
    expect(runLines('7', pages, 'name')[0]).toBe('7 Q0 u0 1 0.5 name');
    expect(scores[0] > scores[1] && scores[1] > scores[2]).toBe(true);
  });
});

test('a grid has all combinations', () => {
  const base = { alpha: 0.5, expand: 100, seeds: 100 };
  expect(gridOf('', base, ORDERS)).toHaveLength(5);
  const rows = gridOf('alpha=0,1:by=none,pagerank', base, ORDERS);
  expect(rows.map(({ alpha, by }) => [alpha, by])).toEqual([
    [0, 'none'],
    [1, 'none'],
    [0, 'pagerank'],
    [1, 'pagerank'],
  ]);
  for (const wrong of ['alpha', 'alpha=2', 'beta=1', 'expand=-1', 'expand=1.5', 'by=best'])
    expect(() => gridOf(wrong, base, ORDERS)).toThrow('is no part of a grid');
});

/** Three pages about the spring; the second crawl brings a fourth that all link to. */
async function news(): Promise<string> {
  const out = join(temporaryFolder(), 'index');
  const url = (n: number) => `http://a.example/${n}`;
  for (const [day, pages] of [
    [1, 3],
    [31, 4],
  ]) {
    const captures: TestCapture[] = Array.from({ length: pages }, (_, n) => ({
      ...{ url: url(n), time: Date.UTC(2011, 8, day), title: `Page ${n}`, language: 'en' },
      text: n === 3 ? 'The capital fell.' : 'Arab spring in the capital.',
      links: Array.from({ length: pages }, (_, other) => url(other)),
    }));
    await addCaptures(out, captures, `crawl${day}`);
  }
  return out;
}

const FLAGS = {
  ...{ ...CHANGED, top: 10, snippets: false, k1: 1.2, b: 0.75 },
  ...{
    titleWeight: 3,
    anchorWeight: 2,
    variantWeight: 0.5,
    rankWeight: 1,
    spamWeight: 1,
    cut: 15,
    grid: '',
    shift: 0,
  },
};

describe('the commands', () => {
  const lines: string[] = [];
  const out = { write: (text: string) => lines.push(text) > 0 };

  test('search --changed finds a new page by its links, and explains it', async () => {
    const index = await news();
    lines.length = 0;
    const flags = { ...FLAGS, changed: true, at: '2011-09-15', explain: true };
    await search([index, 'spring'], flags, out as never);
    const text = lines.join('');
    expect(text).toContain('(added by its links)');
    expect(text).toContain('in-links 0 to 3, out-links 0 to 3, words 0 to 3');
    expect(text).toContain(
      'Links among these pages: 6 at the end of crawl1, 12 at the end of crawl31.',
    );
    lines.length = 0;
    await search([index, 'spring'], { ...flags, json: true }, out as never);
    expect(lines.map((line) => JSON.parse(line).isSeed).sort()).toEqual([false, true, true, true]);
  });

  test('are in the library, too', async () => {
    const index = await openIndex([await news()]);
    const pages = await index.changed('spring', { at: '2011-09-15', by: 'none', alpha: 0 });
    expect(pages.map(({ url }) => url)[0]).toBe('http://a.example/3');
    expect(pages[0]).toMatchObject({ score: 0, after: { in: 3, out: 3, words: 3 } });
    await index.close();
  });

  test('search --changed ends with code 8 if nothing is found', async () => {
    const index = await news();
    const flags = { ...FLAGS, changed: true, at: '2011-09-15' };
    const error = await search([index, 'zebra'], flags, out as never).catch((each) => each);
    expect(error).toMatchObject({ code: 'NOT_FOUND', exitCode: 8 });
    await expect(
      search([index, 'spring'], { ...flags, timeline: true }, out as never),
    ).rejects.toThrow('Leave out --timeline');
    await expect(search([index, ''], flags, out as never)).rejects.toThrow('no word to search for');
  });

  test.each([
    '--by none',
    '--alpha 1',
    '--seeds 3',
    '--expand 0',
    '--explain',
  ])('search refuses %s without --changed', async (given) => {
    const program = new Command().exitOverride();
    register(program);
    const typed = ['search', 'my-index', 'spring', ...given.split(' ')];
    await expect(program.parseAsync(typed, { from: 'user' })).rejects.toThrow(
      `Add --changed, or leave out ${given.split(' ')[0]}`,
    );
  });

  test('search eval measures all orders, and writes a run', async () => {
    const index = await news();
    const folder = temporaryFolder();
    const [queries, qrels, run] = ['q', 'j', 'run'].map((name) => join(folder, name));
    writeFileSync(queries, '1\tspring\t2011-09-15\n2\tnothing judged\t2011-09-15\n');
    writeFileSync(qrels, '1 0 http://a.example/3 1\n');
    lines.length = 0;
    await evaluateSearch([index], { ...FLAGS, queries, qrels, run }, ORDERS, out as never);
    expect(lines).toHaveLength(7);
    expect(lines[1]).toMatch(/^BM25 +1 +0 +100 +1 +0\.000/);
    expect(lines.filter((line) => / 1\.000 /.test(line)).length).toBeGreaterThan(1);
    expect(readFileSync(run, 'utf8')).toMatch(/^1 Q0 http:\/\/a\.example\/\d 1 /);
    const missing = { ...FLAGS, queries: join(folder, 'none'), qrels };
    await expect(evaluateSearch([index], missing, ORDERS, out as never)).rejects.toThrow(
      'cannot be read',
    );
    for (const wrong of ['spring\tsoon', '"spring\t2011-09-15', '-spring\t2011-09-15']) {
      writeFileSync(join(folder, 'wrong'), `\n1\t${wrong}\n`);
      const flags = { ...FLAGS, queries: join(folder, 'wrong'), qrels };
      await expect(evaluateSearch([index], flags, ORDERS, out as never)).rejects.toThrow(
        `Line 2 of ${flags.queries}: `,
      );
    }
    const early = { ...FLAGS, queries, qrels, shift: -1 };
    await expect(evaluateSearch([index], early, ORDERS, out as never)).rejects.toThrow(
      'No query has judgements and epochs',
    );
  });
});
