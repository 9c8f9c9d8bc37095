import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { FileSystem } from '../../../src/disk/file-system.ts';
import { sampler } from '../../../src/rank/supporters/sample.ts';
import { arcWords } from '../../../src/reputation/edges/arc-set.ts';
import type { NewEdges } from '../../../src/reputation/edges/domain-edges.ts';
import {
  type SampleState,
  SupporterSample,
  type SupporterSampleOptions,
} from '../../../src/reputation/edges/supporter-sample.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

type Arc = readonly [source: bigint, target: bigint];

const key = fc.nat(40).map((n) => BigInt.asUintN(64, BigInt(n + 1) * 0x9e37_79b9_7f4a_7c15n));
const arc = fc.tuple(key, key).filter(([source, target]) => source !== target);
const arcs = fc.array(arc, { maxLength: 120, size: 'max' });

function edgesOf(list: readonly Arc[]): NewEdges {
  return {
    length: list.length,
    sources: BigUint64Array.from(list.map(([source]) => source)),
    targets: BigUint64Array.from(list.map(([, target]) => target)),
  };
}

const text = ([source, target]: Arc) => `${source}>${target}`;
const isDrawn = (p: number, seed: number) => {
  const isIn = sampler(p, seed);
  return ([source]: Arc) => isIn(Number(source >> 32n));
};

/** The arcs of a sample, as texts in order. Checks that none is there twice. */
function contentOf(sample: SupporterSample): string[] {
  const found: string[] = [];
  for (const words of arcWords(sample.arcs())) {
    for (let at = 0; at < words.length; at += 4) {
      const whole = (i: number) => (BigInt(words[i + 1]) << 32n) | BigInt(words[i]);
      found.push(text([whole(at), whole(at + 2)]));
    }
  }
  expect(new Set(found).size).toBe(found.length);
  expect(found.length).toBe(sample.length);
  return found.sort();
}

/** The largest of p, p/2, p/4, … whose arcs are at most `most`, and those arcs. */
function model(
  list: readonly Arc[],
  p: number,
  seed: number,
  most: number,
): { p: number; content: string[] } {
  const content = [...new Set(list.filter(isDrawn(p, seed)).map(text))].sort();
  return content.length <= most ? { p, content } : model(list, p / 2, seed, most);
}

const open = (options: Partial<SupporterSampleOptions> & { fileSystem?: FileSystem } = {}) =>
  SupporterSample.open({
    disk: new Disk(options.fileSystem ?? new FaultyFileSystem({ skipSync: true })),
    ...{ folder: options.folder ?? temporaryFolder(), p: 1, seed: 3, most: 1000 },
    ...options,
  });

