/**
 * Checks the commits since the rule was made: a subject of at most 72 characters that states one
 * fact, and no merge that only repeats others. `npm run lint` runs it. Without a history, in a
 * tarball or a shallow clone, it says nothing.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The last commit before the rule. */
const START = 'eb647ee58c47ecaa1dd453fd1c09e55e408ff3e9';
const LONGEST = 72;
const GIT_OUTPUT = 2 ** 28;

/** What is wrong with the commits after `start`, the newest first. */
export function faultsSince(start: string, folder: string): string[] {
  const git = (...args: string[]): string => {
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: GIT_OUTPUT } as const;
    return execFileSync('git', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  };
  try {
    git('merge-base', '--is-ancestor', start, 'HEAD');
  } catch {
    return []; // no Git, no repository, or not the whole history
  }
  const log = git('log', '--format=%h%x00%P%x00%s', `${start}..HEAD`).split('\n').filter(Boolean);
  return log.flatMap((line) => {
    const [hash, parents, subject] = line.split('\0');
    const fault = (text: string) => `${hash} ${subject}\n  ${text}`;
    const faults: string[] = [];
    const length = [...subject].length;
    if (length > LONGEST)
      faults.push(fault(`The subject has ${length} characters, not ${LONGEST}.`));
    if (/\bwip\b/i.test(subject)) faults.push(fault('A commit is finished work: squash it.'));
    // The combined diff of a merge shows what is in none of its parents.
    if (parents.includes(' ') && git('diff-tree', '--cc', '--no-commit-id', hash) === '')
      faults.push(fault('A merge without content of its own: rebase instead.'));
    return faults;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = faultsSince(START, join(import.meta.dirname, '..'));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
