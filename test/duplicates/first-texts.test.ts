import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { FirstTexts } from '../../src/duplicates/first-texts.ts';

/**
 * Pages of different texts have no three words in common; variants of a text differ in one word.
 */
function pageOf(text: number, variant: number, words = 300) {
  const list = Array.from({ length: words }, (_, i) => `w${text}x${i}`);
  list[variant] = `v${variant}`;
  return fingerprintOf(Buffer.from(`<html><body><p>${list.join(' ')}</p></body></html>`));
}

const TEXTS = Array.from({ length: 6 }, (_, text) => [0, 90, 200].map((at) => pageOf(text, at)));
const page = fc.record({ site: fc.nat(4), text: fc.nat(5), variant: fc.nat(2) });

test('a page is a copy if another site was the first with its text', () => {
  fc.assert(
    fc.property(
      fc.array(page, { maxLength: 20 }),
      fc.infiniteStream(fc.boolean()),
      (pages, crashes) => {
        let texts = new FirstTexts(10);
        const first = new Map<number, number>();
        for (const { site, text, variant } of pages) {
          if (!first.has(text)) first.set(text, site);
          expect(texts.enter(TEXTS[text][variant], site)).toBe(first.get(text) !== site);
          if (!crashes.next().value) continue;
          const bytes = texts.encode();
          texts = new FirstTexts(10);
          texts.restore(bytes);
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('what was restored replaces what was there', () => {
  const texts = new FirstTexts();
  const empty = texts.encode();
  texts.enter(TEXTS[0][0], 1);
  texts.restore(empty);
  expect(texts.enter(TEXTS[0][0], 2)).toBe(false);
  expect(texts.enter(TEXTS[0][1], 1)).toBe(true);
});

test('messages of a few words are nobody’s text, and sites may have any number', () => {
  const texts = new FirstTexts();
  const short = pageOf(1, 0, 20);
  expect([texts.enter(short, 1), texts.enter(short, 2)]).toEqual([false, false]);
  expect([texts.enter(TEXTS[0][0], 0), texts.enter(TEXTS[0][0], 0)]).toEqual([false, false]);
  expect(texts.enter(TEXTS[0][0], 0xffff_fffe)).toBe(true);
});

test('memory is fixed: the texts of the last pages are known', () => {
  const texts = new FirstTexts(10);
  const random = (n: number) => Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(n, n);
  const made = (n: number) => ({
    sketch: Uint32Array.from({ length: 16 }, (_, i) => random(16 * n + i)),
    distinct: 128,
  });
  const pages = 2000;
  for (let n = 0; n < pages; n++) texts.enter(made(n), 1);
  const known = (from: number) =>
    Array.from({ length: 100 }, (_, i) => texts.enter(made(from + i), 2)).filter(Boolean).length;
  expect(known(pages - 100)).toBe(100);
  expect(known(0)).toBeLessThan(20);
  expect(texts.encode().length).toBeLessThanOrEqual(12 * 2 ** 12);
});
