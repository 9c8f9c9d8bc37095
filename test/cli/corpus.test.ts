/** `drumlin corpus` as a program: threads, kills, and errors in one line. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { killExports } from '../../soak/corpus.ts';
import { writeCrawl } from '../corpus/lab-archive.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const BIN = join(import.meta.dirname, '../../bin/drumlin');
const drumlin = (...args: string[]) =>
  spawnSync(process.execPath, [BIN, 'corpus', ...args], { encoding: 'utf8' });

const PAGES = Array.from({ length: 20 }, (_, n) => ({
  url: `http://site${n % 3}.example/${n}`,
  body: Buffer.from(
    `<main><p>${`This is sentence ${n} of a page with some words. `.repeat(9)}</p></main>`,
  ),
}));

describe('drumlin corpus', () => {
  test('writes the same bytes with one thread and with two', async () => {
    const folder = temporaryFolder();
    const crawl = join(folder, 'crawl');
    await writeCrawl(crawl, PAGES, { agents: 2 });
    const sizes = ['--segment', '1500', '--part', '1500', '--row-group', '4k'];
    for (const threads of ['1', '2']) {
      const { status, stderr } = drumlin(
        ...['export', crawl, '--out', join(folder, threads), '--threads', threads, ...sizes],
      );
      expect(status, stderr).toBe(0);
      expect(stderr).toContain('20 rows of 20 pages');
    }
    const names = readdirSync(join(folder, '1'));
    expect(names.length).toBeGreaterThan(3);
    expect(readdirSync(join(folder, '2'))).toEqual(names);
    for (const name of names) {
      const [one, two] = ['1', '2'].map((threads) => readFileSync(join(folder, threads, name)));
      expect(one.equals(two), name).toBe(true);
    }
  });

  test('killed at random moments ends with the bytes of a quiet run', async () => {
    const report = await killExports({ kills: 4, pages: 60, seed: 7 });
    expect(report.files).toBeGreaterThan(3);
    expect(report.differing).toEqual([]);
  });

  test('lists the columns and the presets', () => {
    const text = execFileSync(process.execPath, [BIN, 'corpus', 'columns'], { encoding: 'utf8' });
    expect(text).toMatch(/near_duplicate_of/);
    expect(text).toMatch(/--preset gopher:\n {2}duplicate_lines <= 0.3/);
  });

  test.each([
    [['export', '/nowhere', '--out', '/tmp/x'], 5, /nowhere/],
    [['export', '/nowhere', '--out', '/tmp/x', '--where', 'wrods > 1'], 2, /Did you mean "words"/],
    [['export', '/nowhere', '--out', '/tmp/x', '--mask', 'email'], 2, /Did you mean "emails"/],
    [['export', '/nowhere', '--out', '/tmp/x', '--similarity', '2'], 2, /0\.75/],
  ])('refuses %j with a remedy', (args, code, words) => {
    const { status, stderr } = drumlin(...args);
    expect(status, stderr).toBe(code);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
