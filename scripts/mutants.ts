/**
 * Plants faults of one line and asks whether the tests notice.
 *
 *   npm run mutants -- [--seed 1] [--count 600] [--only src/frontier] [--list FILE] [--jobs 2]
 *                      [--most-seconds 120] [--file RESULTS.jsonl]
 *
 * A fault comes from a seeded sample over `src/`, or from a list that somebody wrote:
 * `[{ "what": …, "old": …, "new": …, "file": … }]`, where `old` stands once in `src/`.
 *
 * Idea      All faults stand in one copy of the project, turned off (mutants/plant.ts). One run of
 *           the suite shows which test files reach each of them. Then each is turned on, and these
 *           files run, nearest and fastest first, until one fails.
 * Ensures   Each verdict is appended to the results as soon as it is known; the same command
 *           continues after an interruption. Test files that fail without a fault judge nothing.
 * Limits    Kernels (`*.as.ts`) and generated tables have no faults. A fault that more tests reach
 *           than `--most-seconds` allows is judged by the nearest of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Fault, faultsIn, givenFault, KINDS, planted } from './mutants/plant.ts';
import { isDouble, type Outcome, report } from './mutants/report.ts';

const ROOT = join(import.meta.dirname, '..');
const GENERATED = /-wasm\.ts$|\.as\.ts$|(?:language-tables|entity-table|crawl-options)\.ts$/;

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    ...{ seed: text('1'), count: text('600'), only: text('src/'), jobs: text('2') },
    ...{ 'most-seconds': text('120'), list: { type: 'string' }, file: { type: 'string' } },
  },
});
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
const say = (line: string) => void process.stderr.write(`${line}\n`);

const sources = new Map(
  git('ls-files', 'src')
    .filter((path) => path.endsWith('.ts') && !GENERATED.test(path))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

/**
 * The same for the same seed and sources; of each kind, as many as the root of how many there are.
 */
function sampled(count: number, seed: number): Fault[] {
  const from = [...sources].filter(([path]) => path.startsWith(values.only));
  const all = from.flatMap(([path, source]) => faultsIn(path, source));
  const sizes = KINDS.map((name) => all.filter(({ kind }) => kind === name).length);
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0; // Mulberry32
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 1) / 2 ** 32;
  };
  const keyed = all.map((fault) => {
    const weight = (isDouble(fault.file) ? 2 : 1) / Math.sqrt(sizes[KINDS.indexOf(fault.kind)]);
    return { fault, key: -Math.log(random()) / weight };
  });
  const drawn = keyed.sort((a, b) => a.key - b.key).slice(0, count);
  return drawn.map(({ fault }) => fault);
}

function listed(path: string): Fault[] {
  const given: Record<string, string>[] = JSON.parse(readFileSync(path, 'utf8'));
  return given.map(({ what, old, new: into, file }) => {
    const places = [...sources].filter(
      ([name, source]) => source.includes(old) && name === (file ?? name),
    );
    const [[name, source] = ['', '']] = places;
    if (places.length !== 1 || source.split(old).length !== 2)
      throw new Error(`${what}: its old text must stand once; it is in ${places.length} files.`);
    return { ...givenFault(name, source, source.indexOf(old), old, into), what };
  });
}

/** A copy of the project with every fault in it, turned off, built. */
function makeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  for (const path of git('ls-files', '--cached', '--others', '--exclude-standard')) {
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(copy, path));
  }
  for (const [file, source] of sources) {
    const here = new Map([...faults].filter(([, fault]) => fault.file === file));
    writeFileSync(join(copy, file), planted(source, here));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  if (!existsSync(join(folder, 'shared')))
    symlinkSync(join(ROOT, '../shared'), join(folder, 'shared'));
  const build = ['--import', 'tsx', 'scripts/build.ts'];
  execFileSync(process.execPath, build, { cwd: copy, stdio: ['ignore', 2, 2] });
}

/** Of each test file: its seconds, whether it passed. */
type Files = ReadonlyMap<string, { readonly seconds: number; readonly passed: boolean }>;
let runs = 0;

/** Runs test files of the copy until one fails, or all; ends everything that it started. */
async function runTests(tests: readonly string[], most: number, env: Record<string, string>) {
  const own = join(folder, `run-${process.pid}-${++runs}`);
  mkdirSync(own, { recursive: true });
  const json = join(own, 'report.json');
  const args = ['run', '--config', 'scripts/mutants/vitest.config.ts', '--root', '.', ...tests];
  args.push('--reporter=json', `--outputFile=${json}`, ...(tests.length > 0 ? ['--bail=1'] : []));
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
    ...{ cwd: copy, detached: true, stdio: 'ignore' },
    env: { ...process.env, ...env, TMPDIR: own, DRUMLIN_FAULT_TESTS: tests.join('\n') },
  });
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // All have ended.
    }
  };
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    end();
  }, most * 1000);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(late);
  end();
  const { testResults = [] } = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : {};
  rmSync(own, { recursive: true, force: true });
  const files: Files = new Map(
    testResults.map(({ name, startTime, endTime, status }: Record<string, never>) => [
      relative(copy, name),
      { seconds: (endTime - startTime) / 1000, passed: status === 'passed' },
    ]),
  );
  const all = testResults.flatMap((each: Record<string, never>) => each.assertionResults);
  const first = all.find(({ status }: { status: string }) => status === 'failed');
  isLate ||= /timed out in \d+ms/.test(first?.failureMessages ?? '');
  return { code, isLate, files, failed: first?.fullName as string | undefined };
}

