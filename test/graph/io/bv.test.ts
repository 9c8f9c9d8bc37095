import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graphInfo } from '../../../src/graph/info.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { foreignMaterial } from '../../foreign-material.ts';
import { leftOut } from '../../left-out.ts';
import { type Arc, listsOf } from '../conformance.ts';
import { newPlace, quickDisk } from '../fixtures.ts';

const cnr2000 = await foreignMaterial('cnr2000');

/** Bits as text: slow, and unlike the reader. */
const unary = (n: number) => `${'0'.repeat(n)}1`;
const gamma = (n: number): string => {
  const digits = (n + 1).toString(2);
  return unary(digits.length - 1) + digits.slice(1);
};
const delta = (n: number) => {
  const digits = (n + 1).toString(2);
  return gamma(digits.length - 1) + digits.slice(1);
};
/**
 * The definition: h with 2^(hk) <= n + 1 < 2^((h+1)k) in unary, then the rest in minimal binary of
 * the interval.
 */
const zeta = (k: number) => (n: number) => {
  const x = n + 1;
  const h = Math.floor((x.toString(2).length - 1) / k);
  const size = 2 ** ((h + 1) * k) - 2 ** (h * k);
  const rest = x - 2 ** (h * k);
  const width = Math.ceil(Math.log2(size));
  const short = 2 ** width - size;
  const written =
    rest < short
      ? rest.toString(2).padStart(width - 1, '0')
      : (rest + short).toString(2).padStart(width, '0');
  return unary(h) + (width === 0 || (rest < short && width === 1) ? '' : written);
};
const fold = (n: number) => (n >= 0 ? 2 * n : -2 * n - 1);

interface Coding {
  readonly window: number;
  readonly minInterval: number;
  readonly flags: string;
  readonly zetaK: number;
}

/** Each list copies common targets from the one `1 + node % window` before it, if there is one. */
function encode(lists: number[][], { window, minInterval, flags, zetaK }: Coding) {
  const code = (component: string, usual: (n: number) => string) =>
    flags.includes(`${component}_DELTA`)
      ? delta
      : flags.includes(`${component}_GAMMA`)
        ? gamma
        : usual;
  const offsets = code('OFFSETS', gamma);
  let bits = '';
  let places = '';
  let last = 0;
  for (const [node, list] of lists.entries()) {
    places += offsets(bits.length - last);
    last = bits.length;
    bits += code('OUTDEGREES', gamma)(list.length);
    if (list.length === 0) continue;
    const reference = window > 0 ? Math.min(node, node % (window + 1)) : 0;
    if (window > 0) bits += code('REFERENCES', unary)(reference);
    const base = reference > 0 ? lists[node - reference] : [];
    const shared = new Set(base.filter((target) => list.includes(target)));
    if (reference > 0) {
      const runs: number[] = [];
      let taken = true;
      let length = 0;
      for (const target of base) {
        if (shared.has(target) !== taken) {
          runs.push(length);
          taken = !taken;
          length = 0;
        }
        length++;
      }
      bits += code('BLOCK_COUNT', gamma)(runs.length); // the last run needs no length
      runs.forEach((run, i) => {
        bits += code('BLOCKS', gamma)(i === 0 ? run : run - 1);
      });
    }
    bits += extra(
      node,
      list.filter((target) => !shared.has(target)),
      minInterval,
      code('RESIDUALS', zeta(zetaK)),
    );
  }
  return { bits, offsets: places + offsets(bits.length - last) };
}

function extra(
  node: number,
  targets: number[],
  minInterval: number,
  residual: (n: number) => string,
): string {
  if (targets.length === 0) return '';
  const intervals: [number, number][] = [];
  const single: number[] = [];
  for (let i = 0; i < targets.length; ) {
    let end = i + 1;
    while (end < targets.length && targets[end] === targets[end - 1] + 1) end++;
    if (minInterval > 0 && end - i >= minInterval) intervals.push([targets[i], end - i]);
    else single.push(...targets.slice(i, end));
    i = end;
  }
  let bits = minInterval > 0 ? gamma(intervals.length) : '';
  let end = 0;
  for (const [i, [left, length]] of intervals.entries()) {
    bits += gamma(i === 0 ? fold(left - node) : left - end - 1) + gamma(length - minInterval);
    end = left + length;
  }
  single.forEach((target, i) => {
    bits += residual(i === 0 ? fold(target - node) : target - single[i - 1] - 1);
  });
  return bits;
}

