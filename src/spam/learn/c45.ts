/**
 * Trees in the manner of C4.5 (Quinlan 1993), as J48 of Weka grows them.
 *
 * Idea      A node takes the feature of the best gain ratio among those whose gain of information
 *           is at least the mean gain. The gain of a threshold is reduced by the cost of choosing
 *           it. Sites without a value go to both sides in parts.
 * Pruning   A subtree becomes a leaf if that makes no more errors, counted with the upper limit of
 *           their 25 % confidence interval. J48 also tries to raise the larger branch; this tree
 *           does not.
 * Ensures   the same examples give the same tree. A leaf has at least two sites.
 */
import type { Examples } from './examples.ts';
import {
  type CodedColumn,
  CodeSums,
  codeColumn,
  divide,
  type NodeSites,
  thresholdAfter,
} from './splits.ts';
import { addLeaf, branch, emptyTree, type Tree } from './tree.ts';

const LEAST_IN_BRANCH = 2;
/** The 75 % quantile of the normal distribution: C4.5's confidence of 25 %. */
const Z = 0.6744897501960817;
const EPSILON = 1e-10;

interface C45Options {
  /** Without pruning, as bagging wants its trees. */
  readonly prune: boolean;
  /** How many values of a feature are told apart; others share quantiles. */
  readonly codes?: number | undefined;
}

interface Split {
  readonly feature: number;
  readonly gain: number;
  readonly ratio: number;
  readonly lastLeft: number;
  readonly threshold: number;
  readonly shareLeft: number;
}

interface Counts {
  readonly all: number;
  readonly spam: number;
}

export function growC45(examples: Examples, { prune, codes }: C45Options): Tree {
  return new Grower(examples, codes).grow(prune);
}

class Grower {
  readonly #spam: Uint8Array;
  readonly #weights: Float64Array;
  readonly #columns: CodedColumn[];
  readonly #sums = new CodeSums();
  readonly #tree = emptyTree();

  constructor({ columns, spam, weights }: Examples, codes: number | undefined) {
    this.#spam = spam;
    this.#weights = weights;
    this.#columns = columns.map((column) => codeColumn(column, codes));
  }

