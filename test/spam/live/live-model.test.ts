import { describe, expect, test } from 'vitest';
import { contentSet } from '../../../src/spam/features/content/content-set.ts';
import { MEASURES, roundValues } from '../../../src/spam/features/content/measures.ts';
import { SiteSums } from '../../../src/spam/features/content/site-sums.ts';
import { nameSet } from '../../../src/spam/features/names/name-set.ts';
import { LiveModel } from '../../../src/spam/live/live-model.ts';
import { scoreSites } from '../../../src/spam/model.ts';
import { tinyModel } from './tiny-model.ts';

const sumsOf = (...words: number[]): SiteSums => {
  const sums = SiteSums.empty();
  for (const [i, count] of words.entries()) {
    const values = Float64Array.from(MEASURES, (_, k) => (k === 0 ? count : (count % 97) / 97));
    roundValues(values);
    sums.add(values, i === 0);
  }
  return sums;
};

describe('a model in a crawl', () => {
  test('gives the score that the table of features of the same pages gets', () => {
    const sites = ['shop-77.example', 'a.example', 'much-longer-name.example'].map((name, i) => ({
      name,
      sums: sumsOf(...[[], [100], [90, 200, 700]][i]),
    }));
    const sets = [contentSet(sites, 'a', false), nameSet(sites.map(({ name }) => name))];
    const table = {
      names: sets.flatMap(({ name, columns }) => columns.map((column) => `${name}:${column}`)),
      columns: sets.flatMap(({ values }) => values),
    };
    const live = new LiveModel(tinyModel(), 'm.json');
    const scores = scoreSites(tinyModel(), table);
    for (const [i, { name, sums }] of sites.entries())
      expect(live.verdict(name, sums)).toBeCloseTo(scores[i], 4);
    expect(live.byName(sites[0].name)).toBe(live.verdict(sites[0].name, SiteSums.empty()));
    expect(new Set(scores.map((score) => Math.round(score * 1e4))).size).toBe(3);
  });

  test('does not know how many pages of a domain were read', () => {
    const model = { ...tinyModel(), features: ['content:pages'] };
    const [part] = model.parts;
    const stumps = [{ feature: 0, threshold: 1.5, below: -1, above: 1, missing: 0 }];
    const parts = [{ ...part, features: [0], fitted: { kind: 'stumps' as const, stumps } }];
    const live = new LiveModel({ ...model, parts }, 'm.json');
    const verdicts = [[], [9], [9, 9]].map((pages) => live.verdict('a.example', sumsOf(...pages)));
    expect(new Set(verdicts).size).toBe(1);
  });

  test('judges domains of few pages by parts of their own', () => {
    const { parts } = tinyModel();
    const [part] = parts;
    const stumps = [{ feature: 0, threshold: 0, below: 1, above: 1, missing: 1 }];
    const sure = [{ ...part, fitted: { kind: 'stumps' as const, stumps } }];
    const stages = [
      { pages: 1, parts, calibration: { slope: 4, constant: -9 } },
      { pages: 3, parts: sure, calibration: { slope: 4, constant: 9 } },
    ];
    const live = new LiveModel({ ...tinyModel(), stages }, 'm.json');
    const verdicts = [[], [90], [90, 20], [90, 20, 90], [9, 9, 9, 9]].map((pages) =>
      live.verdict('a.example', sumsOf(...pages)),
    );
    const [none, one, two, three, four] = verdicts;
    expect(none).toBe(new LiveModel(tinyModel(), 'm.json').byName('a.example'));
    expect([one < 0.1, two < 0.1, one === two]).toEqual([true, true, false]);
    expect(three).toBe(four);
    expect(three).toBeGreaterThan(0.9);
  });

  test('is refused, with the remedy, if it needs what a crawl does not have', () => {
    const other = { ...tinyModel(), features: [...tinyModel().features, 'links:pagerank'] };
    expect(() => new LiveModel(other, 'm.json')).toThrow(
      /m\.json needs the feature "links:pagerank"[\s\S]*--sets content,names/,
    );
    const top = { ...tinyModel(), features: ['content:top_words'] };
    expect(() => new LiveModel(top, 'm.json')).toThrow('content:top_words');
    const { words: _, ...wordless } = tinyModel();
    expect(() => new LiveModel(wordless, 'm.json')).toThrow('no lists of frequent words');
  });
});
