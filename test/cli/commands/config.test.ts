/** `drumlin config`, and a crawl with all its settings in drumlin.yaml. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { linking, type SmallSite, startSmallSite } from '../../crawl/small-site.ts';

const BIN = join(import.meta.dirname, '../../../bin/drumlin');
let dir: string;
let site: SmallSite;

beforeAll(async () => {
  site = await startSmallSite({ '/': linking('/a', '/b'), '/a': linking('/'), '/b': linking('/') });
});
afterAll(() => site.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-config-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function drumlin(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: dir,
      env: { ...process.env, ...env },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

describe('drumlin config', () => {
  test('prints the source of each value', async () => {
    writeFileSync(
      join(dir, 'drumlin.yaml'),
      'max-pages: 5\ndelay: 1s\nproxy: http://me:secret@proxy.test\ngzip: 2\n',
    );
    const args = ['config', '--delay', '3s'];
    const { out, code } = await drumlin(args, { DRUMLIN_DELAY: '2s', DRUMLIN_GZIP: '3' });
    expect(code).toBe(0);
    expect(out).toMatch(/^max-pages +5 +drumlin\.yaml:1$/m);
    expect(out).toMatch(/^delay +3\.0 s +--delay$/m);
    expect(out).toMatch(/^gzip +3 +DRUMLIN_GZIP$/m);
    expect(out).toMatch(/^scope +any +default$/m);
    expect(out).not.toContain('secret');
    const { config, sources } = JSON.parse(
      (await drumlin(['config', '--json', '--config', ''])).out,
    );
    expect(config).toMatchObject({ maxPages: null, delay: 4000 });
    expect(sources.delay).toBe('default');
  });

  test('prints a file with the same settings', async () => {
    writeFileSync(
      join(dir, 'mine.yaml'),
      (await drumlin(['config', '--yaml', '--delay', '3s', '--types', 'text/*'])).out,
    );
    const { out } = await drumlin(['config', '--config', 'mine.yaml']);
    expect(out).toMatch(/^delay +3\.0 s +mine\.yaml:\d+$/m);
    expect(out).toMatch(/^types +text\/\* +mine\.yaml:\d+$/m);
    expect(out).toMatch(/^gzip +1 +default$/m);
  });

  test('rejects a wrong line by its number, and a missing file', async () => {
    writeFileSync(join(dir, 'drumlin.yaml'), 'delay: 1s\nmax-pagse: 5\n');
    expect(await drumlin(['config'])).toEqual({
      code: 2,
      out: '',
      err: 'drumlin: drumlin.yaml:2: There is no setting "max-pagse". Did you mean "max-pages"?\n',
    });
    expect((await drumlin(['config', '--config', 'no.yaml'])).err).toContain(
      'no.yaml does not exist',
    );
    expect((await drumlin(['config', '--config', ''], { DRUMLIN_DELAY: '5x' })).err).toContain(
      'DRUMLIN_DELAY: delay: "5x" is not a time',
    );
  });
});

test('a crawl reads seeds and settings from drumlin.yaml, and reads the file again on resume', async () => {
  const file = (extra: string) =>
    writeFileSync(
      join(dir, 'drumlin.yaml'),
      `seeds: ${site.origin}/\nallow-private: true\ndelay: 0\ndir: c\nagents: 1\n${extra}`,
    );
  file('max-pages: 1\n');
  expect(JSON.parse((await drumlin(['crawl', '--json'])).out)).toMatchObject({
    pages: 1,
    end: 'max-pages',
  });
  file('');
  expect((await drumlin(['config'])).out).toMatch(/^max-pages +1 +crawl\.json$/m);
  file('max-pages: none\n');
  expect(JSON.parse((await drumlin(['crawl', '--json'])).out)).toMatchObject({
    pages: 2,
    end: 'finished',
  });
});
