/** The tree of commands and flags that the program itself reports. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Reported {
  /** What is typed after `drumlin`: `domains set`. */
  readonly path: string;
  readonly flags: readonly string[];
  readonly help: string;
}

/** Asks the program for its tree, and for the help of each command. */
export async function reportedTree(program: string): Promise<Reported[]> {
  const { stdout } = await run(process.execPath, [program, 'completion', 'fish']);
  const at = /__drumlin_at '\\''([^']*)'\\'''/;
  const words = stdout.split('\n').filter((line) => line.startsWith('complete '));
  const paths = words.flatMap((line) => {
    const [, command] = / -a (\S+) -d /.exec(line) ?? [];
    const [, above = ''] = at.exec(line) ?? [];
    return command === undefined || / -l /.test(line) ? [] : [`${above} ${command}`.trim()];
  });
  const flagsOf = (path: string) =>
    words
      .filter((line) => at.exec(line)?.[1] === path)
      .flatMap((line) => / -l (\S+)/.exec(line)?.[1] ?? [])
      .map((flag) => `--${flag}`)
      .filter((flag) => flag !== '--help');
  const helps = await inPairs(paths, async (path) => {
    const { stdout: help } = await run(process.execPath, [program, ...path.split(' '), '--help']);
    return { path, flags: flagsOf(path), help };
  });
  return helps;
}

/** Two at once: as many as there are cores at the least. */
async function inPairs<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += 2)
    results.push(...(await Promise.all(items.slice(i, i + 2).map(work))));
  return results;
}
