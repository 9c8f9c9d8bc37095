import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchBuilder, entryBytes } from '../../src/drum/keyed-batch.ts';
import { anyCharacter } from '../any-character.ts';

test('a batch holds what was added, in order, by bytes, by range and by text', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.string({ unit: anyCharacter })),
      ),
      (list) => {
        const batch = new BatchBuilder(1, 1);
        const copy = new BatchBuilder(1, 1);
        for (let round = 0; round < 2; round++) {
          batch.clear();
          list.forEach(([key, text], i) => {
            const bytes = Buffer.from(text);
            if (i % 3 === 0) batch.addText(key, text);
            else if (i % 3 === 1) batch.add(key, bytes);
            else
              batch.addRange(
                key,
                Buffer.concat([Buffer.from('ab'), bytes, Buffer.from('c')]),
                2,
                2 + bytes.length,
              );
          });
        }
        copy.addAll(batch);
        copy.addAll(batch);
        for (const [one, held] of [
          [batch, list],
          [copy, [...list, ...list]],
        ] as const) {
          expect(one.length).toBe(held.length);
          expect([...one.keys.subarray(0, one.length)]).toEqual(held.map(([key]) => key));
          held.forEach(([, text], i) => {
            expect(Buffer.from(entryBytes(one, i)).equals(Buffer.from(text))).toBe(true);
          });
          expect(one.byteLength).toBe(Buffer.byteLength(held.map(([, text]) => text).join('')));
        }
      },
    ),
  );
});
