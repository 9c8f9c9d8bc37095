import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Frozen } from '../../src/disk/checkpoint.ts';
import { Disk } from '../../src/disk/disk.ts';
import {
  add64,
  append,
  type Combine,
  from64,
  max64,
  read64,
  replace,
} from '../../src/drum/combine.ts';
import { Drum, type DrumOptions, type DrumState } from '../../src/drum/drum.ts';
import { DrumBatch } from '../../src/drum/drum-batch.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { TINY } from './tiny-geometry.ts';

const root = mkdtempSync(join(tmpdir(), 'drumlin-drum-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** Buckets of five keys and 60 bytes; answers of a bucket in parts. */
const GEOMETRY = { ...TINY, bucketTexts: 64 };

function options(more: Partial<DrumOptions> = {}): DrumOptions {
  const folder = join(root, String(count++));
  mkdirSync(folder);
  const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  return { disk, folder, memory: 2 ** 20, geometry: GEOMETRY, ...more };
}

interface Tuple {
  readonly do: 'check' | 'update' | 'both';
  readonly key: bigint;
  readonly value: Uint8Array;
  readonly aux: string;
}

const key = fc.nat(13).map((n) => BigInt.asUintN(64, BigInt(n) * 0x9e3779b97f4a7c15n));
const tuples = (value: fc.Arbitrary<Uint8Array>) =>
  fc.array(
    fc.record({
      do: fc.constantFrom('check' as const, 'update' as const, 'both' as const),
      key,
      value,
      aux: fc.string({ maxLength: 6 }),
    }),
    { maxLength: 25 },
  );
const counter = fc.nat(1000).map(from64);
const anyValue = fc.uint8Array({ maxLength: 20 });

function pack(list: readonly Tuple[]): DrumBatch {
  const batch = new DrumBatch();
  for (const tuple of list) {
    const aux = Buffer.from(tuple.aux);
    if (tuple.do === 'check') batch.check(tuple.key, aux);
    else if (tuple.do === 'update') batch.update(tuple.key, tuple.value);
    else batch.checkUpdate(tuple.key, tuple.value, aux);
  }
  return batch;
}

/** A map that does what a DRUM must do, one tuple at a time. */
class Model {
  map = new Map<bigint, Uint8Array>();
  answers: string[] = [];
  readonly combine: Combine;

  constructor(combine: Combine) {
    this.combine = combine;
  }

  apply(tuple: Tuple): void {
    const old = this.map.get(tuple.key);
    if (tuple.do !== 'update') this.answers.push(shown(tuple.key, old, Buffer.from(tuple.aux)));
    if (tuple.do === 'check') return;
    this.map.set(tuple.key, Uint8Array.from(old ? this.combine(old, tuple.value) : tuple.value));
  }

  copy(): Model {
    const model = new Model(this.combine);
    model.map = new Map(this.map);
    model.answers = [...this.answers];
    return model;
  }
}

const shown = (key: bigint, value: Uint8Array | undefined, aux: Uint8Array) =>
  `${key} ${value ? Buffer.from(value).toString('hex') : 'unknown'} ${Buffer.from(aux).toString()}`;

async function takeAll(drum: Drum): Promise<string[]> {
  const out: string[] = [];
  for (let batch = await drum.take(); batch; batch = await drum.take()) {
    out.push(...batch.map(({ key, value, aux }) => shown(key, value, aux)));
  }
  return out;
}

async function contents(drum: Drum): Promise<[bigint, string][]> {
  const out: [bigint, string][] = [];
  for await (const { key, value } of drum.records())
    out.push([key, Buffer.from(value).toString('hex')]);
  return out;
}

const sorted = (map: Map<bigint, Uint8Array>) =>
  [...map]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, Buffer.from(value).toString('hex')] as [bigint, string]);

/** Stable by key: only the order within each key is promised. */
const byKey = (answers: readonly string[]) =>
  answers
    .map((answer, i) => ({ answer, i, key: answer.split(' ')[0] }))
    .sort((a, b) => (a.key === b.key ? a.i - b.i : a.key < b.key ? -1 : 1))
    .map(({ answer }) => answer);

describe.each([
  ['counters that are added', add64, 8, counter],
  ['counters that keep the greatest', max64, 8, counter],
  ['values that are replaced', replace, undefined, anyValue],
  ['neighbours that are appended', append, undefined, fc.uint8Array({ maxLength: 2 })],
] as const)('a DRUM of %s', (_, combine, valueBytes, value) => {
  const fixed = valueBytes === undefined ? {} : { valueBytes };

  test('does what a map does with the tuples one by one, and answers each check once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(tuples(value), { maxLength: 5 }),
        fc.nat(31),
        async (batches, flushes) => {
          const drum = await Drum.open(options({ combine, ...fixed }));
          const model = new Model(combine);
          const answers: string[] = [];
          for (const [i, list] of batches.entries()) {
            list.forEach((tuple) => {
              model.apply(tuple);
            });
            await drum.offer(pack(list));
            if (flushes & (1 << i)) await drum.flush();
            answers.push(...(await takeAll(drum)));
          }
          await drum.flush();
          expect(drum.pending).toBe(0);
          answers.push(...(await takeAll(drum)));
          expect(await contents(drum)).toEqual(sorted(model.map));
          expect(byKey(answers)).toEqual(byKey(model.answers));
          expect(drum.size).toBe(model.map.size);
          await drum.close();
        },
      ),
      { numRuns: 30 },
    );
  });
});

