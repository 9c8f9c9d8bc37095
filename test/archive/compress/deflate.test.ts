import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deflater } from '../../../src/archive/compress/deflate.ts';
import { DEFLATE_WASM } from '../../../src/archive/compress/deflate-wasm.ts';
import { WebAssembly } from '../../../src/base/web-assembly.ts';
import { makePage } from '../../../src/lab/page.ts';
import { NO_PORTS, webOf } from '../../../src/lab/server/lab.ts';

const { room } = deflater();

function expectBack(member: Uint8Array, bytes: Uint8Array): void {
  expect(gunzipSync(member).equals(bytes)).toBe(true);
}

/** Bytes of an alphabet of any size, with copies of earlier bytes from as far as `reach`. */
const repetitive = fc
  .record({
    alphabet: fc.constantFrom(1, 2, 5, 60, 256),
    reach: fc.constantFrom(1, 3, 9, 300, 33_000),
    steps: fc.array(
      fc.tuple(
        fc.boolean(),
        fc.nat(),
        fc.constantFrom(1, 4, 5, 6, 12, 13, 14, 40, 257, 258, 259, 600),
      ),
      {
        maxLength: 120,
      },
    ),
  })
  .map(({ alphabet, reach, steps }) => {
    const bytes: number[] = [];
    for (const [isCopy, number, length] of steps) {
      const distance = 1 + (number % Math.min(reach, bytes.length || 1));
      for (let i = 0; i < length; i++) {
        const copied = isCopy ? bytes[bytes.length - distance] : undefined;
        bytes.push(copied ?? (number * (i + 7) * 2654435761) % alphabet);
      }
    }
    return Uint8Array.from(bytes);
  });
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.string().map((text) => Buffer.from(text)),
  repetitive,
);

describe('a deflated record', () => {
  test('decompresses to the same bytes, for any content', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => expectBack(deflater().member(bytes), bytes)),
      { numRuns: 1500 },
    );
  });

  test('has a size that is known without writing it', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(deflater().size(bytes)).toBe(deflater().blocks(bytes, true).length);
      }),
      { numRuns: 1000 },
    );
    for (const length of [0, 1, 65_535, 65_536, 65_600, room.length]) {
      for (const bytes of [randomBytes(length), Buffer.alloc(length, 'drumlin lab ')])
        expect(deflater().size(bytes)).toBe(deflater().blocks(bytes, true).length);
    }
    const half = Buffer.concat([randomBytes(70_000), Buffer.alloc(60_000, 'abc')]);
    expect(deflater().size(half)).toBe(deflater().blocks(half, true).length);
  });

  test('decompresses from any position in the room, with anything around it, and is deterministic', () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(), fc.boolean(), (bytes, somewhere, goesOn) => {
        const from = somewhere % (room.length - bytes.length + 1);
        room.fill(somewhere & 255, Math.max(0, from - 400), from);
        room.set(bytes, from);
        const end = from + bytes.length;
        // Bytes after the record that would prolong its matches.
        if (goesOn) room.copyWithin(end, from, Math.min(end, from + room.length - end));
        const member = Buffer.from(deflater().member(room.subarray(from, end)));
        expectBack(member, bytes);
        expect(deflater().member(bytes)).toEqual(member);
      }),
      { numRuns: 1000 },
    );
  });

  test('may be empty, fill the room, or end near the end of a block', () => {
    const text = Buffer.alloc(room.length, 'All work and no play makes Jack a dull boy. ');
    const noise = randomBytes(room.length);
    for (const around of [0, 14, 65_535, 65_536, 65_536 + 258, 131_072]) {
      for (
        let length = Math.max(0, around - 20);
        length <= Math.min(room.length, around + 20);
        length++
      ) {
        expectBack(deflater().member(text.subarray(0, length)), text.subarray(0, length));
        expectBack(deflater().member(noise.subarray(0, length)), noise.subarray(0, length));
      }
    }
    expect(() => deflater().member(Buffer.alloc(room.length + 1))).toThrow(RangeError);
  });

  test('finds repetitions up to 32 KiB back, and never further', () => {
    const [phrase, another] = [randomBytes(400), randomBytes(400)];
    for (let distance = 32_760; distance <= 32_776; distance++) {
      // A single repeated byte in between: it takes one entry of the table and leaves that of the
      // phrase.
      const between = Buffer.alloc(distance - phrase.length);
      const repeated = Buffer.concat([phrase, between, phrase]);
      const member = Buffer.from(deflater().member(repeated));
      expectBack(member, repeated);
      const { length } = deflater().member(Buffer.concat([phrase, between, another]));
      expect(member.length < length - 300).toBe(distance <= 32_768);
    }
  });

  test('decompresses if codes of the greatest length are adjacent', () => {
    // A few values make up nearly all of it; the others occur once or twice, one after the other.
    const bytes = Buffer.concat([
      Buffer.from(Array.from(randomBytes(60_000), (byte) => Math.clz32(byte) - 24)),
      Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 151) & 255)),
    ]);
    for (let from = 0; from < 30; from++) {
      expectBack(deflater().member(bytes.subarray(from)), bytes.subarray(from));
    }
  });

  test('finds repetitions up to 32 KiB back wherever the record moves in its memory', () => {
    const phrase = randomBytes(400);
    for (let before = 60_000; before < 131_072 - 33_000; before += 4_321) {
      const parts = [Buffer.alloc(before, 'Jack'), phrase, Buffer.alloc(30_000), phrase];
      const repeated = Buffer.concat([...parts, Buffer.alloc(200, 'boy')]);
      for (const from of [0, 700, room.length - repeated.length]) {
        room.set(repeated, from);
        const member = deflater().member(room.subarray(from, from + repeated.length));
        expect(member.length).toBeLessThan(1400);
        expectBack(member, repeated);
      }
    }
  });

  test('of random bytes is hardly longer than the bytes', () => {
    for (const length of [0, 1, 100, 5000, 131_072]) {
      expect(deflater().member(randomBytes(length)).length).toBeLessThanOrEqual(length + 18 + 20);
    }
  });

  test('can be followed by another if it is not the last', () => {
    fc.assert(
      fc.property(fc.array(anyBytes, { minLength: 1, maxLength: 5 }), (pieces) => {
        const blocks = pieces.map((piece, i) =>
          Buffer.from(deflater().blocks(piece, i === pieces.length - 1)),
        );
        expect(inflateRawSync(Buffer.concat(blocks)).equals(Buffer.concat(pieces))).toBe(true);
      }),
    );
  });
});

