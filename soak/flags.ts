/**
 * `npm run soak -- flags [CHAPTER]`: runs every command of the program with every one of its flags,
 * in the built program, and names those without effect. The tables are those of `test/conformance`,
 * where the suite runs each command and each setting of a crawl once.
 */
import { join } from 'node:path';
import { SETTING_ROWS } from '../src/config/settings.ts';
import { CHAPTERS } from '../test/conformance/commands/chapters.ts';
import { missingCases } from '../test/conformance/commands/coverage.ts';
import { runChapter } from '../test/conformance/commands/step.ts';
import { reportedTree } from '../test/conformance/program.ts';
import { Stage } from '../test/conformance/stage.ts';

const SETTINGS = SETTING_ROWS.map(([, { flag }]) => `--${flag}`);
const PROGRAM = join(import.meta.dirname, '../bin/drumlin');

export async function run([only = '']: string[]): Promise<void> {
  const failed: string[] = [];
  for (const chapter of CHAPTERS.filter(({ name }) => name.includes(only))) {
    const stage = await Stage.open(PROGRAM);
    try {
      const found = await runChapter(stage, chapter, () => true);
      process.stdout.write(
        `${chapter.name}: ${chapter.steps.length} lines, ${found.length} wrong\n`,
      );
      failed.push(...found);
    } finally {
      await stage.close();
    }
  }
  const { commands, flags } = missingCases(await reportedTree(PROGRAM), SETTINGS);
  failed.push(...[...commands, ...flags].map((name) => `${name}: there is no line for it`));
  for (const each of failed) process.stdout.write(`${each}\n`);
  if (failed.length > 0) process.exitCode = 1;
}
