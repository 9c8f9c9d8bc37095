import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintAndWords, fingerprintOf } from '../../../src/duplicates/fingerprint.ts';
import { contentColumns, contentSet } from '../../../src/spam/features/content/content-set.ts';
import { MEASURES } from '../../../src/spam/features/content/measures.ts';
import { PageMeter } from '../../../src/spam/features/content/page-meter.ts';
import { SiteSums } from '../../../src/spam/features/content/site-sums.ts';
import { naiveValues } from './naive-content.ts';

const bytesOf = (html: string): Buffer => Buffer.from(html, 'latin1');
const valuesOf = (meter: PageMeter, html: string): number[] => [
  ...meter.measure(fingerprintAndWords(bytesOf(html)).words),
];

/** 1,200 words; a page picks from the first more often. */
const VOCABULARY = Array.from({ length: 1200 }, (_, i) => `${i % 7 === 0 ? 'Über' : 'w'}${i}`).map(
  (word) => Buffer.from(word).toString('latin1'),
);
const word = fc.oneof(
  fc.nat(3).map((i) => VOCABULARY[i]),
  fc.nat(150).map((i) => VOCABULARY[i]),
  fc.nat(VOCABULARY.length - 1).map((i) => VOCABULARY[i].toUpperCase()),
  fc.constantFrom(
    'averyveryverylongwordofmorethansixteenbytes',
    'x',
    '7',
    '\xe4\xb8\xad\xe6\x96\x87',
  ),
);
const markup = fc.constantFrom(
  ...['<p>', '</p>', '<a href="/x">', '</a>', '<br>', '<title>', '</title>', '<b class=x>'],
  ...['<script>var x = 1</script>', '<style>p { top: 0 }</style>', '<!-- a comment -->'],
  ...['&amp;', '&#8217;', '&#x2019;', ' & ', '; ', 'AT&T', '&T ', '.', ',', '\n', '-'],
);
const html = fc
  .array(fc.oneof({ weight: 4, arbitrary: word.map((w) => `${w} `) }, markup), { maxLength: 250 })
  .map((pieces) => pieces.join(''));
/** So long that only its beginning is deflated. */
const long = fc.tuple(html, html).map(([one, other]) => `${one}${other}`.repeat(5));
const lower = (text: string): string => text.replace(/[A-Z]/g, (c) => c.toLowerCase());
const lists = fc.record({
  collection: fc.nat(1200).map((n) => VOCABULARY.slice(0, n).map(lower)),
  queries: fc.nat(300).map((n) => VOCABULARY.slice(0, n).map(lower).reverse()),
});

describe('the 24 numbers of a page', () => {
  test('equal a naive version, for any page and lists', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 5, arbitrary: html }, long), { minLength: 1, maxLength: 3 }),
        lists,
        (pages, known) => {
          const utf8 = (words: readonly string[]) =>
            words.slice(0, 1000).map((w) => Buffer.from(w, 'latin1').toString());
          const meter = new PageMeter({
            collection: utf8(known.collection),
            queries: utf8(known.queries),
          });
          for (const page of pages) {
            const expected = naiveValues(page, known);
            for (const [i, value] of valuesOf(meter, page).entries())
              expect(Math.abs(value - expected[i]), MEASURES[i].name).toBeLessThanOrEqual(
                2 ** -MEASURES[i].bits,
              );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('leave the fingerprint of the page as it is', () => {
    fc.assert(
      fc.property(html, (page) => {
        expect(fingerprintAndWords(bytesOf(page)).fingerprint).toEqual(
          fingerprintOf(bytesOf(page)),
        );
      }),
      { numRuns: 100 },
    );
  });

  test('are the same if only the beginning of the text is kept', () => {
    fc.assert(
      fc.property(
        fc.array(html, { maxLength: 4 }),
        fc.integer({ min: 1, max: 200 }),
        (parts, kept) => {
          const body = bytesOf(parts.join(' some plain words &amp; an entity '.repeat(3)));
          const whole = fingerprintAndWords(body).words;
          const [hashes, text] = [whole.hashes.slice(), whole.text.slice()];
          const cut = fingerprintAndWords(body, kept).words;
          expect(cut).toEqual({ ...whole, hashes, text: text.subarray(0, kept) });
        },
      ),
      { numRuns: 200 },
    );
  });

  test('are zero for a page without words', () => {
    const meter = new PageMeter({ collection: ['a'], queries: [] });
    for (const page of ['', '<html></html>', '<title>only a title</title>'])
      expect(valuesOf(meter, page).filter((value, i) => value !== 0 && i !== 1)).toEqual([]);
  });

  test('stop at 128 KiB of text, however long the page is', () => {
    const meter = new PageMeter({ collection: ['the'], queries: [] });
    const [words] = valuesOf(meter, 'the cat sat '.repeat(40_000));
    expect(words).toBe(Math.floor(131_070 / 4));
    expect(valuesOf(meter, 'a '.repeat(200_000))[0]).toBe(65_535);
    // A character that is a word by itself grows by a space.
    const wide = valuesOf(meter, '\xe4'.repeat(500_000));
    expect(wide[0]).toBe(65_535);
    expect(wide[22]).toBe(0);
    // Counters hold even that many of one word.
    expect(valuesOf(meter, 'the<b>'.repeat(80_000))[6]).toBe(1);
    const short = new PageMeter({ collection: ['a'], queries: ['a'] });
    expect(valuesOf(short, 'a '.repeat(80_000)).slice(6)).toEqual([
      ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0],
    ]);
    expect(valuesOf(meter, 'x'.repeat(600_000))[0]).toBe(0);
  });
});

