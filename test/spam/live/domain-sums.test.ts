import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roundValues } from '../../../src/spam/features/content/measures.ts';
import { DomainSums, storedVerdict } from '../../../src/spam/live/domain-sums.ts';
import { LiveModel } from '../../../src/spam/live/live-model.ts';
import { copiesModel, tinyModel } from './tiny-model.ts';

const NAME = 'shop-77.example';
const model = new LiveModel(copiesModel(), 'm.json');
const page = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 })
  .map((shares) => {
    const values = Float64Array.from(shares, (share, i) => share * (i < 2 ? 900 : 1));
    roundValues(values);
    return values;
  });
const pages = fc.array(fc.tuple(page, fc.boolean(), fc.boolean()), { maxLength: 40 });

/** The notes after a checkpoint: as bytes, and read again. */
const stored = (sums: DomainSums) => DomainSums.read(sums.toBytes().slice(), NAME, model);

describe('the sums of a domain', () => {
  test('begin with the verdict by its name', () => {
    const sums = DomainSums.begin(NAME, model);
    expect(sums.spam).toBe(model.byName(NAME));
    expect(sums.judge(NAME, model)).toBe(false);
    expect(storedVerdict(sums.toBytes())).toBeUndefined();
  });

  test('give the same verdict in any order of pages, and through any number of checkpoints', () => {
    fc.assert(
      fc.property(pages, fc.infiniteStream(fc.boolean()), (fetched, crashes) => {
        let sums = DomainSums.begin(NAME, model);
        for (const [values, isHome, isCopied] of fetched) {
          sums.add(values, isHome, isCopied);
          if (crashes.next().value) sums = stored(sums);
        }
        const other = DomainSums.begin(NAME, model);
        for (const added of fetched.toReversed()) other.add(...added);
        expect(sums.judge(NAME, model)).toBe(fetched.length > 0);
        other.judge(NAME, model);
        expect([sums.spam, sums.judgedAt]).toEqual([other.spam, other.judgedAt]);
        expect(sums.toBytes()).toEqual(other.toBytes());
        expect(storedVerdict(sums.toBytes())).toBe(fetched.length > 0 ? sums.spam : undefined);
      }),
    );
  });

  test('ask for a verdict at 1, 3, 10, 30, 100 and 400 pages, and for no page after that', () => {
    let sums = DomainSums.begin(NAME, model);
    const values = new Float64Array(24).fill(0.5);
    const asked: number[] = [];
    for (let n = 1; n <= 450; n++) {
      expect(sums.isOpen).toBe(n <= 400);
      if (sums.add(values, false)) {
        asked.push(n);
        sums.judge(NAME, model);
        expect(sums.judgedAt).toBe(n);
      }
      if (n % 50 === 0) sums = stored(sums);
    }
    expect(asked).toEqual([1, 3, 10, 30, 100, 400]);
    expect(sums.toBytes().length).toBeLessThan(16);
  });

  test('tell a domain of copies from one with texts of its own', () => {
    const values = new Float64Array(24).fill(0.5);
    const [own, copied] = [false, true].map((isCopied) => {
      const sums = DomainSums.begin(NAME, model);
      sums.add(values, false, isCopied);
      sums.judge(NAME, model);
      return sums.spam;
    });
    expect(copied).toBeGreaterThan(own);
  });

  test('begin anew with other lists of words, and keep the last verdict until the next', () => {
    const sums = DomainSums.begin(NAME, model);
    sums.add(new Float64Array(24).fill(0.25), true);
    sums.judge(NAME, model);
    // Without copies, and with other words.
    for (const other of [tinyModel(), tinyModel(0, ['le', 'la'])]) {
      const read = DomainSums.read(sums.toBytes(), NAME, new LiveModel(other, 'm.json'));
      expect([read.spam, read.judgedAt, read.isOpen]).toEqual([sums.spam, 0, true]);
      expect(read.add(new Float64Array(24), false)).toBe(true);
    }
  });
});
