import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sitesToAsk } from '../../src/spam/ask.ts';
import { explain } from '../../src/spam/explain.ts';
import type { FeatureTable } from '../../src/spam/feature-table.ts';
import { rowsFor, scoreRow } from '../../src/spam/model.ts';
import { trainModel } from '../../src/spam/train.ts';

/** Spam has many words; the length of its name says nothing. */
function tableOf(sites: number): FeatureTable {
  const column = (of: (i: number) => number) =>
    Float64Array.from({ length: sites }, (_, i) => of(i));
  return {
    sites: Array.from({ length: sites }, (_, i) => `s${i}.test`),
    ids: [],
    belongings: Array.from({ length: sites }, (_, i) => [`domain d${Math.floor(i / 2)}`]),
    names: ['content:words', 'names:length'],
    columns: [
      column((i) => (i % 4 < 2 ? 300 : 100) + ((i * 37) % 90)),
      column((i) => (i * 7) % 11),
    ],
  };
}

const table = tableOf(80);
const labelled = {
  places: Uint32Array.from(table.sites.keys()),
  spam: Uint8Array.from(table.sites.keys(), (i) => (i % 4 < 2 ? 1 : 0)),
  ...{ unknown: [], undecided: 0 },
};
const model = await trainModel(table, labelled, { seed: 1, fast: true, skipConstant: false });

describe('an explanation', () => {
  test('names the feature that decides, with its value and the direction', () => {
    const rows = rowsFor(model, table);
    for (const place of [0, 2]) {
      const row = rows(place).slice();
      const { score, features, sets } = explain(model, row);
      expect(features[0].name).toBe('content:words');
      expect(features[0].value).toBe(table.columns[0][place]);
      expect(Math.sign(features[0].effect)).toBe(place === 0 ? 1 : -1);
      expect(sets[0].name).toBe('content');
      expect(score).toBe(scoreRow(model, row));
    }
  });

  test('adds up to the difference from a site of which nothing is known', () => {
    const row = rowsFor(model, table)(5).slice();
    const { score, unknown, features, sets } = explain(model, row);
    const logit = (p: number) => Math.log(p / (1 - p));
    const sum = (effects: readonly { effect: number }[]) =>
      effects.reduce((total, { effect }) => total + effect, 0);
    expect(sum(features)).toBeCloseTo(logit(score) - logit(unknown), 8);
    expect(sum(sets)).toBeCloseTo(sum(features), 8);
  });

  test('gives nothing to a missing feature', () => {
    const row = rowsFor(model, table)(5).slice();
    row[1] = Number.NaN;
    const { features } = explain(model, row);
    expect(features.find(({ name }) => name === 'names:length')?.effect).toBe(0);
  });

  test('shares what two equal features tell between them', async () => {
    const [words, length] = table.columns;
    const twice = {
      ...table,
      names: [...table.names, 'content:again'],
      columns: [words, length, words],
    };
    const own = await trainModel(twice, labelled, { seed: 1, fast: true, skipConstant: false });
    const effects = explain(own, rowsFor(own, twice)(0).slice()).features;
    const [one, other] = ['content:words', 'content:again'].map(
      (wanted) => effects.find(({ name }) => name === wanted)?.effect ?? 0,
    );
    expect(one).toBeGreaterThan(0);
    expect(other).toBeGreaterThan(0);
  });
});

describe('the sites to label next', () => {
  test('are the least sure ones, one of each group, none with a label in its group', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(
        scores,
        fc.subarray([...Array(20).keys()]),
        fc.nat(12),
        (values, known, count) => {
          const some = tableOf(20);
          const probabilities = Float64Array.from(values, (value) => value / 100);
          const asked = sitesToAsk(some, probabilities, known, count);
          const groupOf = (site: string) => some.belongings[some.sites.indexOf(site)][0];
          const groups = asked.map(({ site }) => groupOf(site));
          expect(new Set(groups).size).toBe(groups.length);
          const labels = new Set(known.map((place) => some.belongings[place][0]));
          for (const group of groups) expect(labels.has(group)).toBe(false);
          const left = new Set(some.belongings.map(([group]) => group)).size - labels.size;
          expect(asked).toHaveLength(Math.min(count, left));
          const worst = Math.max(0, ...asked.map(({ score }) => Math.abs(score - 0.5)));
          for (const [i, site] of some.sites.entries())
            if (!labels.has(groupOf(site)) && !groups.includes(groupOf(site)))
              expect(Math.abs(probabilities[i] - 0.5)).toBeGreaterThanOrEqual(worst);
        },
      ),
      { numRuns: 100 },
    );
  });
});
