/** Commands whose output nobody reads any more, with real processes and real pipes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commandTree } from '../../src/cli/commands/completion-tree.ts';
import { createProgram, WORKING } from '../../src/cli/program.ts';
import { linking, type SmallSite, startSmallSite } from '../crawl/small-site.ts';

const BIN = join(import.meta.dirname, '../../bin/drumlin');
const PAGES = 41;
let site: SmallSite;
let dir: string;

beforeAll(async () => {
  const paths = Array.from({ length: PAGES - 1 }, (_, i) => `/${i}`);
  site = await startSmallSite({
    '/': linking(...paths),
    ...Object.fromEntries(paths.map((path) => [path, linking('/')])),
  });
});
afterAll(() => site.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-closed-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Ended {
  /** Exit codes of all commands of the pipeline. */
  readonly codes: number[];
  readonly out: string;
  readonly err: string;
}

/** Runs a pipeline in which `drumlin` is our program; its exit codes are printed at the end. */
function bash(pipeline: string): Promise<Ended> {
  const script = `drumlin() { "${process.execPath}" "${BIN}" "$@"; }
${pipeline}
echo "codes \${PIPESTATUS[@]}" > codes`;
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', script], { cwd: dir });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('close', () => {
      const codes = readFileSync(join(dir, 'codes'), 'utf8').trim().split(' ').slice(1).map(Number);
      resolve({ codes, out, err });
    });
  });
}

const crawl = (...flags: string[]) =>
  [
    'drumlin crawl',
    `${site.origin}/`,
    '--allow-private --delay 0 --agents 1 --dir c',
    ...flags,
  ].join(' ');

/** Errors among the lines printed. */
const complaints = (err: string) =>
  err.split('\n').filter((line) => /^drumlin:|^\s+at |Error/.test(line));

function status(): object {
  return JSON.parse(readFileSync(join(dir, 'c/status.json'), 'utf8'));
}

describe('a crawl', () => {
  test.each([
    ['whose two outputs have no reader', (flags: string) => `${crawl(flags)} 2>&1 | true`],
    [
      'whose errors have no reader',
      (flags: string) => `{ ${crawl(flags)} 2>&1 >/dev/null; } | true`,
    ],
    ['that is piped into head', (flags: string) => `${crawl(flags)} 2>&1 | head -1`],
    ['without standard error', (flags: string) => `${crawl(flags)} 2>&-`],
  ])('%s is finished, and so is one that is resumed', async (_what, pipeline) => {
    expect((await bash(pipeline('--max-pages 5'))).codes[0]).toBe(6);
    const { codes, err } = await bash(pipeline('--max-pages 1000'));
    expect([codes[0], complaints(err)]).toEqual([0, []]);
    expect(status()).toMatchObject({ state: 'ended', summary: { end: 'finished', urlsQueued: 0 } });
  });

  test('that cannot write its summary is finished, and exits with 4', async () => {
    const { codes, err } = await bash(`${crawl('--json')} > /dev/full`);
    expect(codes).toEqual([4]);
    expect(complaints(err)).toEqual(['drumlin: Cannot write to standard output (ENOSPC).']);
    expect(status()).toMatchObject({ state: 'ended', summary: { end: 'finished', urlsQueued: 0 } });
  });
});

describe('the reader of a command that prints leaves', () => {
  test.each([
    ['archive list c', 0],
    ['config', 0],
    ['help', 0],
    ['web truth --domains 20k', 0],
    ['no-such-command', 2],
  ])('%s ends quietly', async (command, code) => {
    if (command.startsWith('archive')) await bash(crawl('--quiet'));
    const { codes, err } = await bash(
      `drumlin ${command} 2>errors | true; code=\${PIPESTATUS[0]}; (exit $code)`,
    );
    expect(codes).toEqual([code]);
    expect(err).toBe('');
    if (code === 0) expect(readFileSync(join(dir, 'errors'), 'utf8')).toBe('');
  });
});

test('work that writes files is finished even if its output has no reader', async () => {
  await bash(crawl('--quiet'));
  const [warc] = readdirSync(join(dir, 'c/archive'));
  const { codes, err } = await bash(`drumlin archive wacz c --out c.wacz 2>&1 | true`);
  expect([codes[0], err]).toEqual([0, '']);
  expect([existsSync(join(dir, 'c.wacz')), warc]).toEqual([true, expect.any(String)]);
});

test('the commands that continue without their output exist', () => {
  const paths = commandTree(createProgram()).map(({ path }) => path);
  expect(WORKING.filter((path) => !paths.includes(path))).toEqual([]);
});
