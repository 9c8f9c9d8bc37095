import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemberQueue } from '../../../src/archive/write/member-queue.ts';

/** A step of the disk: it takes a batch, and later it has written or refused it. */
type Step = Uint8Array | 'take' | 'written' | 'refused';

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 12 }),
  fc.constantFrom<Step>('take', 'written', 'refused'),
);

test('members leave in order, complete and once, however often the disk refuses', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 10 }),
      (steps, pieceBytes) => {
        const queue = new MemberQueue(pieceBytes);
        const written: Uint8Array[] = [];
        const added: Uint8Array[] = [];
        let batch: readonly Uint8Array[] | undefined;
        let addedBytes = 0;
        let writtenBytes = 0;
        for (const step of [...steps, 'written', 'take', 'written'] as Step[]) {
          if (step === 'take') batch ??= queue.take();
          else if (step === 'written' && batch) {
            // Only now: members added while a batch is being written must not touch it.
            written.push(...batch.map((piece) => Buffer.from(piece)));
            writtenBytes = Buffer.concat(written).length;
            queue.written();
            batch = undefined;
          } else if (step === 'refused' && batch) {
            queue.refused();
            batch = undefined;
          } else if (step instanceof Uint8Array) {
            const memory = step.slice();
            queue.add(memory);
            memory.fill(0); // it is reused
            added.push(step);
            addedBytes += step.length;
          }
          expect(queue.length).toBe(addedBytes - writtenBytes);
        }
        expect(Buffer.concat(written)).toEqual(Buffer.concat(added));
      },
    ),
    { numRuns: 1000 },
  );
});

test('the memory of a written batch is reused', () => {
  const queue = new MemberQueue(100);
  const takeOne = (): ArrayBufferLike => {
    queue.add(Buffer.from('member'));
    const [piece] = queue.take();
    queue.written();
    return piece.buffer;
  };
  expect(takeOne()).toBe(takeOne());
});
