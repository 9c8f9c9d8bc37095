/** The package as users install it: its entry points, types, examples, and what an editor shows. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENTRIES } from '../../scripts/pages/api.ts';
import { SETTING_ROWS } from '../../src/config/settings.ts';
import { compile, installPacked, runProgram } from './packed.ts';
import { notExported, programOf } from './reachable-types.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = readdirSync(join(ROOT, 'examples'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => basename(name, '.ts'));
const nameOf = (entry: string) => (entry === 'index' ? 'drumlin' : `drumlin/${entry}`);

const folder = mkdtempSync(join(tmpdir(), 'drumlin-package-'));
let project: string;
let program: ts.Program | undefined;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  project = installPacked(folder);
  const installed = join(project, 'node_modules/drumlin');
  for (const name of EXAMPLES) {
    const text = readFileSync(join(installed, 'examples', `${name}.ts`), 'utf8');
    writeFileSync(join(project, 'src', `${name}.ts`), text);
  }
  for (const entry of ENTRIES) {
    const text = readFileSync(join(ROOT, 'src/api', `${entry}.ts`), 'utf8');
    writeFileSync(join(project, 'src', `comment-${entry}.ts`), exampleIn(text));
  }
  await compile(project);
});

/** The first example in the comment that a module opens with. */
function exampleIn(source: string): string {
  const code = /^\/\*\*(?:(?!\*\/).)*? \* @example\n \* ```ts\n(.*?)\n \* ```/s.exec(source)?.[1];
  return `${(code ?? '').replaceAll(/^ \* ?/gm, '')}\n`;
}

describe('the packed package, installed in an empty strict project', () => {
  test('exports the entry points of the reference, and nothing else', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const paths = ENTRIES.map((entry) => (entry === 'index' ? '.' : `./${entry}`));
    expect(Object.keys(exports)).toEqual(paths);
    for (const entry of ENTRIES) {
      expect(exports[entry === 'index' ? '.' : `./${entry}`]).toEqual({
        types: `./dist/types/api/${entry}.d.ts`,
        default: `./dist/lib/${entry}.js`,
      });
    }
  });

  test('has an example for every entry point', () => {
    for (const entry of ENTRIES.slice(1)) expect(EXAMPLES).toContain(entry);
    for (const entry of ENTRIES) {
      const text = readFileSync(join(project, 'src', `comment-${entry}.ts`), 'utf8');
      expect(text).toContain(`from '${nameOf(entry)}';`);
    }
  });

  test('can be required from CommonJS, every entry point of it', () => {
    const names = ENTRIES.map(nameOf);
    const program = `for (const name of ${JSON.stringify(names)}) if (Object.keys(require(name)).length === 0) throw name;
console.log('required');`;
    writeFileSync(join(project, 'required.cjs'), program);
    const flags = ['--no-warnings', 'required.cjs'];
    const printed = execFileSync(process.execPath, flags, { cwd: project, encoding: 'utf8' });
    expect(printed).toBe('required\n');
  });

  test('keeps other modules private', async () => {
    const program = `await import('drumlin/dist/lib/main.js').catch(({ code }) => console.log(code));`;
    writeFileSync(join(project, 'out', 'private.js'), program);
    expect(await runProgram(project, 'private')).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });

  test('has no source maps', () => {
    const installed = readdirSync(join(project, 'node_modules/drumlin'), { recursive: true });
    expect(installed.filter((path) => String(path).endsWith('.map'))).toEqual([]);
    expect(readdirSync(join(ROOT, 'dist/lib'))).toContain('main.js.map');
  });

  test('carries the licence of every package whose code is inside', () => {
    const packed = join(project, 'node_modules/drumlin/dist/lib');
    const text = readFileSync(join(packed, 'licences.txt'), 'utf8');
    const lib = join(ROOT, 'dist/lib');
    const named = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+, /gm)].map(([, name]) => name);
    // The page of the console has no source map.
    const used = new Set(['preact', 'uplot']);
    for (const map of readdirSync(lib).filter((name) => name.endsWith('.map'))) {
      const { sources } = JSON.parse(readFileSync(join(lib, map), 'utf8')) as { sources: string[] };
      for (const source of sources) {
        const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
        if (name !== undefined) used.add(name);
      }
    }
    expect(named).toEqual([...used].sort());
    expect(named.length).toBeGreaterThan(5);
  });

  test.each(
    ENTRIES.map((entry) => [nameOf(entry), entry]),
  )('%s exports every type that its exports refer to', (_, entry) => {
    const typesOf = (name: string) =>
      join(project, 'node_modules/drumlin/dist/types/api', `${name}.d.ts`);
    program ??= programOf(ENTRIES.map(typesOf));
    expect(notExported(program, typesOf(entry))).toEqual([]);
  });
});

