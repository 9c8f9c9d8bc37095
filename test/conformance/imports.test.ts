/** The check of the build: every import in the bundles finds what it takes. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { wrongImports } from '../../scripts/check-imports.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drumlin-imports-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A package in CommonJS whose names no compiler can see, and a module of ours. */
const LIBRARY = `for (const name of ['one', 'two']) exports[name] = () => name;`;
const MODULE = `export const one = 1; export default 2;`;

/** Bundles a program with its two parts, as the build does; returns what the check says. */
async function checked(program: string): Promise<string[]> {
  for (const [name, text] of Object.entries({
    'main.mjs': program,
    'library.cjs': LIBRARY,
    'module.mjs': MODULE,
  }))
    writeFileSync(join(folder, name), text);
  await build({
    absWorkingDir: folder,
    entryPoints: ['main.mjs'],
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    minifyWhitespace: true,
    chunkNames: '[name]',
  });
  return wrongImports(join(folder, 'out'));
}

const planted = (name: string, chunk: string) =>
  `./main.js takes "${name}" from ./${chunk}.js, which does not export it.`;

test.each([
  [`const { one } = await import('./library.cjs'); one();`, [planted('one', 'library')]],
  [`(await import('./library.cjs')).two();`, [planted('two', 'library')]],
  [
    `const [{ one: first }, { one: second }] = await Promise.all([
       import('./module.mjs'), import('./library.cjs')]).catch(() => []); first(second);`,
    [planted('one', 'library')],
  ],
  [`const all = await import('./module.mjs'); all.one(all.three);`, [planted('three', 'module')]],
  [
    `export const load = () => import('./library.cjs');`,
    ['./main.js imports ./library.js, which exports only "default".'],
  ],
  [
    `const { readFile, readFill } = await import('node:fs'); readFile(readFill);`,
    ['./main.js takes "readFill" from node:fs, which does not export it.'],
  ],
  [`const { one } = await import('./module.mjs'); one();`, []],
  [`const { default: { one } } = await import('./library.cjs'); one();`, []],
  [`export const load = () => import('./module.mjs');`, []],
])('%s', async (program, expected) => {
  expect(await checked(program)).toEqual(expected);
});

test('names a chunk that is missing', async () => {
  await checked(`const { one } = await import('./module.mjs'); one();`);
  const out = join(folder, 'out');
  const [chunk] = readdirSync(out).filter((name) => name !== 'main.js');
  rmSync(join(out, chunk));
  expect(await wrongImports(out)).toEqual([`./main.js imports ./${chunk}, which is not there.`]);
});
