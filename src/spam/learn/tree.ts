/**
 * A decision tree as arrays, so that a model file holds the tree itself.
 *
 * Node 0 is the root. An inner node sends a site left if its `feature` is at most the `threshold`,
 * and right otherwise. A site without that value goes both ways: a part of `missing` left, the
 * rest right. A leaf has feature -1; its `value` is the share of spam.
 */
export interface Tree {
  readonly feature: number[];
  readonly threshold: number[];
  readonly left: number[];
  readonly right: number[];
  readonly missing: number[];
  readonly value: number[];
}

export const emptyTree = (): Tree => ({
  feature: [],
  threshold: [],
  left: [],
  right: [],
  missing: [],
  value: [],
});

export function addLeaf(tree: Tree, value: number): number {
  tree.feature.push(-1);
  tree.threshold.push(0);
  tree.left.push(0);
  tree.right.push(0);
  tree.missing.push(0);
  return tree.value.push(value) - 1;
}

/** Makes an inner node of a leaf. */
export function branch(
  tree: Tree,
  node: number,
  at: { feature: number; threshold: number; missing: number },
): void {
  tree.feature[node] = at.feature;
  tree.threshold[node] = at.threshold;
  tree.missing[node] = at.missing;
}

/** The share of spam that the tree expects for a site. */
export function scoreTree(tree: Tree, row: ArrayLike<number>, node = 0): number {
  while (tree.feature[node] >= 0) {
    const value = row[tree.feature[node]];
    if (Number.isNaN(value)) {
      const share = tree.missing[node];
      return (
        share * scoreTree(tree, row, tree.left[node]) +
        (1 - share) * scoreTree(tree, row, tree.right[node])
      );
    }
    node = value <= tree.threshold[node] ? tree.left[node] : tree.right[node];
  }
  return tree.value[node];
}
