import { expect, test } from 'vitest';
import { cliPage } from '../../scripts/pages/cli.ts';
import { commandTree } from '../../src/cli/commands/completion-tree.ts';
import { createProgram } from '../../src/cli/program.ts';

test('the page has every command and every flag', () => {
  const page = cliPage();
  for (const { path, flags } of commandTree(createProgram())) {
    if (path === '') continue;
    expect(page).toContain(`### drumlin ${path}\n`);
    for (const { name } of flags) if (name !== '--help') expect(page, path).toContain(name);
  }
});
