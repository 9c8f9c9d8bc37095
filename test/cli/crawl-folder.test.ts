/** A crawl's folder on the command line: resume, locks, other versions, a full disk. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { archivedPages } from '../crawl/archived.ts';
import { linking, type SmallSite, startSmallSite } from '../crawl/small-site.ts';

const BIN = join(import.meta.dirname, '../../bin/drumlin');
const PATHS = ['/', ...Array.from({ length: 40 }, (_, i) => `/${i}`)];
let site: SmallSite;
let dir: string;

beforeEach(async () => {
  site = await startSmallSite(Object.fromEntries(PATHS.map((path) => [path, linking(...PATHS)])));
  dir = mkdtempSync(join(tmpdir(), 'drumlin-cli-folder-'));
});
afterEach(async () => {
  await site.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Asynchronous, because the crawled site is served by this process. `shell` is run first. */
function drumlin(args: string[], shell = ''): Promise<Ended> {
  const command = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ');
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', `${shell} exec ${command}`], { cwd: dir });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

const crawl = (...more: string[]) => [
  ...['crawl', `${site.origin}/`, '--dir', 'c', '--allow-private', '--delay', '0', '--agents', '2'],
  ...more,
];

describe('the folder of a crawl', () => {
  test('is resumed, and the output names the checkpoint', async () => {
    const first = await drumlin(crawl('--max-pages', '10'));
    expect(first.err).not.toContain('resuming');
    const second = await drumlin([
      'crawl',
      '--dir',
      'c',
      '--max-pages',
      '1000',
      '--agents',
      '3',
      '--json',
    ]);
    expect(second.err).toMatch(
      /^resuming from the checkpoint of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: 10 pages fetched, 31 queued\n/,
    );
    expect(JSON.parse(second.out)).toMatchObject({
      pages: 31,
      urlsUnique: 41,
      urlsQueued: 0,
      agents: 3,
    });
  });

  test('is rejected with --fresh when it holds a crawl, and stays as it is', async () => {
    await drumlin(crawl('--max-pages', '10', '--fresh'));
    const before = readFileSync(join(dir, 'c/crawl.json'), 'utf8');
    const { code, err, out } = await drumlin(crawl('--fresh'));
    expect({ code, err, out }).toEqual({
      code: 5,
      err: 'drumlin: c already holds a crawl. Choose another --dir, or remove --fresh to resume it.\n',
      out: '',
    });
    expect(readFileSync(join(dir, 'c/crawl.json'), 'utf8')).toBe(before);
  });

  test('must hold a crawl with --resume', async () => {
    const none = await drumlin(crawl('--resume'));
    expect(none).toEqual({
      code: 2,
      err: 'drumlin: There is no crawl in c to resume. Check --dir, or remove --resume to start one.\n',
      out: '',
    });
    await drumlin(crawl('--max-pages', '10'));
    const { code, err } = await drumlin(crawl('--resume', '--max-pages', '1000', '--json'));
    expect(code).toBe(0);
    expect(err).toMatch(/^resuming from the checkpoint of /);
    expect((await drumlin(crawl('--resume', '--fresh'))).code).toBe(2);
  });

  test('belongs to one process at a time, and the error names it', async () => {
    const running = spawn(process.execPath, [BIN, ...crawl('--delay', '10s')], {
      cwd: dir,
      stdio: 'ignore',
    });
    while (site.asked.length === 0) await new Promise((later) => setImmediate(later));
    const { code, err } = await drumlin(crawl());
    running.kill('SIGKILL');
    expect(code).toBe(5);
    expect(err).toContain(`drumlin: c is in use by process ${running.pid} on `);
    expect(err).toContain('Wait until it ends or choose another folder');
    await new Promise((gone) => running.on('close', gone));
    // The lock of a killed process does not count.
    expect((await drumlin(crawl('--json'))).code).toBe(0);
  });

  test('of another version is rejected by name', async () => {
    await drumlin(crawl('--max-pages', '10'));
    const { crc32: _, ...asked } = JSON.parse(readFileSync(join(dir, 'c/crawl.json'), 'utf8'));
    writeFileSync(
      join(dir, 'c/crawl.json'),
      JSON.stringify({ ...asked, format: 1, version: '0.0.9' }),
    );
    const { code, err } = await drumlin(crawl());
    expect(code).toBe(5);
    expect(err).toMatch(
      /^drumlin: The crawl in c was written by drumlin 0\.0\.9, .*choose another --dir/,
    );
  });

  test('stays consistent on a full disk, and is resumed when there is room', async () => {
    // The largest file size, in blocks of 512 bytes.
    const full = await drumlin(crawl('--checkpoint', '100ms'), 'ulimit -f 40;');
    expect(full.code).toBe(4);
    expect(full.err).toMatch(
      /drumlin: The disk has no room left for c\/.*Free some space and run the same command again/,
    );
    expect(full.out).toBe('');
    expect((await drumlin(crawl('--json'))).code).toBe(0);
    const archived = await archivedPages(join(dir, 'c'));
    expect(archived).toEqual(PATHS.map((path) => `${site.origin}${path}`).sort());
  });
});