const bytesOf = (bits: string) =>
  Uint8Array.from(bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [], (byte) =>
    Number.parseInt(byte, 2),
  );

interface Files {
  readonly bits: string;
  readonly offsets?: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
}

function write({ bits, offsets, properties }: Files): string {
  const base = join(temporaryFolder(), 'g');
  writeFileSync(`${base}.graph`, bytesOf(bits));
  if (offsets !== undefined) writeFileSync(`${base}.offsets`, bytesOf(offsets));
  const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}`);
  writeFileSync(`${base}.properties`, `#BVGraph properties\n${lines.join('\n')}\n`);
  return base;
}

const propertiesOf = (lists: number[][], { window, minInterval, flags, zetaK }: Coding) => ({
  graphclass: 'it.unimi.dsi.webgraph.BVGraph',
  version: 0,
  nodes: lists.length,
  arcs: lists.flat().length,
  windowsize: window,
  minintervallength: minInterval,
  zetak: zetaK,
  compressionflags: flags,
});

async function decode(base: string): Promise<number[][]> {
  const out = newPlace();
  await importGraph([base], out, { format: 'bv', disk: quickDisk(), memory: 2 ** 20 });
  const graph = await openGraph(out);
  const { offsets, targets } = await graph.out.load();
  await graph.close();
  return Array.from({ length: graph.nodes }, (_, i) => [
    ...targets.subarray(offsets[i], offsets[i + 1]),
  ]);
}

const SMALL: Coding = { window: 3, minInterval: 2, flags: '', zetaK: 3 };
const LISTS = [[1, 2, 3, 5], [1, 2, 5], [], [0, 1, 2, 3], [0, 1, 4], [5]];

