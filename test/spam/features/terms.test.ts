import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bm25Set, chooseTerms } from '../../../src/spam/features/terms/bm25.ts';
import {
  StemNumbers,
  stemOf,
  TermDocument,
} from '../../../src/spam/features/terms/term-documents.ts';

const WORDS = 'cats cat running runs run relational 2026 straße о cheap pills pill x'.split(' ');

function documentsOf(sites: readonly (readonly string[])[]) {
  const numbers = new StemNumbers();
  const documents = sites.map((words) => {
    const document = new TermDocument();
    numbers.add(document, words);
    return document;
  });
  return { documents, stems: numbers.stems };
}

/** Weights by term, one list for each site, by the formula. */
function naive(sites: readonly (readonly string[])[]): Map<string, number[]> {
  const bags = sites.map((words) => words.map(stemOf));
  const all = [...new Set(bags.flat())];
  const average = bags.flat().length / bags.length;
  const weights = new Map<string, number[]>();
  for (const term of all) {
    const n = bags.filter((bag) => bag.includes(term)).length;
    if (n < 0.1 * bags.length || n > 0.5 * bags.length) continue;
    const idf = Math.log((bags.length - n + 0.5) / (n + 0.5));
    weights.set(
      term,
      bags.map((bag) => {
        const tf = bag.filter((other) => other === term).length;
        const k = 1 * (1 - 0.5 + (0.5 * bag.length) / average);
        return (idf * 2 * tf) / (k + tf);
      }),
    );
  }
  return weights;
}

describe('term weights', () => {
  test('equal the formula, for any sites', () => {
    const sites = fc.array(fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }), {
      minLength: 2,
      maxLength: 14,
    });
    fc.assert(
      fc.property(sites, (words) => {
        const expected = naive(words);
        const { documents, stems } = documentsOf(words);
        if (expected.size === 0) {
          expect(() => chooseTerms(documents, stems)).toThrow(/No term occurs/);
          return;
        }
        const set = bm25Set(documents, stems, chooseTerms(documents, stems));
        expect([...set.columns].sort()).toEqual([...expected.keys()].sort());
        for (const [j, term] of set.columns.entries())
          for (const [site, weight] of (expected.get(term) ?? []).entries())
            expect(set.values[j][site]).toBeCloseTo(weight, 10);
      }),
      { numRuns: 200 },
    );
  });

  test('keep the 10,000 commonest terms, the commonest first', () => {
    const common = Array.from({ length: 10_050 }, (_, i) => `t${i}`);
    const sites = [common.flatMap((t, i) => (i < 20 ? [t, t] : [t])), ['other'], ['thing']];
    const { documents, stems } = documentsOf(sites);
    const { terms } = chooseTerms(documents, stems);
    expect(terms).toHaveLength(10_000);
    expect(terms.slice(0, 20).sort()).toEqual(common.slice(0, 20).sort());
  });

  test('of another site follow from the statistics of the collection', () => {
    const { documents, stems } = documentsOf([['pill', 'run'], ['cat'], ['dog'], ['dog']]);
    const statistics = chooseTerms(documents, stems);
    const other = documentsOf([['new', 'pills']]);
    const set = bm25Set(other.documents, other.stems, statistics);
    expect(set.columns).toEqual(statistics.terms);
    const place = set.columns.indexOf('pill');
    const k = 0.5 + 0.5 * (2 / statistics.meanLength);
    expect(set.values[place][0]).toBeCloseTo((Math.log(3.5 / 1.5) * 2) / (k + 1), 12);
  });

  test('count a site the same however its words arrive', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${(i * i) % 97}`);
    const numbers = new StemNumbers();
    const [one, other] = [new TermDocument(), new TermDocument()];
    numbers.add(one, words);
    for (let i = 0; i < 40; i++) {
      numbers.add(other, words.slice(500 * i, 500 * (i + 1)));
      if (i % 9 === 0) expect(other.counts.counts.length).toBeGreaterThan(0);
    }
    expect(other.counts).toEqual(one.counts);
    expect(one.counts.counts.reduce((sum, count) => sum + count, 0)).toBe(20_000);
  });

  test('stem English words as Porter does, and leave others', () => {
    expect(['caresses', 'ponies', 'relational', 'straße', '2026s', 'о'].map(stemOf)).toEqual([
      ...['caress', 'poni', 'relat', 'straße', '2026s', 'о'],
    ]);
  });
});
