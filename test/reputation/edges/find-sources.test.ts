/** Which domains link to a domain, from files: against the links that were added. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import { readOnly } from '../../../src/disk/file-system.ts';
import { DomainEdges } from '../../../src/reputation/edges/domain-edges.ts';
import { SourceFinder } from '../../../src/reputation/edges/find-sources.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const sorted = (keys: Iterable<bigint>) => [...keys].sort((a, b) => (a < b ? -1 : 1));

type Link = readonly [target: number, source: number];

/** Keys spread over all 64 bits. */
const keyOf = (i: number) => BigInt.asUintN(64, BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n);
const LIMITS = { partPairs: 64, parts: 4, mergedAtOnce: 4, window: 4096, blockSources: 64 };

async function check(links: readonly Link[], limits: typeof LIMITS): Promise<number> {
  const folder = temporaryFolder();
  const disk = new Disk();
  const edges = await DomainEdges.open({
    disk,
    folder,
    memory: 2 ** 21,
    limits,
  });
  const model = new Map<bigint, Set<bigint>>();
  for (const [target, source] of links) {
    edges.add(keyOf(target), keyOf(source));
    if (target === source) continue;
    model.set(keyOf(target), (model.get(keyOf(target)) ?? new Set()).add(keyOf(source)));
  }
  await edges.flush();
  while (await edges.take());
  const frozen = await edges.freeze();
  await edges.close();
  const finder = new SourceFinder(new Disk(readOnly()));
  let read = 0;
  await finder.prepare({ folder, frozen }, (bytes) => {
    read += bytes;
  });
  const targets = Array.from({ length: 45 }, (_, i) => keyOf(i));
  const found = await finder.sourcesOf({ folder, frozen }, targets);
  for (const target of targets)
    expect(sorted(found.get(target) ?? [])).toEqual(sorted(model.get(target) ?? []));
  return read;
}

test('finds the sources of every target, in runs and in no run yet', async () => {
  const link = fc.tuple(fc.nat(40), fc.nat(3000));
  await fc.assert(
    fc.asyncProperty(fc.array(link, { maxLength: 1500, size: 'max' }), async (links) => {
      await check(links, LIMITS);
    }),
    { numRuns: 10 },
  );
});

test('finds what is before, in and after a row that is longer than what is read at once', async () => {
  const giant = Array.from({ length: 63_000 }, (_, i): Link => [7, i]);
  const others = Array.from({ length: 4000 }, (_, i): Link => [i % 45, i]);
  const limits = { ...LIMITS, partPairs: 2 ** 13, parts: 1, mergedAtOnce: 2 };
  expect(await check([...others, ...giant], limits)).toBeGreaterThan(400_000);
});
