/** What every sieve must do. A new implementation is tested by one call of `sieveConformance`. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BatchBuilder } from '../../src/drum/keyed-batch.ts';
import type { DurableSieve, Sieve, SieveState } from '../../src/sieve/sieve.ts';
import { anyCharacter } from '../any-character.ts';
import { firsts, type Offer, pack, takeAll, unpack } from './packing.ts';

export interface Subject {
  readonly name: string;
  /** A fresh, empty sieve. */
  open(): Promise<Sieve>;
  /** Whether keys come out in the order of their first offers. */
  readonly ordered: boolean;
  /** For a sieve that outlives its process: a folder that can be opened many times. */
  durable?(): { open(at: SieveState | undefined): Promise<DurableSieve> };
}

/**
 * Few keys, so that they repeat; both ends of the range, neighbours, and keys that differ in low
 * bits only.
 */
const KEYS = [0n, 1n, 2n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n - 2n].concat(
  Array.from({ length: 24 }, (_, i) => BigInt.asUintN(64, BigInt(i + 1) * 0x9e3779b97f4a7c15n)),
);
const offer = fc.record({
  key: fc.constantFrom(...KEYS),
  text: fc.string({ unit: anyCharacter, maxLength: 9 }),
});
const offers = fc.array(offer, { maxLength: 30 });

const byKey = (a: Offer, b: Offer) => (a.key < b.key ? -1 : 1);

export function sieveConformance(subject: Subject): void {
  describe(subject.name, () => {
    const opened = async () => {
      const sieve = await subject.open();
      onTestFinished(() => sieve.close());
      return sieve;
    };
    const normal = (entries: readonly Offer[]) =>
      subject.ordered ? [...entries] : [...entries].sort(byKey);

    test('lets every key through once, with the bytes of its first offer, whenever offers and flushes come', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(offers, { maxLength: 8 }),
          fc.nat(255),
          async (batches, flushes) => {
            const sieve = await subject.open();
            const out: Offer[] = [];
            for (const [i, batch] of batches.entries()) {
              await sieve.offer(pack(batch));
              if (flushes & (1 << i)) {
                await sieve.flush();
                expect(sieve.pending).toBe(0);
                out.push(...(await takeAll(sieve)));
              }
            }
            await sieve.flush();
            out.push(...(await takeAll(sieve)));
            const expected = firsts(batches.flat());
            expect(normal(out)).toEqual(normal(expected));
            expect(sieve.size).toBe(expected.length);
            await sieve.close();
          },
        ),
        { numRuns: 25 },
      );
    });

    test('hands nothing out before it is decided, and counts what is pending', async () => {
      const sieve = await opened();
      await sieve.offer(pack([{ key: 5n, text: 'five' }]));
      expect(await sieve.take()).toBeUndefined();
      expect([sieve.pending, sieve.size]).toEqual([1, 0]);
      await sieve.flush();
      expect([sieve.pending, sieve.size]).toEqual([0, 1]);
      expect(await takeAll(sieve)).toEqual([{ key: 5n, text: 'five' }]);
      expect(await sieve.take()).toBeUndefined();
    });

    test('decides by itself when it is full', async () => {
      const sieve = await opened();
      let taken = 0;
      for (let i = 0; i < 400 && taken === 0; i++) {
        await sieve.offer(pack([{ key: BigInt(i) * 0x9e3779b97f4a7c1n, text: `${i}` }]));
        taken += (await takeAll(sieve)).length;
      }
      expect(taken).toBeGreaterThan(0);
    });

    test('lets the caller reuse a batch as soon as it is offered', async () => {
      const sieve = await opened();
      const batch = new BatchBuilder();
      for (let i = 1; i <= 9; i++) {
        batch.clear();
        batch.addText(BigInt(i), `text ${i}`);
        await sieve.offer(batch);
      }
      await sieve.flush();
      expect((await takeAll(sieve)).sort(byKey)).toEqual(
        Array.from({ length: 9 }, (_, i) => ({ key: BigInt(i + 1), text: `text ${i + 1}` })),
      );
    });

    test('accepts empty texts, texts larger than any buffer, and many texts in one batch', async () => {
      const sieve = await opened();
      const entries = Array.from({ length: 40 }, (_, i) => ({
        key: BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n),
        text: 'x'.repeat(i % 3 === 0 ? 0 : i * i),
      }));
      await sieve.offer(pack(entries));
      await sieve.offer(pack(entries.map(({ key }) => ({ key, text: 'a repeat' }))));
      await sieve.flush();
      expect(normal(await takeAll(sieve))).toEqual(normal(entries));
    });

    test('accepts an empty batch and a flush of nothing', async () => {
      const sieve = await opened();
      await sieve.offer(pack([]));
      await sieve.flush();
      await sieve.flush();
      expect(await sieve.take()).toBeUndefined();
      expect(sieve.size).toBe(0);
    });

    if (subject.durable) durability(subject.durable, normal);
  });
}

/**
 * Offer, decide, take, freeze, crash, in any order: always equal to a set that is copied at the
 * freeze.
 */
function durability(
  durable: NonNullable<Subject['durable']>,
  normal: (entries: readonly Offer[]) => Offer[],
): void {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('offer' as const), entries: offers }) },
    ...(['flush', 'take', 'freeze', 'crash'] as const).map((name) => ({
      weight: 1,
      arbitrary: fc.record({ do: fc.constant(name) }),
    })),
  );

  test('after a crash it is what it was at the last freeze: nothing lost, only later answers repeated', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const folder = durable();
        let sieve = await folder.open(undefined);
        let at: SieveState | undefined;
        let now = new Model();
        let frozen = new Model();
        for (const what of steps) {
          if (what.do === 'offer') {
            now.offer(what.entries);
            await sieve.offer(pack(what.entries));
          } else if (what.do === 'flush') {
            await sieve.flush();
          } else if (what.do === 'take') {
            const batch = await sieve.take();
            if (batch) now.took(unpack(batch));
          } else if (what.do === 'freeze') {
            at = JSON.parse(JSON.stringify(await sieve.freeze())) as SieveState;
            frozen = now.copy();
            await sieve.discardOlder(at);
          } else {
            await sieve.close();
            sieve = await folder.open(at);
            now = frozen.copy();
          }
        }
        await sieve.flush();
        const rest = await takeAll(sieve);
        expect(normal(rest)).toEqual(normal([...now.waiting.values()]));
        expect(sieve.size).toBe(now.seen.size);
        await sieve.close();
      }),
      { numRuns: 25 },
    );
  });
}

class Model {
  seen = new Set<bigint>();
  waiting = new Map<bigint, Offer>();

  offer(entries: readonly Offer[]): void {
    for (const entry of entries) {
      if (this.seen.has(entry.key)) continue;
      this.seen.add(entry.key);
      this.waiting.set(entry.key, entry);
    }
  }

  took(entries: readonly Offer[]): void {
    for (const entry of entries) {
      expect(this.waiting.get(entry.key)).toEqual(entry);
      this.waiting.delete(entry.key);
    }
  }

  copy(): Model {
    const model = new Model();
    model.seen = new Set(this.seen);
    model.waiting = new Map(this.waiting);
    return model;
  }
}
