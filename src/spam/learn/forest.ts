/**
 * Random forests (Breiman 2001): trees on bootstrap samples, each node choosing among a few
 * features drawn at random; a site's score is the mean of the trees.
 *
 * Idea      Trees grow to the end, by the Gini index, and are not pruned. Columns are coded to 255
 *           quantiles once for all trees, so that a node costs a pass over its sites.
 * Ensures   the same examples, seed and settings give the same forest.
 */
import { randomNumbers } from '../../base/random-numbers.ts';
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

interface ForestOptions {
  readonly trees: number;
  /** Features drawn at each node. */
  readonly features: number;
  readonly seed: number;
}

const CODES = 255;

export function growForest(examples: Examples, options: ForestOptions): Tree[] {
  const columns = examples.columns.map((column) => codeColumn(column, CODES));
  const sums = new CodeSums();
  return Array.from({ length: options.trees }, (_, i) => {
    const random = randomNumbers(options.seed * 100_003 + i);
    const node = bootstrap(examples, random);
    const { features } = options;
    const growing = new Growing({ columns, spam: examples.spam, sums, features, random });
    growing.grow(node);
    return growing.tree;
  });
}

/** As many draws as sites, each site as likely as its weight; a site drawn twice weighs 2. */
function bootstrap({ weights }: Examples, random: () => number): NodeSites {
  const n = weights.length;
  const upTo = new Float64Array(n);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += weights[i];
    upTo[i] = sum;
  }
  const drawn = new Float64Array(n);
  for (let i = 0; i < n; i++) drawn[firstAbove(upTo, random() * sum)]++;
  const sites = Uint32Array.from(drawn.keys()).filter((site) => drawn[site] > 0);
  return { sites, weights: Float64Array.from(sites, (site) => drawn[site]) };
}

function firstAbove(upTo: Float64Array, value: number): number {
  let low = 0;
  let high = upTo.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (upTo[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

interface Growth {
  readonly columns: readonly CodedColumn[];
  readonly spam: Uint8Array;
  readonly sums: CodeSums;
  /** Features drawn at each node. */
  readonly features: number;
  readonly random: () => number;
}

class Growing {
  readonly tree = emptyTree();
  readonly #growth: Growth;
  readonly #order: Uint32Array;

  constructor(growth: Growth) {
    this.#growth = growth;
    this.#order = Uint32Array.from(growth.columns.keys());
  }

  grow(node: NodeSites): number {
    const { tree } = this;
    const growth = this.#growth;
    let all = 0;
    let spam = 0;
    for (let i = 0; i < node.sites.length; i++) {
      all += node.weights[i];
      if (growth.spam[node.sites[i]]) spam += node.weights[i];
    }
    const place = addLeaf(tree, all === 0 ? 0 : spam / all);
    if (spam === 0 || spam === all || all < 2) return place;
    const best = this.#bestSplit(node);
    if (!best) return place;
    const column = growth.columns[best.feature];
    const [left, right] = divide(node, column, best.code, best.shareLeft);
    branch(tree, place, {
      feature: best.feature,
      threshold: thresholdAfter(column, best.code, best.next),
      missing: best.shareLeft,
    });
    tree.left[place] = this.grow(left);
    tree.right[place] = this.grow(right);
    return place;
  }

  /**
   * Draws features until enough were drawn and one of them can divide the node, as Weka does; a
   * constant feature does not count.
   */
  #bestSplit(node: NodeSites) {
    const order = this.#order;
    const { sums, columns, spam, features, random } = this.#growth;
    let best: { feature: number; code: number; next: number; shareLeft: number } | undefined;
    let bestScore = -1;
    let counted = 0;
    for (let i = 0; i < order.length && counted < features; i++) {
      const j = i + Math.floor(random() * (order.length - i));
      const feature = order[j];
      order[j] = order[i];
      order[i] = feature;
      sums.add(columns[feature], node, spam);
      if (sums.count < 2) continue;
      counted++;
      const split = bestGini(sums);
      if (split.score <= bestScore) continue;
      bestScore = split.score;
      const [code, next] = [sums.code[split.k], sums.code[split.k + 1]];
      best = { feature, code, next, shareLeft: split.shareLeft };
    }
    return best;
  }
}

/** The threshold with the purest sides: the greatest sum of squares of classes by weight. */
function bestGini(sums: CodeSums): { score: number; k: number; shareLeft: number } {
  let all = 0;
  let spam = 0;
  for (let k = 0; k < sums.count; k++) {
    all += sums.weight[k];
    spam += sums.sum[k];
  }
  const purity = (s: number, n: number) => (s * s + (n - s) * (n - s)) / n;
  let best = { score: -1, k: 0, shareLeft: 0 };
  let left = 0;
  let spamLeft = 0;
  for (let k = 0; k + 1 < sums.count; k++) {
    left += sums.weight[k];
    spamLeft += sums.sum[k];
    const score =
      (purity(spamLeft, left) + purity(spam - spamLeft, all - left) - purity(spam, all)) / all;
    if (score > best.score) best = { score, k, shareLeft: left / all };
  }
  // What is gained is gained for the sites with a value only.
  return { ...best, score: (best.score * all) / (all + sums.missingWeight) };
}
