import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines } from '../../../src/disk/text-input.ts';
import { type ImportOptions, importGraph } from '../../../src/graph/io/import.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { byteSorted, contentOf, fileOf, newPlace, quickDisk } from '../fixtures.ts';

async function imported(paths: string[], options: Partial<ImportOptions> = {}) {
  const out = newPlace();
  const facts = await importGraph(paths, out, {
    format: 'edges',
    disk: quickDisk(),
    memory: 2 ** 20,
    ...options,
  });
  return { ...facts, ...(await contentOf(out)) };
}

const name = fc.string({
  unit: fc.constantFrom('a', 'B', '0', '/', 'é', '😀'),
  minLength: 1,
  maxLength: 5,
});
const blank = fc.constantFrom(' ', '\t', '  ', ' \t ');

describe('an edge list', () => {
  test('becomes the graph of its arcs, with any blanks, line ends and comments', async () => {
    const line = fc.tuple(
      name,
      blank,
      name,
      fc.constantFrom('\n', '\r\n', ' \n', '\n\n', '\n# a b c\n', '\n  #\n'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 40, size: 'max' }),
        fc.constantFrom('e.txt', 'e.gz'),
        fc.boolean(),
        async (lines, file, last) => {
          const text = lines.map(([from, gap, to, end]) => `${from}${gap}${to}${end}`).join('');
          const path = fileOf(last ? text.replace(/\s+$/, '') : text, file);
          const { names, arcs } = await imported([path], { names: true });
          expect(names).toEqual(byteSorted(lines.flatMap(([from, , to]) => [from, to])));
          expect(byteSorted(arcs)).toEqual(
            byteSorted(lines.map(([from, , to]) => `${from} ${to}`)),
          );
          expect(new Set(arcs).size).toBe(arcs.length);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('of numbers has a node for every number up to the largest, in numeric order', async () => {
    const { nodes, named, names, arcs } = await imported([fileOf('10 2\n2\t10\n0 0\n10 2\n')]);
    expect([nodes, named]).toEqual([11, false]);
    expect(names.slice(9)).toEqual(['9', '10']);
    expect(arcs).toEqual(['0 0', '2 10', '10 2']);
  });

  test('of numbers can be read as names, but one of names not as numbers', async () => {
    const { names, arcs } = await imported([fileOf('10 2\n007 7\n')], { names: true });
    expect(names).toEqual(['007', '10', '2', '7']);
    expect(arcs).toEqual(['007 7', '10 2']);
    expect((await imported([fileOf('# 1 2\n\n1 b\n2 3\n')])).names).toEqual(['1', '2', '3', 'b']);
  });

  test('with bad lines is the graph of its good ones, and each bad line is reported', async () => {
    const good = fc
      .tuple(name, name)
      .map(([from, to]) => ({ line: `${from},${to}`, arc: `${from} ${to}` }));
    const bad = fc
      .constantFrom('a', 'a,b,c', 'a\x01,b', '\xff\xfe,b')
      .map((line) => ({ line, arc: '' }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(good, bad), { maxLength: 30 }), async (lines) => {
        const reported: string[] = [];
        const bytes = lines.map(({ line, arc }) =>
          Buffer.from(`${line}\n`, arc ? 'utf8' : 'latin1'),
        );
        const path = fileOf(Buffer.concat(bytes));
        const options = {
          names: true,
          separator: ',',
          onBad: ({ message }: Error) => void reported.push(message),
        };
        const { arcs } = await imported([path], options);
        const wanted = lines.filter(({ arc }) => arc !== '').map(({ arc }) => arc);
        expect(byteSorted(arcs)).toEqual(byteSorted(wanted));
        const numbers = reported.map((line) => Number(/line (\d+)/.exec(line)?.[1]));
        expect(numbers.sort((a, b) => a - b)).toEqual(
          lines.flatMap(({ arc }, i) => (arc === '' ? [i + 1] : [])),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('of numbers skips a line of names on request', async () => {
    const bad: string[] = [];
    const onBad = ({ message }: Error) => void bad.push(message);
    const { nodes, arcs } = await imported([fileOf('x\n1 2\na b\n2 0\n')], { onBad });
    expect([nodes, arcs]).toEqual([3, ['1 2', '2 0']]);
    expect(bad).toHaveLength(2);
  });

  test('accepts no separator that names may have, and none in other formats', async () => {
    for (const separator of ['a', '7', '#', ',,', 'é', ''])
      await expect(imported([fileOf('1 2\n')], { separator })).rejects.toThrow(/cannot separate/);
    await expect(
      importGraph([fileOf('1 2\n')], newPlace(), { format: 'common-crawl', separator: ',' }),
    ).rejects.toThrow('--separator is for edge lists only');
  });

  test('may be several files, and folders of files without their markers', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'parts'));
    fileOf('b c\n', 'part-2.gz', join(folder, 'parts'));
    fileOf('a b', 'part-1.txt', join(folder, 'parts'));
    fileOf('wrong', '_SUCCESS', join(folder, 'parts'));
    const { arcs } = await imported([fileOf('c a'), join(folder, 'parts')]);
    expect(arcs).toEqual(['a b', 'b c', 'c a']);
  });

  test('without a single arc is a graph without nodes', async () => {
    expect(await imported([fileOf('# nothing\n\n')])).toMatchObject({ nodes: 0, arcs: [] });
  });

  test('may begin with a byte order mark and consist of several gzip members', async () => {
    const members = Buffer.concat([gzipSync('\u{feff}a b\nb'), gzipSync(' c\n')]);
    expect((await imported([fileOf(members, 'members')])).arcs).toEqual(['a b', 'b c']);
  });

  test.each([
    ['1 2\n3\n', 2, 'has 1 field instead of two'],
    ['1 2\n\n# x\n3 4 5\n', 4, 'has 3 fields instead of two'],
    ['1 2\n3 x\n', 2, '"x" is not a number from 0 to 2147483646'],
    ['1 2\n3 -4\n', 2, '"-4" is not a number'],
    ['1 2\n03 4\n', 2, '"03" is not a number'],
    ['1 2\n3 2147483647\n', 2, '"2147483647" is not a number'],
    ['1 2\n3 99999999999999999999999\n', 2, 'is not a number'],
    ['1 2\n3 4x\n', 2, '"4x" is not a number'],
    ['1 2\n1.5 4\n', 2, '"1.5" is not a number'],
    ['a b\nc\n', 2, 'has 1 field'],
    ['a b\na b c', 2, 'has 3 fields'],
    ['a b\nc\0d e\n', 2, 'holds a control character'],
    ['a b\n\na\x7f b\n', 3, 'holds a control character'],
    [`a b\na ${'x'.repeat(4097)}\n`, 2, 'has a name longer than 4096 bytes'],
    [`a b\n${'x'.repeat(2 ** 20 + 300_000)} b\n`, 2, 'is longer than 1048576 bytes'],
    [Buffer.from('a b\nc d\ne \xff\n', 'latin1'), 3, 'is not UTF-8'],
  ])('that is malformed (%j) is refused by file, line and reason, and leaves nothing', async (text, line, reason) => {
    const path = fileOf(text);
    const out = newPlace();
    const work = importGraph([path], out, { format: 'edges', disk: quickDisk() });
    await expect(work).rejects.toMatchObject({ code: 'TEXT_INPUT', exitCode: 2 });
    await expect(work).rejects.toThrow(`${path}, line ${line}: `);
    await expect(work).rejects.toThrow(reason);
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  test('that is truncated or damaged as gzip is refused', async () => {
    const whole = gzipSync(Array.from({ length: 5000 }, (_, i) => `${i} ${i * 7}\n`).join(''));
    const broken = Buffer.from(whole);
    broken[broken.length - 5] ^= 1;
    const out = newPlace();
    const options = { format: 'edges', disk: quickDisk() } as const;
    const cut = fileOf(whole.subarray(0, whole.length - 20), 'cut');
    await expect(importGraph([cut], out, options)).rejects.toThrow(
      /cut, line 4\d{3}: the gzip is cut off here, or soon after/,
    );
    const bad = fileOf(broken, 'bad');
    await expect(importGraph([bad], out, options)).rejects.toThrow(
      /bad, line \d+: the gzip is damaged here/,
    );
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  test('that does not exist is refused, and so are an empty folder and a folder in a folder', async () => {
    const options = { format: 'edges', disk: quickDisk() } as const;
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'inner'));
    await expect(importGraph([folder], newPlace(), options)).rejects.toThrow(
      /inner is a folder in a folder/,
    );
    await expect(importGraph(['/nowhere/e.txt'], newPlace(), options)).rejects.toMatchObject({
      code: 'INPUT_MISSING',
      exitCode: 2,
    });
    await expect(importGraph([temporaryFolder()], newPlace(), options)).rejects.toMatchObject({
      code: 'GRAPH_INPUT',
    });
  });

  test('with numbers far beyond its number of arcs is refused with the remedy', async () => {
    const options = { format: 'edges', disk: quickDisk() } as const;
    const work = importGraph([fileOf('1 2000000000\n')], newPlace(), options);
    await expect(work).rejects.toThrow(/up to 2000000000, but there are only 1 arcs.*--names/);
  });
});

test('for any memory, names are collected in the part that can be used', async () => {
  const { names } = await imported([fileOf('a b\n')], { memory: 2 ** 45 });
  expect(names).toEqual(['a', 'b']);
});

test('readLines gives every line once, complete, with its number, in pieces of any size', async () => {
  const text = fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' '), maxLength: 9 }), {
    maxLength: 30,
    size: 'max',
  });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 8, max: 64 }),
      fc.constantFrom('a', 'a.gz'),
      async (lines, chunkBytes, file) => {
        const path = fileOf(lines.join('\n'), file);
        const got: string[] = [];
        for await (const { bytes, line } of readLines(quickDisk(), path, { chunkBytes })) {
          expect(line).toBe(got.length + 1);
          got.push(...Buffer.from(bytes).toString('utf8').split('\n').slice(0, -1));
        }
        const expected = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
        expect(got).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});
