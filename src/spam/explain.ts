/**
 * Why a site has its score: what the score would be if a feature were not known.
 *
 * Idea      Every learner takes missing values. So the effect of a feature is the score with it
 *           less the score without it. Features that tell the same hide each other: without one of
 *           them the others are still there. So whole sets are left out, too.
 * Ensures   The effects of features that no learner uses are 0. The order is by size, then by name.
 */
import { setOf } from './feature-table.ts';
import { type SpamModel, scoreRow } from './model.ts';

interface Effect {
  /** Of a feature, or of a set. */
  readonly name: string;
  /** The probability of spam with it less the one without it: above 0 it speaks for spam. */
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

/** `row`: the features of the site, in the order of the model's list. */
export function explain(model: SpamModel, row: Float64Array): Explanation {
  const score = scoreRow(model, row);
  const without = (isLeftOut: (place: number) => boolean): number =>
    score -
    scoreRow(
      model,
      row.map((value, place) => (isLeftOut(place) ? Number.NaN : value)),
    );
  const sets = [...new Set(model.features.map(setOf))].map((set) => ({
    name: set,
    effect: without((place) => setOf(model.features[place]) === set),
  }));
  const features = model.features.map((name, place) => ({
    ...{ name, value: row[place] },
    effect: Number.isNaN(row[place]) ? 0 : without((other) => other === place),
  }));
  const unknown = scoreRow(model, new Float64Array(row.length).fill(Number.NaN));
  return { score, unknown, sets: bySize(sets), features: bySize(features) };
}

const bySize = <T extends Effect>(effects: T[]): T[] =>
  effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect) || (a.name < b.name ? -1 : 1));
