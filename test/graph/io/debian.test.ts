import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importGraph } from '../../../src/graph/io/import.ts';
import { byteSorted, contentOf, fileOf, newPlace, quickDisk } from '../fixtures.ts';

const OPTIONS = { format: 'debian', memory: 2 ** 20 } as const;

/** The graph of these indexes, and what the import noted. */
async function graphOf(...texts: string[]) {
  const files = texts.map((text, i) => fileOf(text, i % 2 === 0 ? `Packages${i}` : 'Packages.gz'));
  const out = newPlace();
  const notes: string[] = [];
  await importGraph(files, out, {
    ...OPTIONS,
    disk: quickDisk(),
    onNote: (sentence) => notes.push(sentence),
  });
  return { ...(await contentOf(out)), notes };
}

/** The error for an index with this text. */
async function errorOf(text: string, name = 'Packages'): Promise<string> {
  const out = newPlace();
  const path = fileOf(text, name);
  const error = await importGraph([path], out, { ...OPTIONS, disk: quickDisk() }).catch((e) => e);
  expect(existsSync(out)).toBe(false);
  return error.message.replace(path, 'FILE');
}

describe('An index of Debian packages', () => {
  test('gives an arc to each package of Depends and Pre-Depends, versions left out', async () => {
    const { names, arcs, notes } = await graphOf(
      'Package: app\nVersion: 1.0\nPre-Depends: init (>= 2)\n' +
        'Depends: lib:any (>= 1.2) [amd64] <!nocheck>, base\nRecommends: extra\n\n' +
        'Package: base\n\nPackage: init\n\nPackage: lib\nDepends: base\n\nPackage: extra\n',
    );
    expect(names).toEqual(['app', 'base', 'extra', 'init', 'lib']);
    expect(arcs).toEqual(['app base', 'app init', 'app lib', 'lib base']);
    expect(notes).toEqual([]);
  });

  test('gives an arc to each package of a choice and to each that provides a virtual name', async () => {
    const { names, arcs } = await graphOf(
      'Package: app\nDepends: exim | mail-agent,\n editor\n\n' +
        'Package: exim\nProvides: mail-agent (= 4)\n\nPackage: postfix\nProvides: mail-agent\n\n' +
        'Package: vim\nProvides: editor\n\nPackage: nano\nProvides: editor\n',
    );
    expect(names).toEqual(['app', 'exim', 'nano', 'postfix', 'vim']);
    expect(arcs).toEqual(['app exim', 'app nano', 'app postfix', 'app vim']);
  });

  test('prefers a package to those that provide its name, and has no arc from a package to itself', async () => {
    const { arcs } = await graphOf(
      'Package: awk\n\nPackage: mawk\nProvides: awk, interpreter\nDepends: awk, interpreter\n\n' +
        'Package: gawk\nProvides: awk\nDepends: gawk, awk\n',
    );
    expect(arcs).toEqual(['gawk awk', 'mawk awk']);
  });

  test('counts dependencies on names that nothing has, and gives them no node', async () => {
    const { names, arcs, notes } = await graphOf(
      'Package: a\nDepends: gone | b, lost, gone\n\nPackage: b\n',
    );
    expect({ names, arcs }).toEqual({ names: ['a', 'b'], arcs: ['a b'] });
    expect(notes).toEqual([
      '3 dependencies left out: no package has or provides the 2 names that they ask for, such as gone',
    ]);
  });

  test('joins packages that several files or stanzas have', async () => {
    const { names, arcs } = await graphOf(
      'Package: a\nVersion: 1\nDepends: b\n\n\n\nPackage: b\n',
      'Package: a\nVersion: 2\nDepends: c\n\nPackage: c\nDepends: b\n',
    );
    expect({ names, arcs }).toEqual({ names: ['a', 'b', 'c'], arcs: ['a b', 'a c', 'c b'] });
  });

  test('agrees with a naive reading, whatever depends on whatever', async () => {
    const word = fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f');
    const stanza = fc.record({ name: word, needs: fc.array(word), provides: fc.array(word) });
    await fc.assert(
      fc.asyncProperty(fc.array(stanza, { minLength: 1, maxLength: 6 }), async (stanzas) => {
        const text = stanzas.map(
          ({ name, needs, provides }) =>
            `Package: ${name}\n${needs.length ? `Depends: ${needs.join(' | ')}\n` : ''}` +
            `${provides.length ? `Provides: ${provides.join(', ')}\n` : ''}`,
        );
        const known = new Set(stanzas.map(({ name }) => name));
        const standsFor = (wanted: string) =>
          known.has(wanted)
            ? [wanted]
            : stanzas.filter(({ provides }) => provides.includes(wanted)).map(({ name }) => name);
        const arcs = stanzas.flatMap(({ name, needs }) =>
          needs.flatMap(standsFor).flatMap((to) => (to === name ? [] : [`${name} ${to}`])),
        );
        const found = await graphOf(text.join('\n'));
        expect(found.names).toEqual(byteSorted(known));
        expect(found.arcs).toEqual(byteSorted(arcs));
      }),
      { numRuns: 40 },
    );
  });

  test('is refused with file and line where it is no list of stanzas', async () => {
    expect(await errorOf('Package: a\n\nnonsense\n')).toMatch(
      /^FILE, line 3: is no "Field: value"/,
    );
    expect(await errorOf(' folded\n')).toMatch(/^FILE, line 1: continues a field, but none/);
    expect(await errorOf('Package: a\n\nVersion: 1\n')).toMatch(/line 3: .* without a Package/);
    expect(await errorOf('Package: a b\n')).toMatch(/line 1: .* no name of a package/);
    expect(await errorOf('Package: a\nDepends: b c\n')).toMatch(/line 1: .*"b c" in Depends/);
    expect(await errorOf('')).toMatch(/^There is no package in FILE/);
    expect(await errorOf('x', 'Packages.lz4')).toMatch(/compressed with lz4.*lz4 -dc/);
  });
});
