import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fingerprint, fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { LikenessMemory } from '../../src/duplicates/likeness-folder.ts';
import { NumberEnds } from '../../src/duplicates/number-ends.ts';
import { numberShapeOf, Reaches } from '../../src/duplicates/number-shapes.ts';
import { SimilarPages } from '../../src/duplicates/similar-pages.ts';

const ORIGIN = 'http://example.org';
const range = (n: number, from = 0): number[] => Array.from({ length: n }, (_, i) => from + i);
const known = new Map<string, Fingerprint>();
/** The fingerprint of a text about a topic. */
function fingerprintAbout(topic: string): Fingerprint {
  const made =
    known.get(topic) ??
    fingerprintOf(
      Buffer.from(
        range(80)
          .map((i) => `w${topic}x${i}`)
          .join(' '),
      ),
    );
  known.set(topic, made);
  return made;
}

/** A site whose texts are a function of the path; undefined stands for the text of empty pages. */
class Site {
  readonly ends = new NumberEnds(1024);
  readonly #pages = new SimilarPages(2 ** 20);
  readonly #textAt: (path: string) => string | undefined;

  constructor(textAt: (path: string) => string | undefined) {
    this.#textAt = textAt;
  }

  /** The changes while pages are visited. */
  visit(paths: readonly string[]): string[] {
    return paths.flatMap((path) => {
      const url = ORIGIN + path;
      const fingerprint = fingerprintAbout(this.#textAt(path) ?? 'nothing');
      const near = this.#pages.find(fingerprint, 0.65);
      this.#pages.add(fingerprint, url);
      return this.ends
        .observe(url, fingerprint, near)
        .changes.map(({ change, rule }) => `${change} ${rule}`);
    });
  }

  /** The paths that are not rewritten. */
  left(paths: readonly string[]): string[] {
    return paths.filter((path) => this.ends.rewrite(ORIGIN + path) === ORIGIN + path);
  }
}

describe('the shape of a URL', () => {
  test('has a place for every number that is a whole word', () => {
    expect(numberShapeOf('http://a.org:8080/calendar/2026/05?day=7')).toEqual({
      origin: 'http://a.org:8080',
      shape: '/calendar/#/#?day=#',
      numbers: [2026, 5, 7],
    });
    expect(numberShapeOf('http://a.org/on/2026-05-17.html')?.shape).toBe('/on/#-#-#.html');
    expect(numberShapeOf('http://a.org/list?page=3')?.numbers).toEqual([3]);
  });

  test('does not exist without numbers, with too many, or in a token', () => {
    expect(numberShapeOf('http://a1.org:99/about')).toBeUndefined();
    expect(numberShapeOf('http://a.org/s/9f8e7d6c/x')).toBeUndefined();
    expect(numberShapeOf(`http://a.org/${range(7).join('/')}`)).toBeUndefined();
    expect(numberShapeOf(`http://a.org/${'x'.repeat(300)}/1`)).toBeUndefined();
    expect(numberShapeOf(`http://a.org/${'1'.repeat(16)}`)).toBeUndefined();
  });
});

test('the range of numbers of a shape is known while it is among the most recent', () => {
  const step = fc.record({ shape: fc.nat(30), number: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const reaches = new Reaches(1 << 12); // room for all: nothing is evicted
      const model = new Map<number, number[]>();
      for (const { shape, number } of steps) {
        const parts = numberShapeOf(`${ORIGIN}/s${'x'.repeat(shape)}/${number}`);
        if (!parts) throw new Error('no shape');
        reaches.widen(parts);
        model.set(shape, [...(model.get(shape) ?? []), number]);
      }
      for (const [shape, all] of model) {
        const parts = numberShapeOf(`${ORIGIN}/s${'x'.repeat(shape)}/0`);
        const reach = { times: all.length, low: [Math.min(...all)], high: [Math.max(...all)] };
        expect(parts && reaches.of(parts)).toEqual(reach);
      }
    }),
    { numRuns: 30 },
  );
});

test('a shape in the only set of a small table is evicted after four others', () => {
  const reaches = new Reaches(4);
  const at = (shape: string, number: number) =>
    numberShapeOf(`${ORIGIN}/${shape}/${number}`) ?? { origin: '', shape: '', numbers: [] };
  reaches.widen(at('a', 1));
  reaches.widen(at('a', 9));
  for (const shape of ['b', 'c', 'd']) reaches.widen(at(shape, 5));
  expect(reaches.of(at('a', 1))).toEqual({ times: 2, low: [1], high: [9] });
  for (const shape of ['e', 'f', 'g', 'h']) reaches.widen(at(shape, 5));
  reaches.widen(at('a', 4));
  expect(reaches.of(at('a', 4))).toEqual({ times: 1, low: [4], high: [4] });
});

