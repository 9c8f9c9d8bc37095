/**
 * Is a URL new? Checks a second, memory and bytes moved, of the sieve and of the alternatives:
 * LMDB, LevelDB, SQLite, a Set in memory.
 *
 *   npm run bench -- sieve [--urls 10M] [--memory 128Mi] [--disk 1Gi] [--limit 256Mi]
 *                          [--only drum,lmdb] [--curve] [--kernel]
 *
 * Each contender runs in its own process on the same seeded stream; making and hashing the URLs is
 * in its time ("nothing" shows how much that is). `--limit` puts each into a control group with
 * that much memory, file cache included. `--curve` measures the sieve alone, from empty, at 1, 3,
 * 10, 30 … million up to `--urls`. `--kernel` measures the steps of the work instead, in
 * WebAssembly and in JavaScript.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseBytes, parseCount } from '../src/base/units.ts';
import { drumOverhead, PAPER } from '../src/drum/cost-model.ts';
import type { Result, Task } from './peers/sieve/contender.ts';
import { limitMemory, type MemoryLimit } from './peers/sieve/memory-limit.ts';
import { URL_BYTES } from './peers/sieve/url-stream.ts';

const PEERS = ['lmdb', 'lmdb-urls', 'leveldb', 'sqlite', 'set'];
const ALL = ['nothing', 'drum', 'drum-no-cache', 'mercator', ...PEERS];
const FOLDER = join(import.meta.dirname, 'peers', 'sieve');

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      urls: { type: 'string', default: '10M' },
      memory: { type: 'string', default: '128Mi' },
      disk: { type: 'string', default: '1Gi' },
      limit: { type: 'string' },
      only: { type: 'string' },
      curve: { type: 'boolean', default: false },
      kernel: { type: 'boolean', default: false },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  if (values.kernel) return printKernel();
  const urls = parseCount(values.urls);
  const memory = parseBytes(values.memory);
  const disk = parseBytes(values.disk);
  const names = values.only?.split(',') ?? (values.curve ? ['drum', 'drum-no-cache'] : ALL);
  if (names.some((name) => PEERS.includes(name))) installPeers();
  const limit = values.limit ? limitMemory(parseBytes(values.limit)) : undefined;
  print(
    `URLs of ${URL_BYTES} bytes, one in nine new; memory ${values.memory}, disk ${values.disk} for waiting URLs`,
  );
  if (values.limit)
    print(
      limit ? `limited to ${values.limit} each` : 'no control group could be made: NOT limited',
    );
  print(HEADINGS);
  try {
    for (const count of values.curve ? curve(urls) : [urls]) {
      for (const name of names) {
        const folder = mkdtempSync(join(values.dir, 'drumlin-bench-'));
        const task: Task = { name, urls: count, memory, disk, folder };
        const result = await runContender(task, limit);
        print(typeof result === 'string' ? `${name.padEnd(14)} ${result}` : line(result, task));
      }
    }
  } finally {
    limit?.remove();
  }
}

async function printKernel(): Promise<void> {
  const { measureKernel } = await import('./peers/sieve/kernel.ts');
  print('ns a key          kernel   JavaScript');
  for (const { name, kernel, javascript } of measureKernel()) {
    print(
      `${name.padEnd(16)} ${(kernel?.toFixed(1) ?? '').padStart(7)} ${(javascript?.toFixed(1) ?? '').padStart(12)}`,
    );
  }
}

function curve(urls: number): number[] {
  const points: number[] = [];
  for (let n = 1e6; n < urls; n *= points.length % 2 === 1 ? 3 : 10 / 3) points.push(Math.round(n));
  return [...points, urls];
}

function installPeers(): void {
  if (existsSync(join(FOLDER, 'node_modules'))) return;
  print('installing the peers (SQLite is compiled)');
  execFileSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: 'inherit',
  });
}

function runContender(task: Task, limit: MemoryLimit | undefined): Promise<Result | string> {
  const script = join(FOLDER, 'contender.ts');
  const own = [process.execPath, '--import', 'tsx', script, JSON.stringify(task)];
  const [file, ...args] = limit ? limit.command(own) : own;
  return new Promise((resolve) => {
    execFile(file, args, { cwd: FOLDER, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error?.signal === 'SIGKILL' || error?.code === 137) resolve('killed: out of memory');
      else if (error)
        resolve(
          `failed: ${
            stderr
              .trim()
              .split('\n')
              .find((text) => text.includes('Error')) ?? error
          }`,
        );
      else resolve(JSON.parse(stdout) as Result);
    });
  });
}

const COLUMNS = [14, 13, 12, 12, 9, 9, 13, 11, 10, 8];
const HEADINGS = columns([
  'contender',
  'URLs',
  'checks/s',
  'per core',
  'peak RSS',
  'RSS ±',
  'passed cache',
  'bytes/URL',
  'predicted',
  'ratio',
]);

function line(result: Result, task: Task): string {
  if (result.name !== 'nothing' && result.novel !== result.distinct) {
    throw new Error(`${result.name} found ${result.novel} new URLs, there are ${result.distinct}`);
  }
  const settled = result.rss.slice(1);
  const spread = Math.max(...settled) - Math.min(...settled);
  const moved = (result.read ?? 0) + (result.written ?? 0);
  const predicted = result.passed ? predictedBytes(result, task) : 0;
  return columns([
    result.name,
    formatCount(result.urls),
    formatCount(result.urls / result.seconds),
    formatCount(result.urls / result.cpuSeconds),
    formatBytes(result.peakRss),
    formatBytes(spread),
    ...(result.passed
      ? [
          formatCount(result.passed),
          (moved / result.urls).toFixed(1),
          (predicted / result.urls).toFixed(1),
          (moved / predicted).toFixed(3),
        ]
      : []),
  ]);
}

/** Theorem 2 for the URLs that reached the disk, with the given disk space. */
function predictedBytes(result: Result, task: Task): number {
  const checked = result.passed ?? 0;
  const overhead = drumOverhead({
    ...PAPER,
    pages: checked,
    linksPerPage: 1,
    memory: task.memory,
    disk: task.disk,
    urlBytes: URL_BYTES,
    uniqueShare: result.novel / checked,
    seen: 0,
  });
  return overhead * URL_BYTES * checked;
}

function columns(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i === 0 ? cell.padEnd(COLUMNS[i]) : cell.padStart(COLUMNS[i])))
    .join(' ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
