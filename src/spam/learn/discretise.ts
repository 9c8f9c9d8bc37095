/**
 * Intervals of a feature by the description length of the classes in them (Fayyad and Irani 1993):
 * an interval is cut at the threshold of the least entropy, as long as the cut costs fewer bits
 * than it saves.
 */
import { CodeSums, codeColumn, thresholdAfter } from './splits.ts';

const SUMS = new CodeSums();

/** The thresholds, growing; none if the feature tells nothing of the classes. */
export function intervalsOf(
  column: Float64Array,
  spam: Uint8Array,
  weights: Float64Array,
): number[] {
  const coded = codeColumn(column);
  SUMS.add(coded, { sites: Uint32Array.from(spam.keys()), weights }, spam);
  const { count } = SUMS;
  const code = SUMS.code.slice(0, count);
  const weight = SUMS.weight.slice(0, count);
  const bad = SUMS.sum.slice(0, count);
  const cuts: number[] = [];
  const cutUp = (first: number, end: number): void => {
    const cut = bestCut(weight, bad, first, end);
    if (cut < 0) return;
    cutUp(first, cut + 1);
    cuts.push(thresholdAfter(coded, code[cut], code[cut + 1]));
    cutUp(cut + 1, end);
  };
  cutUp(0, count);
  return cuts;
}

/** The last place of the left side; -1 if no cut is worth its bits. */
function bestCut(weight: Float64Array, bad: Float64Array, first: number, end: number): number {
  let all = 0;
  let spam = 0;
  for (let k = first; k < end; k++) {
    all += weight[k];
    spam += bad[k];
  }
  let best = { bits: Number.POSITIVE_INFINITY, at: -1, left: 0, spam: 0 };
  let left = 0;
  let spamLeft = 0;
  for (let k = first; k + 1 < end; k++) {
    left += weight[k];
    spamLeft += bad[k];
    const bits =
      (left * entropyOf(spamLeft, left) + (all - left) * entropyOf(spam - spamLeft, all - left)) /
      all;
    if (bits < best.bits) best = { bits, at: k, left, spam: spamLeft };
  }
  if (best.at < 0) return -1;
  const whole = entropyOf(spam, all);
  const [one, two] = [
    { bits: entropyOf(best.spam, best.left), classes: classesOf(best.spam, best.left) },
    {
      bits: entropyOf(spam - best.spam, all - best.left),
      classes: classesOf(spam - best.spam, all - best.left),
    },
  ];
  const classes = classesOf(spam, all);
  const cost =
    Math.log2(3 ** classes - 2) -
    (classes * whole - one.classes * one.bits - two.classes * two.bits);
  const most = end - first - 1;
  return whole - best.bits > (Math.log2(most) + cost) / all ? best.at : -1;
}

const classesOf = (spam: number, all: number): number => (spam > 0 ? 1 : 0) + (spam < all ? 1 : 0);

function entropyOf(spam: number, all: number): number {
  if (spam <= 0 || spam >= all) return 0;
  const p = spam / all;
  return -(p * Math.log2(p) + (1 - p) * Math.log2(1 - p));
}
