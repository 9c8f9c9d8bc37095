/** The command line as a user or a script sees it: exit codes, one-line errors, the summary. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { linking, type SmallSite, startSmallSite } from '../../crawl/small-site.ts';

const BIN = join(import.meta.dirname, '../../../bin/drumlin');
let site: SmallSite;
let dir: string;

beforeAll(async () => {
  const paths = Array.from({ length: 40 }, (_, i) => `/${i}`);
  site = await startSmallSite({
    '/': linking(...paths),
    ...Object.fromEntries(paths.map((p) => [p, linking('/')])),
  });
});
afterAll(() => site.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-cli-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Asynchronous, because the crawled site is served by this process. */
function drumlin(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: dir });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

const LOCAL = ['--allow-private', '--delay', '0', '--agents', '1'];

describe('drumlin crawl', () => {
  test('prints one summary object with --json', async () => {
    const { code, out } = await drumlin(
      'crawl',
      `${site.origin}/`,
      ...LOCAL,
      '--dir',
      'c',
      '--json',
    );
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(out))).toEqual(
      expect.arrayContaining([
        ...[
          'pages',
          'bytes',
          'seconds',
          'cpuSeconds',
          'pagesPerCpuSecond',
          'maxRssBytes',
          'urlsSeen',
        ],
        ...['urlsUnique', 'hosts', 'domains', 'duplicates', 'errors'],
      ]),
    );
    expect(JSON.parse(out)).toMatchObject({ pages: 41, urlsUnique: 41, end: 'finished' });
  });

  test.each([
    ['--exclude', '*', 'all URLs were skipped'],
    ['--budget', 'equal(0)', 'all queued URLs belong to domains with budget 0'],
  ])('exits with 3 when %s %s lets no page through, and prints why', async (option, value, why) => {
    const { code, out, err } = await drumlin(
      'crawl',
      `${site.origin}/`,
      ...LOCAL,
      '--dir',
      'c',
      option,
      value,
    );
    expect(code).toBe(3);
    expect(out + err).toContain(why);
  });

  test.each([
    ['warc', 'archive'],
    ['files', 'pages'],
  ])('prints where pages are stored with --store %s, and they are there', async (store, folder) => {
    const { out } = await drumlin(
      'crawl',
      `${site.origin}/`,
      ...LOCAL,
      '--dir',
      'c',
      '--store',
      store,
    );
    expect(out).toMatch(new RegExp(`^  ${folder} +c/${folder}$`, 'm'));
    expect(existsSync(join(dir, 'c', folder))).toBe(true);
  });

  test('reads seeds from a file, and reports the line of a wrong one', async () => {
    writeFileSync(join(dir, 'seeds.txt'), `# our site\n\n${site.origin}/\n`);
    expect((await drumlin('crawl', 'seeds.txt', ...LOCAL, '--max-pages', '1')).code).toBe(6);
    writeFileSync(join(dir, 'bad.txt'), `${site.origin}/\ngopher://x/\n`);
    const { code, err } = await drumlin('crawl', 'bad.txt', ...LOCAL);
    expect(err).toBe(
      'drumlin: bad.txt:2: "gopher://x/" cannot be crawled: Only http and https URLs are crawled. Write it like http://example.org/ or https://example.org/page, or remove it.\n',
    );
    expect(code).toBe(2);
  });

  test('resumes a crawl by its folder alone', async () => {
    const first = await drumlin(
      'crawl',
      `${site.origin}/`,
      ...LOCAL,
      '--dir',
      'c',
      '--max-pages',
      '10',
    );
    expect(first.out).toContain('resume     drumlin crawl --dir c');
    const { out } = await drumlin('crawl', '--dir', 'c', '--max-pages', '1000', '--json');
    expect(JSON.parse(out)).toMatchObject({ pages: 31, urlsUnique: 41, urlsQueued: 0 });
  });

  test('exits with 3 when no page was fetched', async () => {
    const { code, out } = await drumlin(
      'crawl',
      'http://127.0.0.1:9/',
      '--contact',
      'me@example.org',
      '--json',
    );
    expect(code).toBe(3);
    expect(JSON.parse(out).errors).toEqual({ 'address-refused': 1 });
  });

  test.each([
    'SIGTERM',
    'SIGHUP',
  ] as const)('a second %s ends it at once, also while it stops, and loses nothing', async (signal) => {
    let stuck = true;
    const slow = await startSmallSite({
      '/': linking('/stuck', '/a', '/b'),
      '/stuck': (_, response) => void (stuck || response.end('page')),
      ...{ '/a': 'a', '/b': 'b' },
    });
    const args = ['crawl', `${slow.origin}/`, ...LOCAL, '--dir', 'c'];
    const child = spawn(process.execPath, [BIN, ...args], { cwd: dir });
    let err = '';
    child.stderr.on('data', (data) => {
      // The request under way has three seconds: the second signal comes sooner.
      if (!err.includes('again') && `${err}${data}`.includes('again')) child.kill(signal);
      err += data;
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    while (!slow.asked.includes('/stuck')) await new Promise((later) => setImmediate(later));
    child.kill(signal);
    expect(await ended).toBe(130);
    stuck = false;
    const { out } = await drumlin('crawl', '--dir', 'c', '--json');
    expect(JSON.parse(out)).toMatchObject({ urlsQueued: 0, end: 'finished' });
    expect(new Set(slow.asked)).toEqual(new Set(['/robots.txt', '/', '/stuck', '/a', '/b']));
    await slow.close();
  });

  test('stops cleanly on the first interrupt, and prints how to resume', async () => {
    const args = ['crawl', `${site.origin}/`, '--allow-private', '--delay', '5s', '--dir', 'c'];
    const child = spawn(process.execPath, [BIN, ...args], { cwd: dir });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const before = site.asked.length;
    while (site.asked.length === before) await new Promise((later) => setImmediate(later));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(err).toContain('Ctrl-C again stops at once');
    expect(out).toContain('resume     drumlin crawl --dir c');
    expect(existsSync(join(dir, 'c/agents/0/checkpoint.json'))).toBe(true);
  });
});

