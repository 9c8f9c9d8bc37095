/** `drumlin filter` as a user sees it, and filters of a crawl whose agents run in threads. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linking, type SmallSite, startSmallSite } from '../../crawl/small-site.ts';

const BIN = join(import.meta.dirname, '../../../bin/drumlin');
let site: SmallSite;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-filter-'));
  site = await startSmallSite({
    '/': linking('/blog/1', '/shop/1', '/blog/2'),
    '/blog/1': linking('/shop/2'),
  });
});
afterAll(async () => {
  await site.close();
  rmSync(dir, { recursive: true, force: true });
});

function drumlin(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: dir });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

describe('drumlin filter', () => {
  test('list prints every predicate with an example', async () => {
    const { code, out } = await drumlin('filter', 'list', '--json');
    expect(code).toBe(0);
    const predicates = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(predicates.length).toBeGreaterThan(40);
    const text = (await drumlin('filter', 'list')).out;
    for (const { example, doc } of predicates) expect(text).toContain(`  ${example}\n      ${doc}`);
  });

  test('test prints what decided, and exits with 7 when a URL is rejected', async () => {
    writeFileSync(join(dir, 'blocked.txt'), '.example.edu\n');
    const { code, out } = await drumlin(
      ...['filter', 'test', '(HostEndsWith(.edu) and not InList(blocked.txt)) or PathDepth < 2'],
      ...['https://example.edu/a/b/c', 'https://mit.edu/a/b/c'],
    );
    expect(code).toBe(7);
    expect(out).toBe(
      [
        'rejected    https://example.edu/a/b/c',
        `            InList(${join(dir, 'blocked.txt')}) is true`,
        '            PathDepth is 3',
        'accepted    https://mit.edu/a/b/c',
        '            HostEndsWith(.edu) is true',
        `            InList(${join(dir, 'blocked.txt')}) is false`,
        '',
      ].join('\n'),
    );
    const depends = await drumlin('filter', 'test', 'Status == 200', 'http://a.test/');
    expect(depends).toMatchObject({ code: 0, err: '' });
    expect(depends.out).toContain(
      'undecided   http://a.test/\n            Status == 200 is not known from the URL alone',
    );
  });

  test('points at the error', async () => {
    const { code, err } = await drumlin(
      'filter',
      'test',
      'HasQuery and Staus == 200',
      'http://a.test/',
    );
    expect(code).toBe(2);
    expect(err).toBe(
      'drumlin: Column 14 of the filter: there is no predicate "Staus". Did you mean "Status"?\n  HasQuery and Staus == 200\n               ^\n',
    );
  });

  test('agents in threads use predicates of a module and lists; set and show work on the folder', async () => {
    writeFileSync(
      join(dir, 'mine.mjs'),
      "export const IsBlog = ({ url }) => url.includes('/blog/');\n",
    );
    writeFileSync(join(dir, 'blocked.txt'), `${site.origin}/blog/2\n`);
    writeFileSync(join(dir, 'fetch.filter'), '# from a file\nnot\n  InList(blocked.txt)\n');
    const flags = ['--allow-private', '--delay', '0', '--agents', '2', '--dir', 'c', '--json'];
    const first = await drumlin(
      ...['crawl', `${site.origin}/`, ...flags, '--predicates', 'mine.mjs'],
      ...['--schedule-filter', 'IsBlog', '--fetch-filter', '@fetch.filter'],
    );
    expect(first.err).not.toContain('drumlin:');
    expect(JSON.parse(first.out)).toMatchObject({
      pages: 2,
      refused: { 'schedule-filter': 2, 'fetch-filter': 1 },
    });
    expect(readFileSync(join(dir, 'c/filters.txt'), 'utf8')).toBe(
      `schedule: IsBlog\nfetch: not InList(${join(dir, 'blocked.txt')})\n`,
    );
    const set = await drumlin('filter', 'set', 'c', 'fetch', 'not IsBlog and PathDepth<5');
    expect(set).toMatchObject({ code: 0, err: '' });
    expect(set.out).toContain('fetch: not IsBlog and PathDepth < 5\n');
    expect((await drumlin('filter', 'show', 'c')).out).toContain(
      'schedule: IsBlog\nfetch: not IsBlog and PathDepth < 5\n',
    );
    const bad = await drumlin('filter', 'set', 'c', 'fetch', 'Status == 200');
    expect(bad.code).toBe(2);
    expect(bad.err).toContain('Status is not known before a URL is fetched');
    expect((await drumlin('filter', 'set', 'c', 'fetsh', 'true')).err).toContain(
      'Did you mean "fetch"?',
    );
    expect((await drumlin('filter', 'set', 'nowhere', 'fetch', 'true')).code).toBe(5);
  });
});
