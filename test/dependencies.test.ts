/** Dependencies are pinned, permissive and run nothing on install; what our code never does. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const ROOT = join(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs/dependencies.md');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const manifest = JSON.parse(read('package.json'));
const locked = Object.entries(
  JSON.parse(read('package-lock.json')).packages as Record<string, Locked>,
)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), ...entry }));

const PERMISSIVE = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'Zlib',
  'Unlicense',
  'BlueOak-1.0.0',
  'Python-2.0',
  'Unlicense',
]);
/**
 * Not shipped, not changed: what the test runner's bundler brings along, and a checker of pages.
 */
const WEAK_COPYLEFT = /^(lightningcss(-|$)|axe-core$)/;
const BUILDS_ITSELF = ['esbuild'];

/** Where the argued-for part of the page ends and the generated one begins. */
const HEADING = '<!-- licences -->';

describe('what is taken from others', () => {
  test('is pinned to one version each', () => {
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides };
    for (const [name, version] of Object.entries(wanted)) {
      expect(`${name} ${version}`).toMatch(/^\S+ (?:npm:\S+@)?\d+\.\d+\.\d+$/);
    }
  });

  test('is pinned in CI to the versions that are fetched without it', () => {
    const pins = read('.ci/python-tools.txt').matchAll(/^([\w-]+)==([\d.]+)$/gm);
    const inCi = new Map([...pins].map(([, name, version]) => [name, version]));
    const fetched = [
      ...read('scripts/servers/find.ts').matchAll(/name: '([\w-]+-bin)',\s+version: '([\d.]+)'/g),
    ];
    expect(fetched.length).toBe(2);
    for (const [, name, version] of fetched)
      expect([name, inCi.get(name)]).toEqual([name, version]);
  });

  test('is named in docs/dependencies.md with what it is for', () => {
    const page = readFileSync(DOCS, 'utf8').split(HEADING)[0];
    const wanted = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(wanted.filter((name) => !page.includes(name))).toEqual([]);
  });

  test('is under licences that let anybody use it', () => {
    const strict = locked.filter(({ name, license = 'none', dev }) => {
      if (dev && license === 'MPL-2.0') return !WEAK_COPYLEFT.test(name);
      const words = license.replace(/[()]/g, '').split(/ (?:OR|AND) /);
      return !words.every((word) => PERMISSIVE.has(word));
    });
    expect(strict.map(({ name, license }) => `${name} ${license}`)).toEqual([]);
  });

  test('runs nothing when it is installed, but for what is argued for and switched off', () => {
    const scripted = locked
      .filter(({ hasInstallScript }) => hasInstallScript)
      .map(({ name }) => name);
    expect(scripted).toEqual(BUILDS_ITSELF);
    expect(manifest.allowScripts).toEqual(
      Object.fromEntries(BUILDS_ITSELF.map((name) => [name, false])),
    );
    expect(
      Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?install|^prepare$/.test(name)),
    ).toEqual([]);
  });
});

describe('the code of this project', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: read(join('src', path)) }));
  const files = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  test('starts no shell, and no process but the browser that renders pages', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(files(/child_process|\bexecSync|\bspawn\(/)).toEqual(['render/cdp-pipe.ts']);
    expect(files(/shell: true|\bexec(?:File)?\(/)).not.toContain('render/cdp-pipe.ts');
  });

  test('makes code of no text that is not a constant of its own', () => {
    expect(files(/\beval\(|new Function\b|\bFunction\(/)).toEqual([]);
    expect(files(/new Worker\((?!PROGRAM\b).*eval: true/)).toEqual([]);
    // Garbage is to be collected when asked.
    expect(files(/from 'node:vm'/)).toEqual(['rank/compare/peak-memory.ts']);
    for (const { text } of sources) {
      for (const [, first] of text.matchAll(/runIn\w*Context\((.)/g)) expect(first).toBe("'");
    }
  });
});