const folder = join(
  tmpdir(),
  `drumlin-mutants-${values.list ? 'list' : values.seed}-${values.count}`,
);
const copy = join(folder, 'copy');
const [hitsFile, suiteFile] = ['hits.tsv', 'suite.json'].map((name) => join(folder, name));
const results = values.file ?? join(folder, 'results.jsonl');
const chosen = values.list
  ? listed(values.list)
  : sampled(Number(values.count), Number(values.seed));
const faults = new Map(chosen.map((fault, i) => [i + 1, fault]));
const keyOf = ({ file, line, from, to }: Fault) => `${file}:${line} ${from} => ${to}`;

if (!existsSync(suiteFile)) {
  say(`Planting ${faults.size} faults, and running every test once without them.`);
  makeCopy();
  writeFileSync(hitsFile, '');
  const { files } = await runTests([], 5400, { DRUMLIN_FAULT_HITS: hitsFile });
  if (files.size === 0) throw new Error(`The tests do not run in ${copy}.`);
  writeFileSync(suiteFile, JSON.stringify([...files]));
}
const suite: Files = new Map(JSON.parse(readFileSync(suiteFile, 'utf8')));
for (const [path, { passed }] of suite)
  if (!passed) say(`fails by itself, judges nothing: ${path}`);
const reachedBy = new Map<number, Set<string>>();
for (const line of readFileSync(hitsFile, 'utf8').split('\n')) {
  const [id, path = ''] = line.split('\t');
  reachedBy.set(Number(id), (reachedBy.get(Number(id)) ?? new Set()).add(relative(copy, path)));
}

/** How many folders two files have in common: test/a/b.test.ts and src/a/c.ts have one. */
function nearness(test: string, file: string): number {
  const [a, b] = [test, file].map((path) => dirname(path).split('/').slice(1));
  const differs = a.findIndex((name, i) => name !== b[i]);
  return differs < 0 ? a.length : differs;
}

/** The tests that reach the fault, nearest and fastest first, as many as the time allows. */
function testsOf(id: number, { file, atLoad }: Fault): string[] {
  const reached = reachedBy.get(id);
  const seconds = (path: string) => suite.get(path)?.seconds ?? 0;
  let sum = 0;
  return [...suite]
    .filter(
      ([path, { passed }]) =>
        passed && (reached?.has(path) ?? (atLoad && nearness(path, file) > 0)),
    )
    .map(([path]) => path)
    .sort((a, b) => nearness(b, file) - nearness(a, file) || seconds(a) - seconds(b))
    .filter((path, i) => {
      sum += seconds(path);
      return i < 3 || sum <= Number(values['most-seconds']);
    });
}

async function judge(id: number, fault: Fault): Promise<Outcome> {
  const { kind, file, line, from, to, what } = fault;
  const tests = testsOf(id, fault);
  const about = { key: keyOf(fault), kind, file, line, from, to, what, tests: tests.length };
  if (tests.length === 0) return { ...about, outcome: 'unreached', seconds: 0 };
  const began = Date.now();
  const expected = tests.reduce((sum, path) => sum + (suite.get(path)?.seconds ?? 0), 0);
  const { isLate, code, failed } = await runTests(tests, 90 + 5 * expected, {
    DRUMLIN_FAULT: String(id),
  });
  const outcome = isLate ? 'timeout' : code === 0 ? 'survived' : 'found';
  return { ...about, outcome, seconds: (Date.now() - began) / 1000, by: failed };
}

const lines = existsSync(results) ? readFileSync(results, 'utf8').split('\n').filter(Boolean) : [];
const known = new Map(
  lines.map((line) => JSON.parse(line) as Outcome).map((each) => [each.key, each]),
);
const waiting = [...faults].filter(([, fault]) => !known.has(keyOf(fault)));
const work = async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const outcome = await judge(...next);
    known.set(outcome.key, outcome);
    appendFileSync(results, `${JSON.stringify(outcome)}\n`);
    say(
      `${outcome.outcome} ${outcome.file}:${outcome.line} ${outcome.kind} (${waiting.length} left)`,
    );
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
console.log(report(chosen.flatMap((fault) => known.get(keyOf(fault)) ?? [])));