  grow(prune: boolean): Tree {
    const sites = Uint32Array.from(this.#spam.keys()).filter((site) => this.#weights[site] > 0);
    const weights = Float64Array.from(sites, (site) => this.#weights[site]);
    this.#growNode({ sites, weights }, prune);
    return this.#tree;
  }

  /** Returns the errors expected of the subtree. */
  #growNode(node: NodeSites, prune: boolean): number {
    const tree = this.#tree;
    const counts = this.#count(node);
    const place = addLeaf(tree, counts.all === 0 ? 0 : counts.spam / counts.all);
    const asLeaf = expectedErrors(counts);
    const split = this.#bestSplit(node, counts);
    if (!split) return asLeaf;
    const [left, right] = divide(
      node,
      this.#columns[split.feature],
      split.lastLeft,
      split.shareLeft,
    );
    branch(tree, place, { ...split, missing: split.shareLeft });
    tree.left[place] = tree.feature.length;
    let asTree = this.#growNode(left, prune);
    tree.right[place] = tree.feature.length;
    asTree += this.#growNode(right, prune);
    const useless = this.#trainingErrors(place, node) >= least(counts) - 1e-3;
    if (!useless && !(prune && asLeaf <= asTree + 0.1)) return asTree;
    this.#cut(place);
    return asLeaf;
  }

  /** Removes all nodes after this one: they are its subtree, because it is the last that grew. */
  #cut(place: number): void {
    for (const list of Object.values(this.#tree) as number[][]) list.length = place + 1;
    this.#tree.feature[place] = -1;
  }

  #count({ sites, weights }: NodeSites): Counts {
    let all = 0;
    let spam = 0;
    for (let i = 0; i < sites.length; i++) {
      all += weights[i];
      if (this.#spam[sites[i]]) spam += weights[i];
    }
    return { all, spam };
  }

  /** Errors on the sites of a node, of the subtree below it. */
  #trainingErrors(place: number, node: NodeSites): number {
    const tree = this.#tree;
    if (tree.feature[place] < 0) return least(this.#count(node));
    const column = this.#columns[tree.feature[place]];
    const lastLeft = lastCodeUpTo(column, tree.threshold[place]);
    const [left, right] = divide(node, column, lastLeft, tree.missing[place]);
    return (
      this.#trainingErrors(tree.left[place], left) + this.#trainingErrors(tree.right[place], right)
    );
  }

  #bestSplit(node: NodeSites, counts: Counts): Split | undefined {
    if (counts.all < 2 * LEAST_IN_BRANCH || least(counts) < EPSILON) return undefined;
    const splits: Split[] = [];
    for (let feature = 0; feature < this.#columns.length; feature++) {
      const split = this.#splitBy(feature, node, counts);
      if (split) splits.push(split);
    }
    if (splits.length === 0) return undefined;
    const mean = splits.reduce((sum, { gain }) => sum + gain, 0) / splits.length;
    let best: Split | undefined;
    for (const split of splits)
      if (split.gain >= mean - 1e-3 && split.ratio > (best?.ratio ?? 0) + EPSILON) best = split;
    return best;
  }

  #splitBy(feature: number, node: NodeSites, { all }: Counts): Split | undefined {
    const column = this.#columns[feature];
    const sums = this.#sums;
    sums.add(column, node, this.#spam);
    const known = all - sums.missingWeight;
    const leastIn = Math.max(LEAST_IN_BRANCH, Math.min(25, 0.05 * known));
    if (known < 2 * leastIn) return undefined;
    let spam = 0;
    for (let k = 0; k < sums.count; k++) spam += sums.sum[k];
    const before = entropy(spam, known - spam);
    let best = { gain: 0, k: -1, left: 0 };
    let tried = 0;
    let left = 0;
    let spamLeft = 0;
    for (let k = 0; k + 1 < sums.count; k++) {
      left += sums.weight[k];
      spamLeft += sums.sum[k];
      if (left < leastIn || known - left < leastIn) continue;
      tried++;
      const after =
        entropy(spamLeft, left - spamLeft) +
        entropy(spam - spamLeft, known - left - (spam - spamLeft));
      if (before - after > best.gain + EPSILON) best = { gain: before - after, k, left };
    }
    if (best.k < 0) return undefined;
    const gain = (best.gain - Math.log2(tried)) / all;
    if (gain <= 0) return undefined;
    const parts = [best.left, known - best.left, sums.missingWeight];
    const splitInfo = parts.reduce((sum, part) => sum - log2Term(part / all), 0);
    const [code, next] = [sums.code[best.k], sums.code[best.k + 1]];
    return {
      ...{ feature, gain, ratio: gain / splitInfo, lastLeft: code },
      ...{ threshold: thresholdAfter(column, code, next), shareLeft: best.left / known },
    };
  }
}

function lastCodeUpTo({ tops }: CodedColumn, threshold: number): number {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tops[middle] <= threshold) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const least = ({ all, spam }: Counts): number => Math.min(spam, all - spam);
const log2Term = (x: number): number => (x <= 0 ? 0 : x * Math.log2(x));

/** Bits to tell the classes of a node apart: the entropy times the weight. */
function entropy(a: number, b: number): number {
  const n = a + b;
  return n <= 0 ? 0 : -n * (log2Term(a / n) + log2Term(b / n));
}

/**
 * The errors of a leaf with the upper limit of their confidence interval: C4.5's pessimistic
 * estimate, by the normal approximation with the continuity correction, and exact below one error.
 */
function expectedErrors(counts: Counts): number {
  const { all } = counts;
  const errors = least(counts);
  if (all === 0) return 0;
  if (errors < 1) {
    const base = all * (1 - 0.25 ** (1 / all));
    return errors + (errors === 0 ? base : base + errors * (expectedAbove(all, 1) - base) - errors);
  }
  if (errors + 0.5 >= all) return all;
  return expectedAbove(all, errors);
}

function expectedAbove(all: number, errors: number): number {
  if (errors + 0.5 >= all) return all;
  const f = (errors + 0.5) / all;
  const r =
    (f + Z ** 2 / (2 * all) + Z * Math.sqrt(f / all - f ** 2 / all + Z ** 2 / (4 * all ** 2))) /
    (1 + Z ** 2 / all);
  return r * all;
}