const page = fc.record({
  values: fc.tuple(...MEASURES.map(({ bits }) => fc.nat(2 ** 22).map((n) => n / 2 ** bits))),
  isHome: fc.boolean(),
});

describe('the sums of a site', () => {
  test('do not depend on the order of pages, nor on how they were merged and written', () => {
    fc.assert(
      fc.property(fc.array(page, { maxLength: 30 }), fc.nat(), (pages, cut) => {
        const one = SiteSums.empty();
        for (const { values, isHome } of pages) one.add(Float64Array.from(values), isHome);
        const [left, right] = [SiteSums.empty(), SiteSums.empty()];
        for (const [i, { values, isHome }] of [...pages].reverse().entries())
          ((i * 7 + cut) % 3 === 0 ? left : right).add(Float64Array.from(values), isHome);
        const bytes = new Uint8Array(SiteSums.BYTES + 3);
        left.writeTo(bytes, 3);
        right.merge(SiteSums.read(bytes, 3));
        const [expected, actual] = [one, right].map((sums) => {
          const written = new Uint8Array(SiteSums.BYTES);
          sums.writeTo(written);
          return Buffer.from(written).toString('hex');
        });
        expect(actual).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });

  test('are exact for 400 pages of the greatest values', () => {
    const greatest = Float64Array.from(MEASURES, ({ bits }) => 2 ** (22 - bits));
    const sums = SiteSums.empty();
    for (let i = 0; i < 400; i++) sums.add(greatest, false);
    for (const i of MEASURES.keys()) {
      expect(sums.mean(i)).toBe(greatest[i]);
      expect(sums.deviation(i)).toBe(0);
      expect(sums.home(i)).toBeNaN();
    }
  });

  test('give home page, mean and deviation as naive ones, and what is not known is missing', () => {
    fc.assert(
      fc.property(fc.array(page, { maxLength: 12 }), (pages) => {
        const sums = SiteSums.empty();
        for (const { values, isHome } of pages) sums.add(Float64Array.from(values), isHome);
        const mean = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
        for (const i of [0, 2, 5, 22]) {
          const all = pages.map(({ values }) => values[i]);
          const homes = pages.filter(({ isHome }) => isHome).map(({ values }) => values[i]);
          const near = 1e-6 * Math.max(1, ...all);
          const isNear = (actual: number, expected: number) =>
            Number.isNaN(expected)
              ? expect(actual).toBeNaN()
              : expect(Math.abs(actual - expected)).toBeLessThan(near);
          isNear(sums.home(i), mean(homes));
          isNear(sums.mean(i), mean(all));
          const deviation = Math.sqrt(mean(all.map((value) => (value - mean(all)) ** 2)));
          isNear(sums.deviation(i), pages.length < 2 ? Number.NaN : deviation);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('the set "content"', () => {
  test('has 74 features without the page of greatest PageRank, 24 of queries, 98 in all', () => {
    const names = (part: 'a' | 'aa' | 'b', queries: boolean) =>
      contentColumns(part, queries).map(({ name }) => name);
    expect(names('a', true)).toHaveLength(74);
    expect(names('aa', true)).toHaveLength(24);
    expect(names('b', true)).toHaveLength(98);
    expect(names('a', false)).toHaveLength(50);
    expect(new Set(names('b', true)).size).toBe(98);
    expect(names('b', true)).toEqual(expect.arrayContaining(names('a', true)));
  });

  test('has the values of each site in a row', () => {
    const sums = SiteSums.empty();
    const values = Float64Array.from(MEASURES, (_, i) => i);
    sums.add(values, true);
    const set = contentSet([{ name: 'spam.example', sums, top: values }], 'b', true);
    const row = new Map(set.columns.map((name, j) => [name, set.values[j][0]]));
    expect(row.get('home_title_words')).toBe(1);
    expect(row.get('top_title_words')).toBe(1);
    expect(row.get('deviation_title_words')).toBeNaN();
    expect(row.get('pages')).toBe(1);
    expect(row.get('name_length')).toBe(12);
  });
});