/** A line that each program prints, of those whose output does not depend on chance. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  titles: /^200 http:\S+ ".+" \d+ links$/m,
  filters: /^http\S+ \d+ links$/m,
  store: /^20 pages stored$/m,
  warc: /^ {2}11 response$/m,
  robots: /^skip {2}\/paper\.pdf \(line 8, Disallow: \/\*\.pdf\$\)$/m,
  url: /^https:\/\/www\.example\.co\.uk\/~user\/ of example\.co\.uk, [0-9a-f]+$/m,
  links: /^a https:\/\/example\.org\/geo\/drumlins\?page=2$/m,
  drum: /^the first page: 100 times$/m,
  graph: /^pagerank 1 \S+ 0\.\d+$/m,
  corpus: /^\d+ of 20 pages, \d+ words$/m,
  refresh: /^\d+ pages, \d+ tested: \d+ are alive$/m,
  search: /^\d+ versions\n\d+\.\d\d http:\S+ /m,
  focus: /^whitelist: \d+ requests, [1-9]\d* documents, \d+ useful$/m,
  lab: /^(\d+) pages, \1 of them as expected, in \d+ requests$/m,
  'comment-index': /^200 http:\S+ \d+$/m,
  'comment-warc': /^https:\/\/example\.org\/ 200 14$/m,
  'comment-robots': /^false\nDisallow: \/private\/\n2000$/m,
  'comment-url': /^http:\/\/example\.org\/~user\/\nexample\.co\.uk$/m,
  'comment-links': /^a https:\/\/example\.org\/drumlins\?b=1$/m,
  'comment-drum': /^(?=.*a)(?=.*b)(?=.*c)(?:[abc]\n){3}$/s,
  'comment-graph': /^1 b\.org 0\.\d+\n2 a\.org 0\.\d+$/m,
  'comment-corpus': /^\d+ \d{3,}$/m,
  'comment-refresh': /^\d+ pages are unchanged$/m,
  'comment-search': /^http:\S+ \S+/m,
  'comment-focus': /^[1-9]\d* documents, [1-9]\d* pages with links to some$/m,
  'comment-lab': /^(?:http:\S+ true\n){10}$/,
};

test.concurrent.each(Object.entries(PRINTED))('the example %s runs', async (name, printed) => {
  expect(await runProgram(project, name)).toMatch(printed);
});

test('no example is left out', () => {
  const programs = [...EXAMPLES, ...ENTRIES.map((entry) => `comment-${entry}`)];
  expect(Object.keys(PRINTED).sort()).toEqual(programs.sort());
});

describe('an editor', () => {
  const given = SETTING_ROWS.map(([key]) => `  ${key}: undefined as never,\n`).join('');
  const text = `import { crawl } from 'drumlin';\ncrawl({\n${given}  seeds: [],\n});\n`;
  let service: ts.LanguageService;
  beforeAll(() => {
    service = serviceFor(text);
  });
  afterAll(() => service.dispose());

  /** What the language service shows for the word that begins at `position`. */
  function hover(position: number): string {
    const info = service.getQuickInfoAtPosition(join(project, 'src', 'hover.ts'), position);
    const parts = [...(info?.displayParts ?? []), { text: '\n' }, ...(info?.documentation ?? [])];
    return parts.map((part) => part.text).join('');
  }

  test('shows what maxPages is, its unit and its default', () => {
    const shown = hover(text.indexOf('  maxPages:') + 2);
    expect(shown).toContain('(property) maxPages?: string | number');
    expect(shown).toContain('Stop after this many pages');
    expect(shown).toContain('Unit: pages. Default: no limit (`Infinity`).');
  });

  test('shows the same of every setting', () => {
    for (const [key, { doc, default: value, type }] of SETTING_ROWS) {
      const shown = hover(text.indexOf(`  ${key}:`) + 2).replaceAll('\n', ' ');
      if (key === 'store') expect(shown).toContain('Where to put pages');
      else expect(shown).toContain(doc.slice(1).replaceAll('*/', '*\u200b/'));
      expect(shown, key).toContain('Default: ');
      if (typeof value === 'number') expect(shown).toContain(`Unit: ${type.unit}.`);
    }
  });

  test('shows what crawl does', () => {
    expect(hover(text.indexOf('crawl({'))).toContain('yields each page as it is fetched');
  });
});

/** What an editor runs for a program `hover.ts` of the project. */
function serviceFor(text: string): ts.LanguageService {
  const path = join(project, 'src', 'hover.ts');
  const options = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    project,
  ).options;
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const found = name === path ? text : ts.sys.readFile(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === path || ts.sys.fileExists(name),
    readFile: (name) => (name === path ? text : ts.sys.readFile(name)),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
  });
}
