import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../../src/frontier/queue/fifo.ts';

test('a Fifo does what an array does with push and shift, however often', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.nat(9), { nil: undefined }), { maxLength: 300, size: 'max' }),
      (steps) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const item of steps) {
          if (item === undefined) expect(fifo.shift()).toBe(model.shift());
          else {
            fifo.push(item);
            model.push(item);
          }
          expect(fifo.length).toBe(model.length);
        }
      },
    ),
  );
});
