import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SmallQueue } from '../../src/frontier/small-queue.ts';

test('gives out what a sorted list would, whatever is pushed and popped', () => {
  const step = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new SmallQueue<{ readonly value: number }>();
      let model: { readonly value: number }[] = [];
      for (const value of steps) {
        if (value !== undefined) {
          const item = { value };
          queue.push(item, value);
          model.push(item);
        } else {
          const popped = queue.pop();
          expect(popped?.value).toBe(model[0]?.value);
          expect(model.length === 0 || model.includes(popped as { value: number })).toBe(true);
          model = model.filter((item) => item !== popped);
        }
        model.sort((a, b) => a.value - b.value);
        expect(queue.length).toBe(model.length);
        expect(queue.peekValue()).toBe(model[0]?.value);
      }
    }),
  );
});

test('keeps nothing in memory that was popped, once it is empty', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const queue = new SmallQueue<object>();
  const popped = pushAndPop(queue, 50);
  // A WeakRef holds its target until the present job ends.
  await turn();
  collectGarbage();
  expect(popped.filter((item) => item.deref() !== undefined)).toEqual([]);
  expect(queue.length).toBe(0);
});

function pushAndPop(queue: SmallQueue<object>, count: number): WeakRef<object>[] {
  for (let i = 0; i < count; i++) queue.push({ i }, i);
  return Array.from({ length: count }, () => new WeakRef(queue.pop() as object));
}
