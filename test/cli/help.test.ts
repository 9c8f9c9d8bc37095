/** What --help says: every command with examples, and every example can be typed. */
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandTree } from '../../src/cli/completion-tree.ts';
import { createProgram } from '../../src/cli/program.ts';

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
  )('"drumlin %s" has examples, of commands and flags that there are', (path) => {
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
      // The flags of a command above hold below it, too.
      const known = tree
        .filter((one) => one.path === at || at.startsWith(`${one.path} `))
        .flatMap(({ flags }) => flags.map(({ name }) => name));
      for (const word of words) if (word.startsWith('--')) expect(known, line).toContain(word);
    }
  });
});

/** After `drumlin`, up to where the shell takes over or a remark begins; what is between quotation marks is not ours. */
function wordsOf(line: string): string[] {
  const [typed] = line
    .replace(/^.*?drumlin /, '')
    .replace(/'[^']*'|"[^"]*"/g, 'quoted')
    .split(/ {2,}|[|<>)#]/);
  return typed.split(' ').filter(Boolean);
}
