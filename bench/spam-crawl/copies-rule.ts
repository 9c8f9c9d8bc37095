/**
 * A rule for copies beside the stumps of a model: from some share of copied pages on, a domain is
 * shut out, whatever its text. Below that, verdicts stay as they are.
 */
import { COPIED_SHARE } from '../../src/spam/features/neighbours/copies-set.ts';
import { scoreStumps } from '../../src/spam/learn/logit-boost.ts';
import type { ModelPart, SpamModel, StageModel } from '../../src/spam/model.ts';

/**
 * The share by the pages of a stage: two pages of three, of ten, and more than a tenth of thirty.
 */
const MOST_COPIED: Readonly<Record<number, number>> = { 3: 0.5, 10: 0.1, 30: 0.1, 100: 0.05 };
/** Of a stump: more than all others together can outweigh. */
const CERTAIN = 4;

export function withCopiesRule(model: SpamModel): SpamModel {
  const features = [...model.features, COPIED_SHARE];
  const stages = model.stages?.map((stage) => ruled(stage, features.length - 1));
  return { ...model, features, ...(stages && { stages }) };
}

function ruled(stage: StageModel, copies: number): StageModel {
  const { pages, parts, calibration } = stage;
  const threshold = MOST_COPIED[pages];
  if (threshold === undefined) return stage;
  const stumps = [{ feature: 0, threshold, below: 0, above: CERTAIN, missing: 0 }];
  const rule: ModelPart = {
    ...{ learner: 'boost-1', set: 'copies', weight: 1, features: [copies] },
    fitted: { kind: 'stumps', stumps },
  };
  const constant = calibration.constant - calibration.slope * scoreStumps(stumps, [0]);
  return { pages, parts: [...parts, rule], calibration: { ...calibration, constant } };
}
