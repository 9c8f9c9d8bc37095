/**
 * Millions of queued URLs at hosts of all sizes: the backlog, and the alternatives: the two queues
 * that IRLbot's authors began with, LevelDB, LMDB.
 *
 *   npm run bench -- backlog [--urls 1M] [--hosts 100k] [--memory 16Mi] [--take 8]
 *                            [--rounds 20] [--only backlog,lmdb]
 *
 * Each contender runs in its own process: it adds all URLs of the same seeded stream, then hands
 * out at most `--take` of each host in every round, the oldest first. Making the URLs is in the
 * time of adding ("nothing" shows how much that is). Bytes are those of the system's read and write
 * calls; what LMDB and LevelDB map into memory is not counted. "to the end" continues until nothing
 * is left; for the two queues that is computed, because it would take too long.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseBytes, parseCount } from '../src/base/units.ts';
import type { Result, Task } from './peers/backlog/contender.ts';
import { UrlStream } from './peers/backlog/url-stream.ts';

const TO_THE_END = 'backlog to the end';
const ALL = ['nothing', 'backlog', TO_THE_END, 'two queues', 'leveldb', 'lmdb'];
const INSTALLED = ['leveldb', 'lmdb'];
const FOLDER = join(import.meta.dirname, 'peers', 'backlog');
/** The stores that the sieve is compared with. */
const STORES = join(import.meta.dirname, 'peers', 'sieve');

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      urls: { type: 'string', default: '1M' },
      hosts: { type: 'string', default: '100k' },
      memory: { type: 'string', default: '16Mi' },
      take: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '20' },
      only: { type: 'string' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const names = values.only?.split(',') ?? ALL;
  if (names.some((name) => INSTALLED.includes(name))) installStores();
  const task = {
    urls: parseCount(values.urls),
    hosts: parseCount(values.hosts),
    memory: parseBytes(values.memory),
    perRound: parseCount(values.take),
  };
  print(
    `${formatCount(task.urls)} URLs of ${formatCount(task.hosts)} hosts by Zipf's law; ${values.take} a host and round; memory ${values.memory}`,
  );
  print(HEADINGS);
  for (const name of names) {
    const isToTheEnd = name === TO_THE_END;
    const result = await runContender({
      ...task,
      name: isToTheEnd ? 'backlog' : name,
      rounds: isToTheEnd ? 2 ** 32 : parseCount(values.rounds),
      folder: mkdtempSync(join(values.dir, 'drumlin-bench-')),
    });
    print(line(name, result));
  }
  if (names.includes('two queues')) print(copiesOfTwoQueues(task));
}

function installStores(): void {
  if (existsSync(join(STORES, 'node_modules'))) return;
  print('installing the peers (SQLite is compiled)');
  const options = { cwd: STORES, stdio: 'inherit' as const };
  execFileSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], options);
}

function runContender(task: Task): Promise<Result> {
  const args = ['--import', 'tsx', join(FOLDER, 'contender.ts'), JSON.stringify(task)];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 24 }, (error, stdout) => {
      if (error) reject(error);
      else resolve(JSON.parse(stdout) as Result);
    });
  });
}

const COLUMNS = [18, 12, 11, 12, 8, 11, 9, 9];
const HEADINGS = columns([
  'contender',
  'added/s core',
  'taken',
  'taken/s core',
  'rounds',
  'written/URL',
  'read/URL',
  'peak RSS',
]);

function line(name: string, { added, taken, rounds, peakRss }: Result): string {
  return columns([
    name,
    formatCount(added.urls / added.cpuSeconds),
    ...(taken.urls > 0
      ? [formatCount(taken.urls), formatCount(taken.urls / taken.cpuSeconds), formatCount(rounds)]
      : ['', '', '']),
    ((added.written + taken.written) / added.urls).toFixed(0),
    ((added.read + taken.read) / added.urls).toFixed(0),
    formatBytes(peakRss),
  ]);
}

/**
 * How often two queues would copy a URL until nothing is left: in every round they copy all URLs
 * that are not handed out.
 */
function copiesOfTwoQueues({
  urls,
  hosts,
  perRound,
}: Pick<Task, 'urls' | 'hosts' | 'perRound'>): string {
  const stream = new UrlStream(hosts);
  for (let i = 0; i < urls; i++) stream.next();
  let copies = 0;
  for (const count of stream.counts) {
    const rounds = Math.floor(count / perRound);
    copies += rounds * count - (perRound * rounds * (rounds + 1)) / 2;
  }
  return `to the end two queues would copy every URL ${formatCount(copies / urls)} times`;
}

function columns(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i === 0 ? cell.padEnd(COLUMNS[i]) : cell.padStart(COLUMNS[i])))
    .join(' ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
