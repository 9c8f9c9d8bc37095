/**
 * `npm run test:loaded -- 5`: the test suite several times, on a machine that is busy with other
 * work, each time in another order of files.
 *
 *   npm run test:loaded -- [runs] [files …] [--loops n] [--seed n] [--file path]
 *
 * Idea      Processes that only count in a loop take the processor from the tests. What passes five
 *           times beside them in any order does not depend on luck.
 * Ensures   Each complete run adds one line of JSON to the file. Runs of this commit that are there
 *           already count, so that an interrupted series continues. The loops end with this
 *           process, however it ends.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

/** One line of the file. */
interface Run {
  readonly commit: string;
  /** Parts of names of test files; none: all. */
  readonly files: readonly string[];
  readonly loops: number;
  /** Repeats the order of files: `--seed`. */
  readonly seed: number;
  readonly node: string;
  readonly at: string;
  readonly seconds: number;
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Tests, and files that could not be run. */
  readonly failures: readonly string[];
}

/** What is used of Vitest's report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
/** It looks at times whether its parent is still there: it must not outlive a killed one. */
const LOOP = `
  const parent = process.ppid;
  for (let n = 0; n % 1e6 !== 0 || process.ppid === parent; n = (n + 1) % 1e9);
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    loops: { type: 'string', default: '4' },
    seed: { type: 'string' },
    file: { type: 'string', default: join(ROOT, 'node_modules/.cache/drumlin/loaded.jsonl') },
  },
});
const [runs = '1', ...files] = positionals;
const wanted = { runs: numberOf('runs', runs), loops: numberOf('loops', values.loops) };
const commit = commitOf();
const children = new Set<ChildProcess>();
endChildrenWithUs();

const done = readRuns().slice(0, wanted.runs);
if (done.length > 0) console.log(`${done.length} of ${wanted.runs} runs are in ${values.file}`);
while (done.length < wanted.runs) {
  const run = await runOnce(values.seed === undefined ? anySeed() : numberOf('seed', values.seed));
  mkdirSync(dirname(values.file), { recursive: true });
  appendFileSync(values.file, `${JSON.stringify(run)}\n`);
  done.push(run);
}
summarise(done);
process.exit(done.every(({ exitCode }) => exitCode === 0) ? 0 : 1);

async function runOnce(seed: number): Promise<Run> {
  const number = `run ${done.length + 1} of ${wanted.runs}`;
  console.log(`\n${number}: beside ${wanted.loops} busy loops, files in the order of seed ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-loaded-'));
  const report = join(folder, 'report.json');
  const loops = Array.from({ length: wanted.loops }, () => start(['-e', LOOP]));
  const began = Date.now();
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const exitCode = await endOf(
      start([VITEST, 'run', ...reporters, ...files], { DRUMLIN_FILE_ORDER: String(seed) }),
    );
    return {
      commit,
      files,
      loops: wanted.loops,
      seed,
      node: process.version,
      at: new Date(began).toISOString(),
      seconds: Math.round((Date.now() - began) / 1000),
      exitCode,
      ...resultsOf(report),
    };
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function resultsOf(path: string): Pick<Run, 'passed' | 'failed' | 'skipped' | 'failures'> {
  if (!existsSync(path)) return { passed: 0, failed: 0, skipped: 0, failures: ['no report'] };
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const failures = report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(ROOT, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [`${file}: did not run`];
    return failed.map(({ fullName }) => `${file}: ${fullName}`);
  });
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
    failures,
  };
}

function summarise(all: readonly Run[]): void {
  const load = wanted.loops === 0 ? 'nothing' : `${wanted.loops} busy loops`;
  console.log(`\n${all.length} runs of ${commit.slice(0, 12)} beside ${load}`);
  for (const { passed, failed, skipped, seconds, seed, exitCode } of all) {
    const word = exitCode === 0 ? 'green' : 'RED';
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
    console.log(`  ${word.padEnd(5)}  ${counts}, ${seconds} s, seed ${seed}`);
  }
  const times = new Map<string, number>();
  for (const name of all.flatMap(({ failures }) => failures))
    times.set(name, (times.get(name) ?? 0) + 1);
  for (const [name, count] of times) console.log(`  failed ${count} times: ${name}`);
}

/** The runs of this commit with these files and loops. A changed tree is like no other. */
function readRuns(): Run[] {
  if (!existsSync(values.file)) return [];
  const lines = readFileSync(values.file, 'utf8').split('\n').filter(Boolean);
  const same = (run: Run) =>
    run.commit === commit && run.loops === wanted.loops && run.files.join() === files.join();
  return lines.map((line) => JSON.parse(line) as Run).filter(same);
}

function commitOf(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const isChanged = git('status', '--porcelain') !== '';
    return `${git('rev-parse', 'HEAD').trim()}${isChanged ? `+${Date.now()}` : ''}`;
  } catch {
    return `no-commit+${Date.now()}`;
  }
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.add(child);
  child.once('close', () => children.delete(child));
  return child;
}

function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

/** A run that a signal ends is not written down: the next start makes it again. */
function endChildrenWithUs(): void {
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(signal, () => process.exit(code));
}

function anySeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function numberOf(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  console.error(`--${name} is a whole number, not ${text}.`);
  console.error('usage: npm run test:loaded -- [runs] [files …] [--loops n] [--seed n] [--file f]');
  process.exit(2);
}