test('after a crash a DRUM is what it was at the last freeze, also when it is opened with more or less memory', async () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('offer' as const), list: tuples(counter) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('flush', 'take', 'freeze', 'crash', 'shrink') }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      let how = options({ combine: add64, valueBytes: 8 });
      let drum = await Drum.open(how);
      let now = new Model(add64);
      let frozen = now.copy();
      let at: Frozen<DrumState> | undefined;
      for (const what of steps) {
        if ('list' in what) {
          what.list.forEach((tuple) => {
            now.apply(tuple);
          });
          await drum.offer(pack(what.list));
        } else if (what.do === 'flush') {
          await drum.flush();
        } else if (what.do === 'take') {
          const taken = (await drum.take()) ?? [];
          for (const { key, value, aux } of taken) {
            const i = now.answers.indexOf(shown(key, value, aux));
            expect(i).toBeGreaterThanOrEqual(0);
            now.answers.splice(i, 1);
          }
        } else if (what.do === 'freeze') {
          at = JSON.parse(JSON.stringify(await drum.freeze())) as Frozen<DrumState>;
          frozen = now.copy();
          await drum.discardOlder(at);
        } else {
          await drum.close();
          if (what.do === 'shrink')
            how = { ...how, geometry: { ...GEOMETRY, buckets: 2, keyChunk: 8 } };
          drum = await Drum.open({ ...how, at });
          now = frozen.copy();
        }
      }
      await drum.flush();
      expect(byKey(await takeAll(drum))).toEqual(byKey(now.answers));
      expect(await contents(drum)).toEqual(sorted(now.map));
      await drum.close();
    }),
    { numRuns: 30 },
  );
});

test('answers come in the order of arrival within a bucket', async () => {
  const drum = await Drum.open(
    options({ geometry: { ...GEOMETRY, bucketKeys: 50, bucketTexts: 4096 } }),
  );
  const batch = new DrumBatch();
  for (let i = 20; i > 0; i--) batch.check(BigInt(i), Buffer.from(String(i)));
  await drum.offer(batch);
  await drum.flush();
  const order = (await takeAll(drum)).map((answer) => answer.split(' ')[2]);
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => String(20 - i)));
  await drum.close();
});

test('a tuple too large for a bucket, or a value of a wrong length, is refused and changes nothing', async () => {
  const drum = await Drum.open(options({ valueBytes: 8 }));
  const large = new DrumBatch();
  large.check(1n, new Uint8Array(100));
  await expect(drum.offer(large)).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' });
  const short = new DrumBatch();
  short.update(1n, new Uint8Array(7));
  await expect(drum.offer(short)).rejects.toMatchObject({ code: 'VALUE_LENGTH' });
  await drum.flush();
  expect(drum.size).toBe(0);
  await drum.close();
});

test('values longer than every buffer survive merges', async () => {
  const how = options({ geometry: { ...GEOMETRY, bucketTexts: 4096 } });
  const drum = await Drum.open(how);
  const batch = new DrumBatch();
  for (let i = 0; i < 9; i++) batch.update(BigInt(i) << 60n, new Uint8Array(i * 111).fill(i));
  await drum.offer(batch);
  await drum.flush();
  batch.clear();
  for (let i = 0; i < 9; i++) batch.check(BigInt(i) << 60n, Buffer.from('aux'.repeat(i * 9)));
  await drum.offer(batch);
  await drum.flush();
  const answers: number[] = [];
  for (let got = await drum.take(); got; got = await drum.take())
    answers.push(...got.map((a) => a.value!.length));
  expect(answers.sort((a, b) => a - b)).toEqual(Array.from({ length: 9 }, (_, i) => i * 111));
  await drum.close();
});

test('a repository with values of another length is refused with its path', async () => {
  const how = options({ valueBytes: 8 });
  const drum = await Drum.open(how);
  const batch = new DrumBatch();
  batch.update(7n, from64(1));
  await drum.offer(batch);
  await drum.flush();
  const at = await drum.freeze();
  await drum.close();
  await expect(Drum.open({ ...how, valueBytes: 4, at })).rejects.toMatchObject({
    code: 'VALUE_LENGTH',
  });
});

test('a second call before the first has settled is refused', async () => {
  const drum = await Drum.open(options());
  const first = drum.flush();
  await expect(drum.take()).rejects.toThrow('has settled');
  await first;
  await drum.close();
});

test('counters are read as they were written', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (n) => read64(from64(n)) === n),
  );
});
