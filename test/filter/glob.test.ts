import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob } from '../../src/filter/glob.ts';

/** The definition, naively: a star matches any number of characters, everything else itself. */
function naive(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  if (glob[0] !== '*') return glob[0] === text[0] && naive(glob.slice(1), text.slice(1));
  return naive(glob.slice(1), text) || (text !== '' && naive(glob, text.slice(1)));
}

describe('a glob', () => {
  test('agrees with its definition, for any glob and any text', () => {
    const few = (characters: string, most: number) =>
      fc.array(fc.constantFrom(...characters), { maxLength: most }).map((list) => list.join(''));
    fc.assert(
      fc.property(few('ab*', 7), few('ab', 9), (glob, text) => {
        expect(compileGlob(glob)(text)).toBe(naive(glob, text));
      }),
      { numRuns: 3000 },
    );
  });

  test('treats only the star as special', () => {
    expect(compileGlob('a.c?[x]*')('a.c?[x]')).toBe(true);
    expect(compileGlob('a.c*')('abc')).toBe(false);
    expect(compileGlob('A*')('abc')).toBe(false);
  });

  test('does not let two literals share characters', () => {
    expect(compileGlob('aba*aba')('ababa')).toBe(false);
    expect(compileGlob('*ab*b')('ab')).toBe(false);
    expect(compileGlob('a*b*c')('abc')).toBe(true);
  });

  test('stays fast with many stars that almost match', () => {
    const text = `${'a'.repeat(8000)}b`;
    const started = process.cpuUsage();
    expect(compileGlob(`${'*a'.repeat(500)}*c`)(text)).toBe(false);
    expect(compileGlob(`*${'aaaa*'.repeat(500)}c*`)(text)).toBe(false);
    expect(process.cpuUsage(started).user).toBeLessThan(200_000);
  });
});
