import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BestNodes } from '../../../src/rank/engine/best-nodes.ts';
import { order } from '../../../src/rank/engine/order.ts';

test('the best nodes are the first of the order, whatever order they come in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(6), fc.nat()), { maxLength: 80, size: 'max' }),
      fc.integer({ min: 1, max: 20 }),
      (drawn, wanted) => {
        const scores = Float64Array.from(drawn, ([score]) => score);
        const shuffled = [...scores.keys()].sort((a, b) => drawn[a][1] - drawn[b][1]);
        const best = new BestNodes(wanted);
        for (const node of shuffled) best.add(node, scores[node]);
        const { nodes, scores: found } = best.take();
        expect([...nodes]).toEqual([...order(scores).subarray(0, wanted)]);
        expect([...found]).toEqual([...nodes].map((node) => scores[node]));
      },
    ),
  );
});
