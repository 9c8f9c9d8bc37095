/** docs/reference/cli.md is what the program says about itself. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliPage } from '../../scripts/cli-page.ts';
import { commandTree } from '../../src/cli/commands/completion-tree.ts';
import { createProgram } from '../../src/cli/program.ts';

const PAGE = join(import.meta.dirname, '../../docs/reference/cli.md');

test('docs/reference/cli.md is what the program says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, cliPage());
  expect(readFileSync(PAGE, 'utf8')).toBe(cliPage());
});

test('the page has every command and every flag', () => {
  const page = cliPage();
  for (const { path, flags } of commandTree(createProgram())) {
    if (path === '') continue;
    expect(page).toContain(`### drumlin ${path}\n`);
    for (const { name } of flags) if (name !== '--help') expect(page, path).toContain(name);
  }
});
