import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../src/frontier/fifo.ts';

test('a Fifo behaves as an array does, whatever is done to it', () => {
  const operation = fc.oneof(fc.constant('shift' as const), fc.constant('unshift' as const), {
    arbitrary: fc.constant('push' as const),
    weight: 2,
  });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 300 }), (operations) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      operations.forEach((what, i) => {
        if (what === 'shift') expect(fifo.shift()).toBe(model.shift());
        else {
          fifo[what](i);
          model[what](i);
        }
        expect(fifo.length).toBe(model.length);
        expect(fifo.peek()).toBe(model[0]);
      });
      expect([...fifo]).toEqual(model);
    }),
  );
});
