import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Components } from '../../src/corpus/near/components.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

async function componentsOf(edges: readonly (readonly [number, number])[], memory = 1024) {
  const components = new Components(disk, temporaryFolder(), memory);
  for (const [one, other] of edges) await components.join(one, other);
  const found: [number, number][] = [];
  await components.finish((root, member) => void found.push([root, member]));
  return { found, rounds: components.rounds };
}

/** Union by relabelling. */
function naive(edges: readonly (readonly [number, number])[]): [number, number][] {
  const root = new Map<number, number>();
  for (const [one, other] of edges) {
    const [a, b] = [root.get(one) ?? one, root.get(other) ?? other];
    root.set(one, a);
    root.set(other, b);
    for (const [node, of] of root) if (of === a || of === b) root.set(node, Math.min(a, b));
  }
  return [...root].map(([node, of]): [number, number] => [of, node]).sort(byPair);
}

const byPair = (a: readonly number[], b: readonly number[]) => a[0] - b[0] || a[1] - b[1];

describe('components on disk', () => {
  test('are those of a union in memory, for any graph and little memory', async () => {
    const node = fc.integer({ min: 0, max: 60 });
    const edges = fc.array(fc.tuple(node, node), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(edges, async (graph) => {
        expect((await componentsOf(graph)).found).toEqual(naive(graph));
      }),
      { numRuns: 60 },
    );
  });

  test('of a path of a thousand nodes need some twenty rounds, not a thousand', async () => {
    const path = Array.from({ length: 999 }, (_, i) => [i, i + 1] as const);
    const { found, rounds } = await componentsOf(path, 4 * 2 ** 20);
    expect(found).toEqual(Array.from({ length: 1000 }, (_, i) => [0, i]));
    expect(rounds).toBeLessThan(25);
  });

  test('may have numbers up to 2^32', async () => {
    const { found } = await componentsOf([[4294967295, 4294967290]]);
    expect(found).toEqual([
      [4294967290, 4294967290],
      [4294967290, 4294967295],
    ]);
  });
});
