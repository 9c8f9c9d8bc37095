import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { mostInARow, repeatsMoreThan } from '../../src/url/repeats.ts';

/** Every start, every period, one comparison after the other. */
function naive(sequence: readonly number[]): number {
  let most = Math.min(1, sequence.length);
  for (let start = 0; start < sequence.length; start++) {
    for (let period = 1; start + period <= sequence.length; period++) {
      let end = start + period;
      while (end < sequence.length && sequence[end] === sequence[end - period]) end++;
      most = Math.max(most, Math.floor((end - start) / period));
    }
  }
  return most;
}

const most = (sequence: readonly number[]): number => mostInARow(Int32Array.from(sequence));

describe('segments in a row', () => {
  test('agree with trying every start and every period', () => {
    const sequence = fc
      .integer({ min: 1, max: 4 })
      .chain((letters) => fc.array(fc.nat(letters - 1), { maxLength: 60, size: 'max' }));
    fc.assert(
      fc.property(sequence, (segments) => {
        expect(most(segments)).toBe(naive(segments));
      }),
      { numRuns: 3000 },
    );
  });

  test('agree on every sequence of three letters up to nine long', () => {
    for (let length = 0; length <= 9; length++) {
      for (let n = 0; n < 3 ** length; n++) {
        const segments = Array.from({ length }, (_, i) => Math.floor(n / 3 ** i) % 3);
        if (most(segments) !== naive(segments))
          expect(segments).toBe('counted as by trying everything');
      }
    }
  });

  test('a repetition planted anywhere is found', () => {
    const noise = fc.array(fc.integer({ min: 10, max: 14 }), { maxLength: 40, size: 'max' });
    const unit = fc.array(fc.nat(3), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        noise,
        unit,
        fc.integer({ min: 2, max: 9 }),
        noise,
        (before, repeated, times, after) => {
          const planted = [...before, ...Array(times).fill(repeated).flat(), ...after];
          expect(most(planted)).toBe(naive(planted));
          expect(most(planted)).toBeGreaterThanOrEqual(times);
        },
      ),
    );
  });
});

/**
 * The work of `mostInARow`: how often it reads or writes an element of an array or a map, those
 * that its library calls copy included. Each step of each of its loops does so. Unlike time, work
 * is the same however busy the machine is. Throws when there is more of it than `most`.
 */
function workOf(sequence: Int32Array, most = Infinity): number {
  let work = 0;
  const count = (elements: number) => {
    work += elements;
    if (work > most) throw new Error(`${sequence.length} segments take more than ${most} steps`);
  };
  const Numbers = Int32Array;
  const counted = (numbers: Int32Array): Int32Array =>
    new Proxy(numbers, {
      get(target, key) {
        if (key === 'subarray')
          return (from: number, to?: number) => counted(target.subarray(from, to));
        if (key === 'toReversed') {
          count(target.length);
          return () => counted(target.toReversed());
        }
        if (key === 'set') return (from: Int32Array, at?: number) => target.set(from, at);
        if (key !== 'length') count(1);
        return Reflect.get(target, key);
      },
      set(target, key, value) {
        count(1);
        return Reflect.set(target, key, value);
      },
    });
  class CountedNumbers {
    constructor(length: number) {
      count(length);
      // biome-ignore lint/correctness/noConstructorReturn: it stands in for Int32Array.
      return counted(new Numbers(length));
    }
  }
  class CountedMap<K, V> extends Map<K, V> {
    override has(key: K): boolean {
      count(1);
      return super.has(key);
    }
    override get(key: K): V | undefined {
      count(1);
      return super.get(key);
    }
    override set(key: K, value: V): this {
      count(1);
      return super.set(key, value);
    }
  }
  vi.stubGlobal('Int32Array', CountedNumbers);
  vi.stubGlobal('Map', CountedMap);
  try {
    mostInARow(counted(sequence));
  } finally {
    vi.unstubAllGlobals();
  }
  return work;
}

describe('the work', () => {
  const fibonacci = (n: number): number[] => {
    let [a, b] = [[0], [0, 1]];
    while (b.length < n) [a, b] = [b, [...b, ...a]];
    return b.slice(0, n);
  };
  const thueMorse = (n: number): number[] =>
    Array.from({ length: n }, (_, i) => i.toString(2).replaceAll('0', '').length & 1);
  const adversaries: Readonly<Record<string, (n: number) => number[]>> = {
    'the same segment': (n) => Array(n).fill(0),
    'two in turn': (n) => Array.from({ length: n }, (_, i) => i & 1),
    'a long sequence once more': (n) => Array.from({ length: n }, (_, i) => i % (n >> 1)),
    'Fibonacci words, which have the most repetitions': fibonacci,
    'Thue-Morse words, which have no cubes': thueMorse,
    'all different': (n) => Array.from({ length: n }, (_, i) => i),
    'powers of two apart': (n) =>
      Array.from({ length: n }, (_, i) => ((i & (i - 1)) === 0 ? i : 0)),
    'random letters': (n) =>
      Array.from({ length: n }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 20) % 3),
  };

  for (const [name, make] of Object.entries(adversaries)) {
    test(`grows with the number of segments: ${name}`, () => {
      const small = workOf(Int32Array.from(make(1000)));
      // Sixteen times as many segments: a quadratic search does 256 times the work.
      expect(() => workOf(Int32Array.from(make(16_000)), 20 * small)).not.toThrow();
    });
  }
});

describe('a URL', () => {
  test('is judged by its path alone, up to the query', () => {
    expect(repeatsMoreThan('http://example.org/a/b/a/b/a/b/a/b/', 3)).toBe(true);
    expect(repeatsMoreThan('http://example.org/a/b/a/b/a/b/a/b', 3)).toBe(true);
    expect(repeatsMoreThan('http://example.org/a/b/a/b/a/b/a', 3)).toBe(false);
    expect(repeatsMoreThan('http://example.org/x/a/a/a/a/y?q=1', 3)).toBe(true);
    expect(repeatsMoreThan('http://example.org/?p=/a/a/a/a/a/a/a', 3)).toBe(false);
    expect(repeatsMoreThan('http://example.org/', 0)).toBe(false);
    expect(repeatsMoreThan('http://a.a.a.a.a/2011/11/11/11/', 3)).toBe(false);
  });

  test('with segments that only begin alike repeats nothing', () => {
    expect(repeatsMoreThan('http://example.org/a/ab/a/abc/a/abcd/a/abcde/', 1)).toBe(false);
  });

  test('agrees with the sequence of its segments', () => {
    const segments = fc.array(fc.constantFrom('a', 'b', 'aa'), {
      minLength: 1,
      maxLength: 24,
      size: 'max',
    });
    fc.assert(
      fc.property(segments, fc.boolean(), fc.integer({ min: 1, max: 5 }), (names, slash, limit) => {
        const url = `https://example.org/${names.join('/')}${slash ? '/' : ''}`;
        expect(repeatsMoreThan(url, limit)).toBe(
          naive(names.map((name) => 'abaa'.indexOf(name))) > limit,
        );
      }),
    );
  });
});
