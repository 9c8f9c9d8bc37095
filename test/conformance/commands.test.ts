/** Every command of the installed package has an effect, and prints its help. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SETTING_ROWS } from '../../src/config/settings.ts';
import { installPacked } from '../api/packed.ts';
import { leftOut, needs } from '../left-out.ts';
import { CHAPTERS } from './commands/chapters.ts';
import { commandOf, isOfSuite, missingCases } from './commands/coverage.ts';
import { runChapter } from './commands/step.ts';
import { type Reported, reportedTree } from './program.ts';
import { Stage } from './stage.ts';

const CHECKOUT = join(import.meta.dirname, '../../bin/drumlin');
const folder = mkdtempSync(join(tmpdir(), 'drumlin-installed-'));
const PROGRAM = join(installPacked(folder), 'node_modules/drumlin/bin/drumlin');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SETTINGS = SETTING_ROWS.map(([, { flag }]) => `--${flag}`);

let tree: Reported[];
beforeAll(async () => {
  tree = await reportedTree(PROGRAM);
});

test('the program reports all of its commands, and each prints its help', () => {
  expect(tree.length).toBeGreaterThan(70);
  for (const { path, help, flags } of tree) {
    expect(help, path).toMatch(new RegExp(`^Usage: \\S*drumlin ${path}\\b`));
    for (const flag of flags) expect(help, path).toContain(flag);
  }
});

const hasBroker = !leftOut(await needs.server('nats'));
const chapters = CHAPTERS.filter(({ name }) => hasBroker || name !== 'clusters');

test.concurrent.each(
  chapters.map((chapter) => [chapter.name, chapter] as const),
)('%s', async (_, chapter) => {
  // The packages of a cluster are optional: the checkout has them.
  const stage = await Stage.open(chapter.name === 'clusters' ? CHECKOUT : PROGRAM);
  try {
    expect(await runChapter(stage, chapter, isOfSuite)).toEqual([]);
  } finally {
    await stage.close();
  }
});

test('every command and every flag has a line that shows its effect', () => {
  expect(missingCases(tree, SETTINGS)).toEqual({ commands: [], flags: [] });
});

test('what a line shows stands in it', () => {
  for (const { run, shows } of CHAPTERS.flatMap(({ steps }) => steps)) {
    expect(commandOf(run, tree)).not.toBe('');
    for (const flag of Object.keys(shows)) expect(run).toContain(flag);
  }
});
