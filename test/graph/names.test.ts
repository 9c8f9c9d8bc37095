import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packNameArcs } from '../../src/graph/arcs.ts';
import { buildGraph } from '../../src/graph/build.ts';
import { NameRuns } from '../../src/graph/name-runs.ts';
import { numberAt } from '../../src/graph/name-sort.ts';
import { NameTable } from '../../src/graph/name-table.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { byteSorted, newPlace, quickDisk } from './fixtures.ts';

/** Few letters and many common prefixes, so that a sort has to compare many bytes. */
const name = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 7 }),
  fc
    .tuple(fc.nat(30), fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 5 }))
    .map(([n, end]) => `${'ab'.repeat(n)}x${end}`),
);

const sorted = (names: readonly string[]) => {
  const table = new NameTable(names.length > 300 ? 2 ** 24 : 2 ** 18);
  for (const text of names) table.append(Buffer.from(text), 0, Buffer.byteLength(text));
  return Array.from(table.sorted(), (entry) => names[numberAt(table.arena, entry)]);
};
const inByteOrder = (names: readonly string[]) =>
  [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

test('names are sorted by their bytes, with equal ones adjacent', () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 300, size: 'max' }), (names) => {
      expect(sorted(names)).toEqual(inByteOrder(names));
    }),
    { numRuns: 200 },
  );
});

test('thousands of long names that differ only at the end are sorted, too', () => {
  const names = Array.from({ length: 3000 }, (_, i) => `${'same'.repeat(500)}${(i * 7919) % 3000}`);
  expect(sorted(names)).toEqual(inByteOrder(names));
});

test('a table gives a name its number again, and reports when it is full', () => {
  const table = new NameTable(1);
  const add = (text: string) => table.intern(Buffer.from(text), 0, text.length);
  const texts = Array.from({ length: 16 }, (_, i) => `name${i}`);
  expect(texts.map(add)).toEqual(texts.map((_, i) => i));
  expect(texts.map(add)).toEqual(texts.map((_, i) => i));
  expect(add('one more')).toBe(-1);
  expect(add('name3')).toBe(3);
  table.clear();
  expect(add('name3')).toBe(0);
});

describe('runs of names', () => {
  test('give each name its rank, in whatever run and however often it occurred', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 120, size: 'max' }), async (names) => {
        const runs = new NameRuns(quickDisk(), temporaryFolder(), 1);
        const numbers: [run: number, number: number][] = [];
        for (const text of names) {
          const bytes = Buffer.from(text);
          let number = runs.intern(bytes, 0, bytes.length);
          if (number < 0) {
            await runs.endRun(false);
            number = runs.intern(bytes, 0, bytes.length);
          }
          numbers.push([runs.runs, number]);
        }
        await runs.endRun(true);
        const merged: string[] = [];
        const count = await runs.merge((bytes, length) => {
          merged.push(Buffer.from(bytes.subarray(0, length)).toString());
          return merged.length % 3 === 0 ? Promise.resolve() : undefined;
        });
        expect(merged).toEqual(byteSorted(names));
        expect(count).toBe(merged.length);
        const ranks = await Promise.all(
          Array.from({ length: runs.runs }, (_, run) => runs.ranks(run)),
        );
        expect(numbers.map(([run, number]) => merged[ranks[run][number]])).toEqual(names);
        await runs.close();
      }),
      { numRuns: 40 },
    );
  });

  test('by the dozen write their ranks in pieces', async () => {
    const runs = new NameRuns(quickDisk(), temporaryFolder(), 2 ** 14);
    const texts = Array.from({ length: 6000 }, (_, i) => `name${(i * 7919) % 6007}`);
    for (const text of texts) {
      if (runs.append(Buffer.from(text), 0, text.length) >= 0) continue;
      await runs.endRun(false);
      runs.append(Buffer.from(text), 0, text.length);
    }
    await runs.endRun(true);
    expect(runs.runs).toBeGreaterThan(16);
    const merged: string[] = [];
    await runs.merge(
      (bytes, length) => void merged.push(Buffer.from(bytes.subarray(0, length)).toString()),
    );
    const ranks = await Promise.all(Array.from({ length: runs.runs }, (_, run) => runs.ranks(run)));
    expect(ranks.flatMap((own) => Array.from(own, (rank) => merged[rank]))).toEqual(texts);
    await runs.close();
  });

  test('hold names longer than their buffers', async () => {
    const runs = new NameRuns(quickDisk(), temporaryFolder(), 1);
    const texts = Array.from(
      { length: 40 },
      (_, i) => `${String(i).padStart(2, '0')}${'x'.repeat(100 * i)}`,
    );
    for (const text of texts.toReversed()) {
      if (runs.append(Buffer.from(text), 0, text.length) >= 0) continue;
      await runs.endRun(false);
      runs.append(Buffer.from(text), 0, text.length);
    }
    await runs.endRun(true);
    expect(runs.runs).toBeGreaterThan(2);
    const merged: number[] = [];
    await runs.merge((_, length) => void merged.push(length));
    expect(merged).toEqual(texts.map((text) => text.length));
    await runs.close();
  });
});

test('names whose files were damaged are refused', async () => {
  const out = newPlace();
  const names = Array.from({ length: 300 }, (_, i): [string] => [`https://example.org/${i}`]);
  await buildGraph(out, { names: packNameArcs(names) }, { disk: quickDisk() });
  const whole = readFileSync(join(out, 'names'));
  for (const damage of [
    whole.subarray(0, 900),
    Buffer.concat([whole.subarray(0, 8), Buffer.alloc(whole.length - 8, 255)]),
  ]) {
    writeFileSync(join(out, 'names'), damage);
    const graph = await openGraph(out);
    await expect(graph.names.id('https://example.org/7')).rejects.toMatchObject({ exitCode: 5 });
    await graph.close();
  }
});
