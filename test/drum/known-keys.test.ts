import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { KeyDrum } from '../../src/drum/key-drum.ts';
import { KnownKeys } from '../../src/drum/known-keys.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { pack, unpack } from '../sieve/packing.ts';
import { TINY } from './tiny-geometry.ts';

const key = fc.bigInt({ min: 0n, max: 60n });

test('a DRUM that knows keys from the start hands out all others once, also after it was opened again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(key),
      fc.array(key),
      fc.array(key),
      async (known, first, second) => {
        const disk = new Disk();
        const folder = temporaryFolder();
        const keys = await KnownKeys.create(disk, folder);
        for (const some of chunks(BigUint64Array.from(known).sort())) await keys.append(some);
        const options = { disk, folder, geometry: TINY };
        let drum = await KeyDrum.open({ ...options, known: await keys.seal() });
        expect(drum.size).toBe(known.length);
        await drum.offer(pack(first.map((key) => ({ key, text: `${key}` }))));
        const at = await drum.freeze();
        await drum.close();
        drum = await KeyDrum.open({ ...options, at });
        await drum.offer(pack(second.map((key) => ({ key, text: `${key}` }))));
        await drum.flush();
        const novel: bigint[] = [];
        for (let batch = await drum.take(); batch; batch = await drum.take()) {
          novel.push(...unpack(batch).map((offer) => offer.key));
        }
        const model = new Set([...first, ...second].filter((key) => !known.includes(key)));
        expect(BigUint64Array.from(novel).sort()).toEqual(BigUint64Array.from(model).sort());
        expect(await allKeys(drum)).toEqual(
          BigUint64Array.from(new Set([...known, ...model])).sort(),
        );
        await drum.close();
      },
    ),
    { numRuns: 40 },
  );
});

test('keys that do not increase are refused: the file would not be sorted', async () => {
  const keys = await KnownKeys.create(new Disk(), temporaryFolder());
  await keys.append(BigUint64Array.of(3n, 5n));
  await expect(keys.append(BigUint64Array.of(5n))).rejects.toThrow('increasing');
  await keys.abandon();
});

function* chunks(keys: BigUint64Array): Generator<BigUint64Array> {
  for (let i = 0; i < keys.length; i += 3) yield keys.subarray(i, i + 3);
}

async function allKeys(drum: KeyDrum): Promise<BigUint64Array> {
  const keys: bigint[] = [];
  for await (const some of drum.keys()) keys.push(...some);
  return BigUint64Array.from(keys);
}
