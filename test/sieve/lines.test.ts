import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { xxh64Bytes } from '../../src/base/xxh64.ts';
import { lineBatches } from '../../src/sieve/lines.ts';
import { unpack } from './packing.ts';

const searched = vi.hoisted(() => ({ bytes: 0 }));

/** The real kernel, which also counts the bytes that were searched for newlines. */
vi.mock('../../src/drum/kernel.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../src/drum/kernel.ts')>();
  class CountingKernel extends real.Kernel {
    constructor(capacity: number) {
      super(capacity);
      const { run } = this;
      const lineEnds: typeof run.lineEnds = (bytes, from, to, ends, room) => {
        searched.bytes += to - from;
        return run.lineEnds(bytes, from, to, ends, room);
      };
      Object.assign(this, { run: { ...run, lineEnds } });
    }
  }
  return { ...real, Kernel: CountingKernel };
});

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const n = sizes[i % sizes.length];
    yield bytes.slice(at, at + n);
    at += n;
  }
}

test('every line comes once with its hash, however the stream is divided and however small the buffer', async () => {
  const line = fc.string({ maxLength: 40 }).map((text) => text.replaceAll('\n', ''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(16, 33, 1024),
      async (lines, ended, sizes, capacity) => {
        const text = lines.join('\n') + (ended && lines.length > 0 ? '\n' : '');
        const found: { key: bigint; text: string }[] = [];
        for await (const batch of lineBatches(pieces(Buffer.from(text), sizes), capacity)) {
          found.push(...unpack(batch));
        }
        const expected = text.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(found.map((one) => one.text)).toEqual(expected.map((one) => `${one}\n`));
        expect(found.map((one) => one.key)).toEqual(
          expected.map((one) => xxh64Bytes(Buffer.from(one))),
        );
      },
    ),
  );
});

test('a long line is searched once, however many pieces it has and however often the buffer grows', async () => {
  const text = `${'z'.repeat(20_000)}\nshort\n${'y'.repeat(20_000)}`;
  searched.bytes = 0;
  const found: string[] = [];
  for await (const batch of lineBatches(pieces(Buffer.from(text), [7]), 64)) {
    found.push(...unpack(batch).map((one) => one.text));
  }
  expect(found.join('')).toBe(`${text}\n`);
  expect(searched.bytes).toBeGreaterThanOrEqual(text.length);
  expect(searched.bytes).toBeLessThan(text.length + 100);
});
