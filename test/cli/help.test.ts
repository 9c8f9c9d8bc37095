/** The text of --help: every command has examples, and every example is valid. */
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/base/errors.ts';
import { commandTree } from '../../src/cli/commands/completion-tree.ts';
import { GROUPS } from '../../src/cli/input/setting-options.ts';
import { createProgram } from '../../src/cli/program.ts';
import { asTyped, typedName } from '../../src/cli/screen/as-typed.ts';
import { SETTING_ROWS } from '../../src/config/settings.ts';

const program = createProgram();
const tree = commandTree(program);

function helpOf(path: string): string {
  let command: Command = program;
  for (const name of path.split(' ').filter(Boolean)) {
    command = command.commands.find((one) => one.name() === name) ?? command;
  }
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part) });
  command.outputHelp();
  return parts.join('');
}

describe('the help of', () => {
  test.each(
    tree.map(({ path }) => [path]),
  )('"drumlin %s" has examples, of existing commands and flags', (path) => {
    const lines = helpOf(path)
      .split('\n')
      .filter((line) => /^ +(eval "\$\()?drumlin /.test(line));
    expect(lines.length).toBeGreaterThan(0);
    if (path !== '') expect(lines.some((line) => line.includes(`drumlin ${path}`))).toBe(true);
    for (const line of lines) {
      const words = wordsOf(line);
      let at = '';
      for (const word of words) {
        const next = `${at} ${word}`.trim();
        if (tree.some((one) => one.path === next)) at = next;
        else break;
      }
      expect(at, line).not.toBe('');
      // A subcommand accepts the flags of its parents, too.
      const known = tree
        .filter((one) => one.path === at || at.startsWith(`${one.path} `))
        .flatMap(({ flags }) => flags.map(({ name }) => name));
      for (const word of words) if (word.startsWith('--')) expect(known, line).toContain(word);
    }
  });
});

describe('hints', () => {
  test('know all commands, and spell them as the user can type them', () => {
    for (const { name } of program.commands.map((command) => ({ name: command.name() })))
      expect(asTyped(`Run "drumlin ${name} x".`, 'bin/drumlin')).toBe(
        `Run "bin/drumlin ${name} x".`,
      );
    expect(
      asTyped('drumlin: no. of drumlin 0.1, my-drumlin status, drumlin ▸ status', 'bin/drumlin'),
    ).toBe('drumlin: no. of drumlin 0.1, my-drumlin status, drumlin ▸ status');
  });

  test.each([
    ['/src/bin/drumlin', '/usr/bin', '/src', 'bin/drumlin'],
    ['/src/bin/drumlin', '/usr/bin:/src/bin', '/src', 'drumlin'],
    ['/src/bin/drumlin', '/usr/bin', '/elsewhere', 'drumlin'],
    ['/usr/lib/node_modules/.bin/drumlin', '/usr/bin', '/usr/lib', 'drumlin'],
  ])('%s with the search path %s, in %s, is %s', (path, searchPath, folder, name) => {
    expect(typedName(path, searchPath, folder)).toBe(name);
  });
});

test('every setting is in exactly one group of the help of crawl', () => {
  const grouped = GROUPS.flatMap(([, keys]) => keys);
  expect([...grouped].sort()).toEqual(SETTING_ROWS.map(([key]) => key).sort());
  const help = helpOf('crawl');
  for (const [heading] of GROUPS) expect(help).toContain(`\n${heading}\n`);
  expect(help.indexOf('--exclude')).toBeLessThan(help.indexOf('--sieve-memory'));
});

test('the top-level help names every exit code', () => {
  for (const code of Object.values(EXIT)) expect(helpOf('')).toMatch(new RegExp(`\\b${code} `));
});

/** The words after `drumlin`, up to shell syntax or a remark; quoted text is replaced. */
function wordsOf(line: string): string[] {
  const [typed] = line
    .replace(/^.*?drumlin /, '')
    .replace(/'[^']*'|"[^"]*"/g, 'quoted')
    .split(/ {2,}|[|<>)#]/);
  return typed.split(' ').filter(Boolean);
}
