/**
 * Why a site has its score: what each of its features adds.
 *
 * Idea      Every learner takes missing values. So the features of a site can be made known one
 *           after the other, and each adds the change of the score. That depends on the order:
 *           features that tell the same share what they tell, and the first gets all of it. So the
 *           mean over random orders counts (Shapley values). It is a change of the logarithm of
 *           spam : ham, in which a probability near 0 or 1 can still move.
 * Ensures   What all features add is the difference between the site and one of which nothing is
 *           known. Features that are missing, or that no learner uses, add 0. Deterministic.
 * Cost      A score for each feature and order; so many orders that it stays within seconds.
 */
import { randomNumbers, shuffle } from '../base/random-numbers.ts';
import { setOf } from './feature-table.ts';
import { logOddsOfRow, type SpamModel, scoreRow } from './model.ts';

interface Effect {
  /** Of a feature, or of a set: that of its features together. */
  readonly name: string;
  /** What it adds to ln(spam : ham): above 0 it speaks for spam. */
  readonly effect: number;
}

interface FeatureEffect extends Effect {
  /** NaN if it is missing. */
  readonly value: number;
}

export interface Explanation {
  readonly score: number;
  /** The score of a site of which nothing is known. */
  readonly unknown: number;
  readonly sets: readonly Effect[];
  readonly features: readonly FeatureEffect[];
}

const MOST_ORDERS = 20;
const MOST_SCORES = 4000;
const SEED = 1;

/** `row`: the features of the site, in the order of the model's list. */
export function explain(model: SpamModel, row: Float64Array): Explanation {
  const nothing = new Float64Array(row.length).fill(Number.NaN);
  const effects = effectsOf(model, row);
  const features = model.features.map((name, place) => ({
    ...{ name, value: row[place], effect: effects[place] },
  }));
  const sets = [...new Set(model.features.map(setOf))].map((set) => ({
    name: set,
    effect: features.reduce((sum, { name, effect }) => sum + (setOf(name) === set ? effect : 0), 0),
  }));
  return {
    ...{ score: scoreRow(model, row), unknown: scoreRow(model, nothing) },
    ...{ sets: bySize(sets), features: bySize(features) },
  };
}

function effectsOf(model: SpamModel, row: Float64Array): Float64Array {
  const used = new Set(model.parts.flatMap(({ features }) => features));
  const known = Uint32Array.from(row.keys()).filter(
    (place) => !Number.isNaN(row[place]) && used.has(place),
  );
  const orders = Math.max(2, Math.min(MOST_ORDERS, Math.floor(MOST_SCORES / (known.length + 1))));
  const random = randomNumbers(SEED);
  const effects = new Float64Array(row.length);
  const revealed = new Float64Array(row.length);
  for (let round = 0; round < orders; round++) {
    // Every second order is the one before, backwards: then fewer are enough.
    if (round % 2 === 0) shuffle(known, random);
    else known.reverse();
    revealed.fill(Number.NaN);
    let before = logOddsOfRow(model, revealed);
    for (const place of known) {
      revealed[place] = row[place];
      const after = logOddsOfRow(model, revealed);
      effects[place] += (after - before) / orders;
      before = after;
    }
  }
  return effects;
}

const bySize = <T extends Effect>(effects: T[]): T[] =>
  effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect) || (a.name < b.name ? -1 : 1));