describe('drumlin rejects, in one line with the remedy,', () => {
  const refusals: [name: string, args: string[], line: RegExp][] = [
    ['no seeds', ['crawl'], /^drumlin: There is no URL to start from.*Name one or more/],
    [
      'an unreadable seed file',
      ['crawl', 'no-such-file'],
      /^drumlin: "no-such-file" is neither a URL nor a file\. Write URLs/,
    ],
    [
      'a bad number',
      ['crawl', 'http://x.test/', '--max-pages', 'many'],
      /^drumlin: max-pages: "many" is not a whole number\. Write it like/,
    ],
    [
      'a bad time',
      ['crawl', 'http://x.test/', '--delay', '10x'],
      /^drumlin: delay: "10x" is not a time\. Write it like/,
    ],
    [
      'no contact',
      ['crawl', 'http://x.test/'],
      /^drumlin: Sites on the public web .* Add --contact/,
    ],
    [
      'a contact that is neither URL nor e-mail address',
      ['crawl', 'http://x.test/', '--contact', 'me'],
      /^drumlin: "me" is neither a web address nor an e-mail/,
    ],
    [
      'an unwritable folder',
      ['crawl', 'http://x.test/', '--allow-private', '--dir', '/dev/null/crawl'],
      /^drumlin: \/dev\/null\/crawl .*--dir/,
    ],
    [
      'a file for a folder',
      ['crawl', 'http://x.test/', '--allow-private', '--dir', 'file'],
      /^drumlin: file .*\n$/,
    ],
    [
      'a name server that is not an address',
      ['crawl', 'http://x.test/', '--allow-private', '--dns', 'bogus'],
      /^drumlin: .*bogus/,
    ],
    [
      'no fetches',
      ['crawl', 'http://x.test/', '--fetches', '0'],
      /^drumlin: fetches: 0 is out of range\. Use 1 or more/,
    ],
    [
      'too little memory',
      ['crawl', 'http://x.test/', '--sieve-memory', '1'],
      /^drumlin: sieve-memory: 1 is out of range/,
    ],
    ['an unknown flag', ['crawl', '--frobnicate'], /^drumlin: unknown option '--frobnicate'/],
    ['an unknown command', ['frobnicate'], /^drumlin: unknown command 'frobnicate'/],
  ];
  test.each(refusals)('%s', async (_, args, line) => {
    writeFileSync(join(dir, 'file'), '');
    const { code, out, err } = await drumlin(...args);
    expect(err).toMatch(line);
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(out).toBe('');
    expect(code === 2 || code === 4 || code === 5).toBe(true);
    expect(readdirSync(dir)).toEqual(['file']);
  });
});

test('help names every command and gives examples', () => {
  const { stdout } = spawnSync(process.execPath, [BIN, '--help'], { encoding: 'utf8' });
  for (const command of ['crawl', 'demo', 'web', 'unique', 'plan'])
    expect(stdout).toMatch(new RegExp(`^ +${command} `, 'm'));
  const crawlHelp = spawnSync(process.execPath, [BIN, 'crawl', '--help'], {
    encoding: 'utf8',
  }).stdout;
  expect(crawlHelp).toContain('Examples:');
});
