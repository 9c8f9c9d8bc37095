/**
 * Folds for cross-validation that never divide a group: sites of one domain, address or operator
 * are alike, and a learner that saw one of them knows the others.
 *
 * Ensures   each fold has about as many sites and as much spam as the others, as far as whole
 *           groups allow: groups go to the fold that lacks them most, the largest first.
 */
import { randomNumbers, shuffle } from '../../base/random-numbers.ts';

/** The fold of each site. `groups` has a number or name for each site. */
export function foldsOf(
  spam: Uint8Array,
  groups: ArrayLike<number | string>,
  folds: number,
  seed: number,
): Uint8Array {
  const members = new Map<number | string, number[]>();
  for (let i = 0; i < spam.length; i++) {
    const list = members.get(groups[i]);
    if (list) list.push(i);
    else members.set(groups[i], [i]);
  }
  const lists = [...members.values()];
  const order = Uint32Array.from(lists.keys());
  shuffle(order, randomNumbers(seed));
  const sorted = Array.from(order, (k) => lists[k]).sort((a, b) => b.length - a.length);
  const held = Array.from({ length: folds }, () => [0, 0]);
  const result = new Uint8Array(spam.length);
  for (const list of sorted) {
    const bad = list.reduce((sum, site) => sum + spam[site], 0);
    // The class that the group has more of decides which fold lacks it.
    const kind = 2 * bad > list.length ? 1 : 0;
    let best = 0;
    for (let fold = 1; fold < folds; fold++) {
      const gap = held[fold][kind] - held[best][kind] || sum(held[fold]) - sum(held[best]);
      if (gap < 0) best = fold;
    }
    held[best][1] += bad;
    held[best][0] += list.length - bad;
    for (const site of list) result[site] = best;
  }
  return result;
}

const sum = ([a, b]: readonly number[]): number => a + b;
