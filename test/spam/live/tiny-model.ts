/** A small model for crawls: a few stumps on the words of pages and on the name. */
import type { SpamModel } from '../../../src/spam/model.ts';

const FEATURES = [
  'content:mean_words',
  'content:deviation_words',
  'content:home_words',
  'content:mean_word_length',
  'content:mean_collection_precision_100',
  'names:length',
  'names:triples_07',
];

const stump = (feature: number, threshold: number, below: number, above: number) => ({
  ...{ feature, threshold, below, above },
  missing: 0,
});

const TINY = [
  stump(0, 120, -0.7, 0.4),
  stump(0, 300, 0.2, -0.5),
  stump(1, 40, 0.3, -0.2),
  stump(2, 150, -0.4, 0.3),
  stump(3, 5, 0.2, -0.1),
  stump(4, 0.1, 0.5, -0.5),
  stump(5, 14, -0.3, 0.6),
  stump(6, 0, -0.1, 0.3),
];

/** The same model, which also looks at copied pages. */
export function copiesModel(strictness = 0): SpamModel {
  const model = tinyModel(strictness);
  const [part] = model.parts;
  const features = [...FEATURES, 'copies:share'];
  const stumps = [stump(7, 0.2, -0.2, 0.8), stump(7, 0.6, 0, 0.5), ...TINY];
  const all = { ...part, features: [...features.keys()], fitted: { kind: 'stumps', stumps } };
  return { ...model, features, parts: [all as typeof part] };
}

/** `strictness` moves all verdicts: above 0 towards spam. */
export function tinyModel(strictness = 0, collection = ['the', 'of', 'and']): SpamModel {
  const trained = { sites: 2, spam: 1, groups: 2, folds: 5, seed: 1, auc: 0.5, aucHalfWidth: 0.5 };
  return {
    features: FEATURES,
    parts: [
      {
        ...{ learner: 'boost-8', set: 'all', weight: 1 },
        features: FEATURES.map((_, i) => i),
        fitted: { kind: 'stumps', stumps: TINY },
      },
    ],
    calibration: { slope: 4, constant: -2 + strictness },
    words: { collection, queries: [] },
    trained,
  };
}