describe('its codes', () => {
  interface Exports {
    memory: { buffer: ArrayBuffer };
    INPUT: { value: number };
    OUTPUT: { value: number };
    OUTPUT_BYTES: { value: number };
    chooseLengths(counts: number, alphabet: number, limit: number, lengths: number): void;
  }
  const instance = new WebAssembly.Instance(new WebAssembly.Module(DEFLATE_WASM));
  const { memory, INPUT, OUTPUT, OUTPUT_BYTES, chooseLengths } =
    instance.exports as unknown as Exports;

  test('and all other tables fit into its memory', () => {
    expect(OUTPUT.value + OUTPUT_BYTES.value).toBeLessThanOrEqual(memory.buffer.byteLength);
  });

  function lengthsFor(counts: readonly number[], limit: number): number[] {
    const at = INPUT.value;
    new Uint32Array(memory.buffer, at, counts.length).set(counts);
    chooseLengths(at, counts.length, limit, at + 4096);
    return [...new Uint8Array(memory.buffer, at + 4096, counts.length)];
  }

  /** Bits of the optimal code, naively: join the two lightest until one is left. */
  function bestBits(counts: readonly number[]): number {
    const weights = counts.filter((n) => n > 0);
    let bits = 0;
    while (weights.length > 1) {
      weights.sort((a, b) => b - a);
      const joined = weights.pop()! + weights.pop()!;
      bits += joined;
      weights.push(joined);
    }
    return bits;
  }

  function fibonacci(n: number): number[] {
    const list = [1, 1];
    while (list.length < n) list.push(list.at(-1)! + list.at(-2)!);
    return list;
  }

  const counts = fc.oneof(
    fc.array(fc.nat({ max: 9 }), { minLength: 2, maxLength: 286 }),
    fc.array(fc.nat({ max: 65_536 }), { minLength: 2, maxLength: 286 }),
    // Fibonacci numbers, mixed with a few others, make the deepest trees.
    fc
      .tuple(
        fc.integer({ min: 10, max: 23 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 20 }),
        fc.nat(),
      )
      .map(([symbols, others, turn]) => {
        const list = [...others, ...fibonacci(symbols)];
        return [...list.slice(turn % list.length), ...list.slice(0, turn % list.length)];
      }),
  );
  const bitsOf = (counts: readonly number[], lengths: readonly number[]) =>
    counts.reduce((sum, n, symbol) => sum + n * lengths[symbol], 0);

  test('fill the code space exactly and keep to the limit, for any counts', () => {
    fc.assert(
      fc.property(counts, fc.constantFrom(7, 9, 15), (all, limit) => {
        const list = limit === 7 ? all.slice(0, 100) : all;
        const lengths = lengthsFor(list, limit);
        const used = lengths.filter((length) => length > 0);
        expect(used.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1);
        expect(Math.max(...used)).toBeLessThanOrEqual(limit);
        list.forEach((n, symbol) => {
          if (n > 0) expect(lengths[symbol]).toBeGreaterThan(0);
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('are optimal if the optimum keeps to the limit, and near it otherwise', () => {
    fc.assert(
      fc.property(counts, (list) => {
        const best = bestBits(list);
        const bits = bitsOf(list, lengthsFor(list, 28));
        if (list.filter((n) => n > 0).length > 1) expect(bits).toBe(best);
        expect(bitsOf(list, lengthsFor(list, 15))).toBeLessThanOrEqual(1.02 * bits);
      }),
      { numRuns: 500 },
    );
  });
});

describe('its size', () => {
  const deflated = (pages: readonly Uint8Array[]) =>
    pages.reduce((sum, page) => sum + deflater().member(page).length, 0);
  const byZlib = (pages: readonly Uint8Array[]) =>
    pages.reduce((sum, page) => sum + gzipSync(page, { level: 1 }).length, 0);

  test('is that of zlib level 1, within three per cent, for pages of the lab', () => {
    const web = webOf({ domains: 100 }, NO_PORTS);
    const pages = Array.from({ length: 40 }, (_, i) =>
      Buffer.from(makePage(web, web.domains.at(i), i % 5).body).subarray(0, room.length),
    );
    for (const page of pages) expectBack(deflater().member(page), page);
    expect(deflated(pages)).toBeLessThan(1.03 * byZlib(pages));
  });
});