describe('a calendar', () => {
  const days = (years: readonly number[], months = range(12, 1)): string[] =>
    years.flatMap((year) =>
      months.flatMap((month) => range(5, 1).map((day) => `/cal/${year}/${month}/${day}`)),
    );
  /** Every second day from March 2025 to June 2026 has an entry. */
  const kept = (path: string): string | undefined => {
    const [, , year, month, day] = path.split('/').map(Number);
    const at = year * 12 + month;
    return at >= 2025 * 12 + 3 && at <= 2026 * 12 + 6 && day % 2 === 1 ? path : undefined;
  };

  test('ends at the last month with entries, and keeps its empty days between', () => {
    const site = new Site(kept);
    const changes = site.visit(days([2025, 2026, 2027, 2024]));
    expect(changes).toContain('learned /cal/#/#/#: numbers 1, 2 above 2026, 6');
    const within = days([2025, 2026]).filter((path) => kept(path) !== undefined);
    expect(site.left(within)).toEqual(within);
    const far = days(range(20, 2040));
    expect(site.left(far).length).toBeLessThan(far.length / 50);
    expect(site.ends.rewrite(`${ORIGIN}/elsewhere/2040/1/1`)).toBe(`${ORIGIN}/elsewhere/2040/1/1`);
    expect(site.ends.rewrite('http://other.org/cal/2040/1/1')).toBe(
      'http://other.org/cal/2040/1/1',
    );
  });

  test('everything beyond an end is rewritten to one fetched page, which stays', () => {
    const site = new Site(kept);
    const visited = days([2025, 2026, 2027]);
    site.visit(visited);
    const targets = new Set(days(range(20, 2040)).map((path) => site.ends.rewrite(ORIGIN + path)));
    const one = [...targets].filter((url) => visited.includes(url.slice(ORIGIN.length)));
    expect(one).toHaveLength(1);
    expect(kept(one[0].slice(ORIGIN.length))).toBeUndefined();
    expect(site.ends.rewrite(one[0])).toBe(one[0]);
  });

  test('whose last number is the year has ends by the year', () => {
    const site = new Site((path) => {
      const year = Number(path.split('/')[3]);
      return year >= 2025 && year <= 2026 ? path : undefined;
    });
    const at = (years: readonly number[]) =>
      years.flatMap((year) => range(12, 1).map((month) => `/on/${month}/${year}`));
    expect(site.visit(at([2025, 2026, 2027, 2028, 2029, 2030, 2031]))).toContain(
      'learned /on/#/#: numbers 2, 1 above 2027, 12',
    );
    expect(site.left(at([2025, 2026]))).toEqual(at([2025, 2026]));
    expect(site.left(at(range(10, 2050))).length).toBeLessThan(10);
  });

  test('that turns out to have an entry beyond loses its end there until it is learned again', () => {
    const site = new Site((path) => (path === '/cal/2033/7/1' ? 'a jubilee' : kept(path)));
    site.visit(days([2025, 2026, 2027]));
    const changes = site.visit(['/cal/2033/7/1']);
    expect(changes).toContain('withdrawn /cal/#/#/#: numbers 1, 2 above 2026, 6');
    expect(site.left(days([2030, 2031, 2032]))).toEqual(days([2030, 2031, 2032]));
    expect(site.visit(days([2034])).length).toBeGreaterThan(0);
    expect(site.left(days([2040])).length).toBeLessThan(6);
  });

  test('has no end after a few empty days, nor after many with the same number', () => {
    const site = new Site(kept);
    site.visit([...days([2025], range(10, 3)), ...days([2026], range(7, 1))]);
    expect(site.left(days([2040]))).toEqual(days([2040]));
    const one = new Site((path) => (path.startsWith('/cal/2025') ? path : undefined));
    one.visit([
      ...range(3, 1).map((day) => `/cal/2025/1/${day}`),
      ...range(2, 1).map((day) => `/cal/2026/1/${day}`),
    ]);
    one.visit(range(100, 1).map(() => '/cal/2026/1/2'));
    expect(one.left(days([2040]))).toEqual(days([2040]));
  });
});

