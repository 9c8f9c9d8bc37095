import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VarintReader, varintSize, writeVarint } from '../../src/base/varint.ts';

test('numbers are read back as written, one after the other, in as many bytes as varintSize gives', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(300), fc.maxSafeNat())), (numbers) => {
      const bytes = new Uint8Array(numbers.reduce((sum, number) => sum + varintSize(number), 0));
      const end = numbers.reduce((at, number) => writeVarint(bytes, at, number), 0);
      expect(end).toBe(bytes.length);
      const reader = new VarintReader(bytes);
      expect(numbers.map(() => reader.next())).toEqual(numbers);
      expect(reader.at).toBe(end);
    }),
  );
});

test('a truncated number is an error', () => {
  expect(() => new VarintReader(Uint8Array.of(0x80)).next()).toThrow('past the end');
  expect(() => new VarintReader(new Uint8Array(100).fill(0xff)).next()).toThrow('past the end');
});
