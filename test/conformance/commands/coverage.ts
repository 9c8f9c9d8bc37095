/** Which commands and flags the tables show. */
import type { Reported } from '../program.ts';
import { CHAPTERS } from './chapters.ts';
import { type Step, wordsOf } from './step.ts';

/** Commands of groups, which only hold others. */
const isGroup = ({ path }: Reported, all: readonly Reported[], shown: ReadonlySet<string>) =>
  !shown.has(path) && all.some((one) => one.path.startsWith(`${path} `));

/** The command of a line: the longest path of the tree that it begins with. */
export function commandOf(run: string, tree: readonly Reported[]): string {
  const words = wordsOf(run, {});
  const paths = tree.map(({ path }) => path);
  for (let count = 3; count > 0; count--) {
    const path = words.slice(0, count).join(' ');
    if (paths.includes(path)) return path;
  }
  throw new Error(`"${run}" is no command of the program.`);
}

/** Lines that the suite runs: the first that shows each command, and what others of them need. */
export const isOfSuite = ({ shows, onlySoak }: Step): boolean =>
  '' in shows || (Object.keys(shows).length === 0 && onlySoak === undefined);

export interface Missing {
  readonly commands: readonly string[];
  readonly flags: readonly string[];
}

/**
 * What no line shows. A flag that is named like a setting is one, in the commands that take all
 * settings: the crawls of the other table show those.
 */
export function missingCases(tree: readonly Reported[], settings: readonly string[]): Missing {
  const shown = new Set<string>();
  for (const { run, shows } of CHAPTERS.flatMap(({ steps }) => steps)) {
    const path = commandOf(run, tree);
    for (const flag of Object.keys(shows)) shown.add(flag === '' ? path : `${path} ${flag}`);
  }
  const takesSettings = ({ flags }: Reported) => settings.every((flag) => flags.includes(flag));
  return {
    commands: tree
      .filter((one) => !shown.has(one.path) && !isGroup(one, tree, shown))
      .map(({ path }) => path),
    flags: tree.flatMap((one) =>
      one.flags
        .filter((flag) => !(takesSettings(one) && settings.includes(flag)))
        .map((flag) => `${one.path} ${flag}`)
        .filter((name) => !shown.has(name)),
    ),
  };
}
