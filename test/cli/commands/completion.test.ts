/** Completion in bash: the tests source the script and ask as the Tab key does. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leftOut, needs } from '../../left-out.ts';

const BIN = join(import.meta.dirname, '../../../bin/drumlin');
const script = (shell: string): string =>
  execFileSync(process.execPath, [BIN, 'completion', shell], { encoding: 'utf8' });
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

let dir: string;
let bash: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-completion-'));
  mkdirSync(join(dir, 'my crawl'));
  writeFileSync(join(dir, 'seeds.txt'), '');
  bash = script('bash');
});
afterAll(() => rmSync(dir, { recursive: true }));

/** The words that bash offers while the last of these words is typed. */
function complete(...words: string[]): string[] {
  const program = `${bash}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drumlin; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', program, 'bash', 'drumlin', ...words], {
    cwd: dir,
    encoding: 'utf8',
  });
  return out.split('\n').filter(Boolean);
}

describe.skipIf(leftOut(needs.program('bash')))('in bash', () => {
  test('commands and subcommands are completed', () => {
    expect(complete('cr')).toEqual(['crawl']);
    expect(complete('st')).toEqual(['status']);
    expect(complete('')).toEqual(
      expect.arrayContaining(['crawl', 'status', 'report', 'doctor', 'completion', 'domains']),
    );
    expect(complete('domains', 's')).toEqual(expect.arrayContaining(['set']));
    expect(complete('graph', '')).toEqual(expect.arrayContaining(['build', 'import']));
  });

  test('flags are those of the command', () => {
    expect(complete('crawl', '--max-p')).toEqual([
      '--max-pages',
      '--max-pages-per-host',
      '--max-pages-per-domain',
    ]);
    expect(complete('status', '--')).toEqual(['--watch', '--json', '--help']);
    expect(complete('domains', 'set', 'example.com', '--b')).toEqual(['--budget', '--block']);
  });

  test('values are those that a flag accepts: words, folders or files', () => {
    expect(complete('crawl', '--order', '')).toEqual(['budget', 'bfs']);
    expect(complete('crawl', 'http://x/', '--scope', 'pr')).toEqual(['prefix']);
    expect(complete('domains', '--sort', 'f')).toEqual(['fetched']);
    expect(complete('crawl', '--delays', 's')).toEqual(['seeds.txt']);
    expect(complete('crawl', '--max-pages', '')).toEqual([]);
    expect(complete('status', '').join(' ')).toBe('my crawl');
    expect(complete('crawl', 'se')).toEqual(['seeds.txt']);
  });
});

describe('the scripts', () => {
  test.each([
    'zsh',
    'fish',
  ])('of %s name every command, and the shell can parse them if it is installed', (shell) => {
    const text = script(shell);
    for (const name of ['crawl', 'status', 'doctor', 'max-pages', 'watch'])
      expect(text).toContain(name);
    if (!has(shell)) return;
    const path = join(dir, `drumlin.${shell}`);
    writeFileSync(path, text);
    expect(spawnSync(shell, ['-n', path], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  test.skipIf(leftOut(needs.program('fish')))(
    'of fish complete the same words as those of bash',
    () => {
      writeFileSync(join(dir, 'drumlin.fish'), script('fish'));
      const ask = (line: string) =>
        execFileSync('fish', ['-c', `source drumlin.fish; complete -C "${line}"`], {
          cwd: dir,
          encoding: 'utf8',
        })
          .split('\n')
          .map((offer) => offer.split('\t')[0])
          .filter(Boolean);
      expect(ask('drumlin cr')).toEqual(['crawl']);
      expect(ask('drumlin crawl --order b')).toEqual(['bfs', 'budget']);
      expect(ask('drumlin domains set example.com --bl')).toEqual(['--block']);
    },
  );

  test('of another shell are rejected', () => {
    const { status, stderr } = spawnSync(process.execPath, [BIN, 'completion', 'csh'], {
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toContain('bash, zsh, fish');
  });
});