test('pages that all differ have no ends, nor do pages that nearly all have one text', () => {
  const shop = new Site((path) => path);
  expect(shop.visit(range(300).map((i) => `/product/${i}`))).toEqual([]);
  const rare = new Site((path) => (Number(path.slice(3)) % 20 === 0 ? path : undefined));
  expect(rare.visit(range(600).map((i) => `/p/${(i * 389) % 1000}`))).toEqual([]);
});

describe('what is remembered', () => {
  const learnAt = (ends: NumberEnds, origin: string, shape = 'list') => {
    const nothing = fingerprintAbout('nothing');
    const near = { url: `${origin}/${shape}/1`, similarity: 1, page: 0 };
    for (const i of range(80, 2)) ends.observe(`${origin}/${shape}/${i}`, nothing, near);
  };
  const isLearned = (ends: NumberEnds, origin: string, shape = 'list') =>
    range(5, 900).some((i) => ends.rewrite(`${origin}/${shape}/${i}`) === `${origin}/${shape}/1`);

  test('is bounded in hosts and in texts per host, and evicts those without ends first', () => {
    const ends = new NumberEnds(1024, 8);
    const nothing = fingerprintAbout('nothing');
    learnAt(ends, 'http://kept.org');
    for (const i of range(40)) {
      const url = `http://kept.org/shape${'x'.repeat(i)}/`;
      ends.observe(`${url}2`, nothing, { url: `${url}1`, similarity: 1, page: 0 });
      ends.observe(`http://h${i}.org/l/2`, nothing, {
        url: `http://h${i}.org/l/1`,
        similarity: 1,
        page: 0,
      });
    }
    expect(isLearned(ends, 'http://kept.org')).toBe(true);
    expect(ends.encode().length).toBeLessThan(8 * 8 * 200);
    for (const i of range(20)) learnAt(ends, `http://l${i}.org`);
    expect(isLearned(ends, 'http://kept.org')).toBe(false);
    expect(isLearned(ends, 'http://l19.org')).toBe(true);
  });

  test('is the same after storing and restoring, for any pages', () => {
    const step = fc.record({
      host: fc.constantFrom('http://a.org', 'http://b.org'),
      shape: fc.constantFrom('l', 'm'),
      from: fc.nat(100),
      times: fc.nat(60),
      text: fc.constantFrom('nothing', 'nothing', 'something'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20, size: 'max' }), (steps) => {
        const ends = new NumberEnds(64);
        for (const { host, shape, from, times, text } of steps) {
          const near = { url: `${host}/${shape}/1`, similarity: 1, page: 0 };
          for (const i of range(times, from))
            ends.observe(`${host}/${shape}/${i}`, fingerprintAbout(text), near);
        }
        const again = new NumberEnds(64);
        again.restore(ends.encode());
        expect(again.encode()).toEqual(ends.encode());
        expect(again.isEmpty).toBe(ends.isEmpty);
        const urls = range(300).flatMap((i) => [`http://a.org/l/${i}`, `http://b.org/m/${i}`]);
        const rewritten = urls.map((url) => ends.rewrite(url));
        expect(urls.map((url) => again.rewrite(url))).toEqual(rewritten);
        expect(rewritten.map((url) => ends.rewrite(url))).toEqual(rewritten);
      }),
      { numRuns: 15 },
    );
  });
});

test('ends are found after session ids are learned', () => {
  const memory = new LikenessMemory(2 ** 20);
  let ids = 0;
  const visit = (path: string, text: string) => {
    const url = memory.rewrite(`${ORIGIN}${path}?sid=a${(ids++ * 7919).toString(16)}z1`);
    const fingerprint = fingerprintAbout(text);
    const near = memory.pages.find(fingerprint, 0.65);
    memory.learner.learn(url, fingerprint, memory.add(fingerprint, url), near);
  };
  for (const i of range(60)) visit(`/p${i % 6}`, `page${i % 6}`);
  for (const i of range(100, 1)) visit(`/list/${i}`, i < 30 ? `list${i}` : 'nothing');
  const far = new Set(
    range(200, 500).map((i) => memory.rewrite(`${ORIGIN}/list/${i}?sid=new${i}`)),
  );
  expect(far.size).toBeLessThan(10);
  for (const url of far) expect(memory.rewrite(url)).toBe(url);
});
