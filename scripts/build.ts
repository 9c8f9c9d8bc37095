/**
 * Makes what the package ships: `npm run build`, or `tsx scripts/build.ts FOLDER`.
 *
 *   dist/lib/     the program, the library's entry points and the main modules of threads
 *   dist/lib/console.html   the page of the console
 *   dist/types/   the declarations of all modules
 *   dist/lib/licences.txt   the licences of the packages whose code is inside
 *
 * Idea: a thread that loads 500 small files spends most of its first half second in the module
 * loader. So the code is bundled. Entry points share chunks: a class has one identity in `drumlin`
 * and in `drumlin/warc`. A thread shares nothing with its parent, so its main module (`*-main.ts`)
 * is one file. All files are side by side: a thread is started by the URL `./agent-main.js` from
 * whichever chunk that code is in.
 *
 * Every thread keeps the text of its main module in memory. So it has no blanks and no comments,
 * and only ASCII: V8 stores a text with other characters in two bytes for each.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { wrongImports } from './check-imports.ts';
import { buildPage } from './page.ts';

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc');

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Not inside: packages that users may lack, and those that find files beside their own. */
const LEFT_OUT = [...Object.keys(MANIFEST.peerDependencies), '@bokuweb/zstd-wasm', 'unpdf'];
/** Packages in CommonJS call `require` for modules of Node. */
const BANNER =
  "import { createRequire as requireFrom } from 'node:module';\n" +
  'const require = requireFrom(import.meta.url);';

const SHARED: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  entryNames: '[name]',
  chunkNames: 'part-[hash]',
  sourcemap: 'external', // not in the package: docs/dependencies.md
  sourcesContent: false,
  legalComments: 'none',
  minifyWhitespace: true,
  lineLimit: 100,
  external: LEFT_OUT,
  banner: { js: BANNER },
  metafile: true,
  logLevel: 'warning',
};

async function buildInto(folder: string): Promise<void> {
  const types = ['--emitDeclarationOnly', '--outDir', join(folder, 'types')];
  execFileSync(process.execPath, [TSC, '-p', join(ROOT, 'tsconfig.build.json'), ...types], {
    stdio: ['ignore', 2, 2],
  });
  const lib = join(folder, 'lib');
  const fresh = `${lib}-${process.pid}`;
  try {
    await bundleInto(fresh);
    rmSync(lib, { recursive: true, force: true });
    renameSync(fresh, lib);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Nothing is used before all of it is there and checked. */
async function bundleInto(lib: string): Promise<void> {
  const modules = Object.keys(MANIFEST.exports).map(
    (path) => `src/api/${path === '.' ? 'index' : basename(path)}.ts`,
  );
  const threads = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-main.ts'))
    .map((path) => join('src', path));
  const made = await Promise.all([
    build({
      ...SHARED,
      outdir: lib,
      entryPoints: ['src/cli/main.ts', ...modules],
      splitting: true,
    }),
    build({ ...SHARED, outdir: lib, entryPoints: threads }),
  ]);
  for (const name of readdirSync(lib).filter((each) => each.endsWith('.js'))) {
    const path = join(lib, name);
    writeFileSync(path, inAscii(readFileSync(path, 'utf8')));
  }
  const wrong = await wrongImports(lib);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  const page = await buildPage();
  writeFileSync(join(lib, 'console.html'), page.html);
  const bundles = [...made.map(({ metafile }) => metafile as Metafile), page.metafile];
  const inside = packagesIn(bundles);
  writeFileSync(join(lib, 'licences.txt'), inside.map(licenceOf).join('\n'));
}

/** The compiler escapes other characters in strings. What is left is in regular expressions. */
function inAscii(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The packages whose code is in the output. */
function packagesIn(metafiles: readonly Metafile[]): string[] {
  const names = new Set<string>();
  for (const { inputs } of metafiles) {
    for (const path of Object.keys(inputs)) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
      if (name !== undefined) names.add(name);
    }
  }
  return [...names].sort();
}

function licenceOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
}

await buildInto(process.argv[2] ?? join(ROOT, 'dist'));