describe('WebGraph’s files', () => {
  test('are decoded to the lists they were made from, in every supported coding', async () => {
    const arc = fc.tuple(fc.nat(24), fc.oneof(fc.nat(24), fc.integer({ min: 10, max: 16 })));
    const coding = fc.record({
      window: fc.nat(4),
      minInterval: fc.constantFrom(0, 2, 4),
      zetaK: fc.integer({ min: 1, max: 4 }),
      flags: fc.constantFrom(
        '',
        'OUTDEGREES_DELTA | BLOCKS_DELTA',
        'RESIDUALS_GAMMA | OFFSETS_DELTA',
        'REFERENCES_GAMMA|BLOCK_COUNT_DELTA|RESIDUALS_DELTA',
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(arc, { maxLength: 150, size: 'max' }),
        coding,
        async (arcs: Arc[], form) => {
          const lists = listsOf({ nodes: 25, arcs, names: undefined }, 'out');
          const base = write({ ...encode(lists, form), properties: propertiesOf(lists, form) });
          expect(await decode(base)).toEqual(lists);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('with lists longer than one read are decoded, too', async () => {
    const lists = Array.from({ length: 30_000 }, (_, node) =>
      node === 7 ? Array.from({ length: 9000 }, (_, i) => 3 * i + (i % 2)) : [],
    );
    const base = write({ ...encode(lists, SMALL), properties: propertiesOf(lists, SMALL) });
    expect((await decode(base))[7]).toEqual(lists[7]);
  });

  test('may be named by any of the three files, and need no offsets', async () => {
    const { bits } = encode(LISTS, SMALL);
    const base = write({ bits, properties: propertiesOf(LISTS, SMALL) });
    const out = newPlace();
    const facts = await importGraph([`${base}.graph`, `${base}.properties`], out, {
      format: 'bv',
      disk: quickDisk(),
    });
    expect(facts).toMatchObject({ nodes: 6, arcs: 15, named: false });
    const two = importGraph([base, 'other.graph'], newPlace(), { format: 'bv', disk: quickDisk() });
    await expect(two).rejects.toThrow('are different graphs');
  });

  const good = { ...encode(LISTS, SMALL), properties: propertiesOf(LISTS, SMALL) };
  const changed = (properties: object): Files => ({
    ...good,
    properties: { ...good.properties, ...properties },
  });
  test.each<[string, Files, RegExp]>([
    [
      'cut off',
      { ...good, bits: good.bits.slice(0, 40), offsets: undefined },
      /g\.graph ends at node 3, bit \d+/,
    ],
    ['of fewer arcs', changed({ arcs: 16 }), /has 15 arcs, but its properties say 16/],
    [
      'of other offsets',
      { ...good, offsets: gamma(0) + gamma(9) },
      /g\.offsets says that the list of node 1 begins at bit 9/,
    ],
    ['of too few offsets', { ...good, offsets: gamma(0) }, /g\.offsets ends at node 1/],
    ['of fewer nodes', changed({ nodes: 4 }), /has no valid list at node 0, bit 0/],
    ['all zeros', { ...good, bits: '0'.repeat(400) }, /g\.graph (?:ends|holds) at node 0/],
    [
      'zeros without end',
      { ...good, bits: '0'.repeat(2 ** 23), offsets: undefined },
      /has no valid list at node 0, bit 0/,
    ],
    [
      'of an unknown code',
      changed({ compressionflags: 'RESIDUALS_GOLOMB' }),
      /asks for RESIDUALS_GOLOMB/,
    ],
    [
      'of another class',
      changed({ graphclass: 'it.unimi.dsi.webgraph.EFGraph' }),
      /describes no BVGraph/,
    ],
    ['little-endian', changed({ endianness: 'little' }), /variant of the format/],
    ['without a number', changed({ nodes: 'many' }), /says nodes=many, which is not a number/],
    [
      'of a larger window than can be',
      changed({ windowsize: 999999999 }),
      /windowsize=999999999, which is not/,
    ],
    [
      'of a code that codes nothing',
      changed({ zetak: 0 }),
      /says zetak=0, which is not from 1 to 32/,
    ],
    ['of too many nodes', changed({ nodes: 3e9 }), /a graph can have at most/],
  ])('that are %s are refused', async (_, files, reason) => {
    await expect(decode(write(files))).rejects.toThrow(reason);
  });

  test('that are noise are refused at worst', async () => {
    const noise = fc.uint8Array({ minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(noise, async (bytes) => {
        const base = write({ ...good, offsets: undefined });
        writeFileSync(`${base}.graph`, bytes);
        await expect(decode(base)).rejects.toMatchObject({ code: 'GRAPH_INPUT' });
      }),
      { numRuns: 25 },
    );
  });

  test.skipIf(leftOut(cnr2000))(
    'of cnr-2000 hold the arcs of its edge list, 3,216,152 of them',
    async () => {
      const path = join(cnr2000.path, 'cnr-2000.graph');
      const [bv, edges] = [newPlace(), newPlace()];
      const facts = await importGraph([path], bv, { format: 'bv' });
      expect(facts).toMatchObject({ nodes: 325_557, arcs: 3_216_152 });
      await importGraph([path.replace('.graph', '.edges.txt.gz')], edges, { format: 'edges' });
      const [a, b] = [await openGraph(bv), await openGraph(edges)];
      for (const direction of ['out', 'in'] as const) {
        const [x, y] = [await a[direction].load(), await b[direction].load()];
        expect(Buffer.from(x.targets.buffer).equals(Buffer.from(y.targets.buffer))).toBe(true);
        expect(Buffer.from(x.offsets.buffer).equals(Buffer.from(y.offsets.buffer))).toBe(true);
      }
      expect((a.out.bytes + a.in.bytes) / a.arcs).toBeLessThan(3);
      // As networkx finds them.
      const { dangling, loops, out, in: into, components } = await graphInfo(a);
      expect([dangling, loops, out.largest, into.largest]).toEqual([78_056, 87_442, 2716, 18_235]);
      expect(components).toEqual({ count: 100_977, largest: 112_023 });
      await a.close();
      await b.close();
    },
  );
});
