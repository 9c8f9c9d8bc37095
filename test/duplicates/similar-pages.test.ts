import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fingerprint, fingerprintOf, similarity } from '../../src/duplicates/fingerprint.ts';
import { SimilarPages } from '../../src/duplicates/similar-pages.ts';

/** A text of a hundred words, some of them changed. */
function textOf(topic: number, edits: number): string {
  return Array.from({ length: 100 }, (_, i) =>
    i < edits ? `edit${topic}x${edits}x${i}` : `w${topic}x${i}`,
  ).join(' ');
}
const pageOf = (topic: number, edits: number): Fingerprint =>
  fingerprintOf(Buffer.from(textOf(topic, edits)));
const urlOf = (n: number): string => `http://example.org/${'p'.repeat(n % 150)}/${n}`;

const PAGE_BYTES = 212;

describe('recent pages', () => {
  test('a page is found by itself and by one that is nearly the same, and by no other', () => {
    const pages = new SimilarPages(2 ** 20);
    for (let topic = 0; topic < 50; topic++) pages.add(pageOf(topic, 0), urlOf(topic));
    for (let topic = 0; topic < 50; topic++) {
      expect(pages.find(pageOf(topic, 0), 0.6)).toEqual({
        url: urlOf(topic),
        similarity: 1,
        page: topic,
      });
      expect(pages.find(pageOf(topic, 10), 0.6)).toMatchObject({ url: urlOf(topic) });
    }
    for (let topic = 50; topic < 500; topic++)
      expect(pages.find(pageOf(topic, 0), 0.6)).toBeUndefined();
  });

  test('a found page was added, is still remembered and reaches the threshold, after any pages', () => {
    const entry = fc.record({ topic: fc.nat(12), edits: fc.nat(40) });
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 60, maxLength: 200 }),
        fc.constantFrom(0.5, 0.6, 0.8, 0.95),
        (entries, threshold) => {
          const pages = new SimilarPages(32 * PAGE_BYTES);
          const added: Fingerprint[] = [];
          for (const { topic, edits } of entries) {
            const page = pageOf(topic, edits);
            const found = pages.find(page, threshold);
            if (found) {
              expect(found.page).toBeGreaterThanOrEqual(added.length - pages.capacity);
              expect(found.similarity).toBe(
                similarity(added[found.page].sketch, 0, page.sketch, 0),
              );
              expect(
                found.similarity >= threshold || added[found.page].signature === page.signature,
              ).toBe(true);
              if (found.url !== '') expect(found.url).toBe(urlOf(found.page));
            }
            expect(pages.add(page, urlOf(added.length))).toBe(added.length);
            added.push(page);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('of several the most similar is found, and one that just reaches the threshold', () => {
    const asked = pageOf(1, 0);
    for (const order of [
      [4, 8, 15],
      [15, 8, 4],
      [8, 4, 15],
    ]) {
      const pages = new SimilarPages(2 ** 16);
      for (const edits of order) pages.add(pageOf(1, edits), urlOf(edits));
      const best = similarity(pageOf(1, 4).sketch, 0, asked.sketch, 0);
      expect(best).toBeGreaterThan(similarity(pageOf(1, 8).sketch, 0, asked.sketch, 0));
      for (const threshold of [0.5, best])
        expect(pages.find(asked, threshold)).toMatchObject({ url: urlOf(4), similarity: best });
      expect(pages.find(asked, best + 1e-9)).toBeUndefined();
    }
  });

  test('the last page is always found by itself, with its URL', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { minLength: 100, maxLength: 300 }), (topics) => {
        const pages = new SimilarPages(0);
        for (const [i, topic] of topics.entries()) {
          pages.add(pageOf(topic, 0), urlOf(i));
          expect(pages.find(pageOf(topic, 0), 0.9)).toEqual({
            url: urlOf(i),
            similarity: 1,
            page: i,
          });
        }
      }),
      { numRuns: 10 },
    );
  });

  test('a URL too long for the ring is not kept, and damages no other', () => {
    const pages = new SimilarPages(0);
    pages.add(pageOf(1, 0), urlOf(1));
    pages.add(pageOf(2, 0), `http://example.org/${'x'.repeat(10_000)}`);
    expect(pages.find(pageOf(2, 0), 0.9)?.url).toBe('');
    expect(pages.find(pageOf(1, 0), 0.9)?.url).toBe(urlOf(1));
  });

  test('pages that differ in their numbers are similar by signature, unless they are mostly numbers', () => {
    const pages = new SimilarPages(2 ** 16);
    const report = (n: number) =>
      fingerprintOf(
        Buffer.from(
          `<p>${'some words of a report that are the same in all of them '.repeat(3)}${n} and ${n + 1}`,
        ),
      );
    const table = (n: number) =>
      fingerprintOf(
        Buffer.from(
          `<p>Measured${Array.from({ length: 60 }, (_, i) => ` ${(n * 7919 + i) % 9973}`).join('')}`,
        ),
      );
    pages.add(report(1), 'http://example.org/report');
    pages.add(table(1), 'http://example.org/table');
    expect(table(2).signature).toBe(table(1).signature);
    expect(pages.find(report(500), 1)?.url).toBe('http://example.org/report');
    expect(pages.find(table(500), 1)).toBeUndefined();
  });
});