describe('the sample of a crawl', () => {
  test('holds the arcs of drawn sources, in any order and with any repeats, and halves p when they are too many', async () => {
    await fc.assert(
      fc.asyncProperty(
        arcs,
        fc.constantFrom(0.2, 0.7, 1),
        fc.integer({ min: 0, max: 60 }),
        fc.nat(5),
        async (list, p, most, seed) => {
          const expected = model(list, p, seed, most);
          const said: number[] = [];
          const owner = await open({ p, most, seed, onHalved: (halved) => said.push(halved) });
          const other = await open({ p, most, seed });
          const third = Math.ceil(list.length / 3);
          const parcels = [0, 1, 2].flatMap((i) => {
            const edges = edgesOf(list.slice(i * third, (i + 1) * third));
            return owner.offer(edges) ?? [];
          });
          for (const parcel of [...parcels.reverse(), ...parcels]) other.receive(parcel);
          expect({ p: owner.p, content: contentOf(owner) }).toEqual(expected);
          expect({ p: other.p, content: contentOf(other) }).toEqual(expected);
          expect(said).toEqual(Array.from(said, (_, i) => p / 2 ** (i + 1)));
          expect(said.at(-1) ?? p).toBe(expected.p);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('sends nothing when nothing was drawn, and refuses bytes that are no parcel', async () => {
    const sample = await open({ p: 0 });
    expect(sample.offer(edgesOf([[1n, 2n]]))).toBeUndefined();
    expect(() => sample.receive(new Uint8Array(17))).toThrow('truncated');
    const whole = await open();
    const parcel = whole.offer(edgesOf([[1n, 2n]])) ?? new Uint8Array(0);
    // A parcel that does not begin at a multiple of four.
    const shifted = new Uint8Array(parcel.length + 1);
    shifted.set(parcel, 1);
    const other = await open();
    other.receive(shifted.subarray(1));
    expect(contentOf(other)).toEqual(['1>2']);
  });

  test('is what it was at the last checkpoint after a power loss, even if p was halved meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(arcs, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 3, max: 60 }),
        async (steps, most) => {
          const fileSystem = new PowerCutFileSystem();
          const folder = temporaryFolder();
          let sample = await open({ fileSystem, folder, most });
          let cut: { frozen: Frozen<SampleState>; p: number; content: string[] } | undefined;
          for (const [list, saves, dies] of steps) {
            sample.offer(edgesOf(list));
            if (saves) {
              const [p, content] = [sample.p, contentOf(sample)];
              const freezing = sample.freeze();
              // Arcs that come while it is being written belong to the next checkpoint.
              sample.offer(edgesOf(list.map(([source, target]) => [source, target ^ 1n] as const)));
              const frozen = JSON.parse(JSON.stringify(await freezing)) as Frozen<SampleState>;
              await new Disk(fileSystem).syncFolder(folder);
              cut = { frozen, p, content };
              await sample.discardOlder(frozen);
            }
            if (!dies) continue;
            await sample.close();
            fileSystem.cutPower();
            sample = await open({ fileSystem, folder, most, at: cut?.frozen });
            expect({ p: sample.p, content: contentOf(sample) }).toEqual({
              ...{ p: cut?.p ?? 1, content: cut?.content ?? [] },
            });
          }
          await sample.close();
        },
      ),
      { numRuns: 30 },
    );
  });

  test('appends what is new to its file, and begins a new one only when p was halved', async () => {
    const folder = temporaryFolder();
    const sample = await open({ folder, most: 20 });
    const list = Array.from(
      { length: 40 },
      (_, i): Arc => [BigInt(i + 1) * 0x00de_c0de_7f4a_7c15n, 5n],
    );
    const save = async () => {
      const frozen = await sample.freeze();
      await sample.discardOlder(frozen);
      expect(readdirSync(folder)).toEqual(Object.keys(frozen.files));
      return frozen.files;
    };
    sample.offer(edgesOf(list.slice(0, 5)));
    expect(await save()).toEqual({ 'sample.1': 8 + 5 * 16 });
    sample.offer(edgesOf(list.slice(0, 9)));
    expect(await save()).toEqual({ 'sample.1': 8 + 9 * 16 });
    sample.offer(edgesOf(list));
    expect(sample.p).toBeLessThan(1);
    expect(await save()).toEqual({ 'sample.2': 8 + sample.length * 16 });
    await sample.close();
  });

  test('is the smaller sample when opened with a smaller p or less room, and another seed is refused', async () => {
    const folder = temporaryFolder();
    const list = Array.from(
      { length: 300 },
      (_, i): Arc => [BigInt(i + 1) * 0x00de_c0de_7f4a_7c15n, 5n],
    );
    const sample = await open({ folder });
    sample.offer(edgesOf(list));
    const at = await sample.freeze();
    await sample.close();
    const smaller = await open({ folder, p: 0.3, at });
    expect(contentOf(smaller)).toEqual(model(list, 0.3, 3, 1000).content);
    const tighter = await open({ folder, most: 100, at });
    expect(contentOf(tighter)).toEqual(model(list, 1, 3, 100).content);
    await expect(open({ folder, seed: 4, at })).rejects.toMatchObject({ code: 'SAMPLE_SEED' });
  });

  test('a failing disk refuses the checkpoint', async () => {
    const faulty = new FaultyFileSystem({ skipSync: true });
    const sample = await open({ fileSystem: faulty });
    sample.offer(edgesOf([[1n, 2n]]));
    faulty.faults.failSync = true;
    await expect(sample.freeze()).rejects.toMatchObject({ code: 'DISK_FAILED' });
    await expect(sample.freeze()).rejects.toMatchObject({ code: 'DISK_FAILED' });
    await sample.close();
  });
});
