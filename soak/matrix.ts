/**
 * The fault matrix: one fault at a time, of every kind, in every place. The crawl survives or is
 * refused by name, and nothing stored is lost.
 *
 *   npm run soak -- matrix [--part phases|names|owners|ports] [--answers 2000] [--seed 1]
 *                          [--only BodyBudget.refund] [--calls 1,4]
 *
 *   phases   an exception out of every method of every part of an agent; `--only` for some of them
 *   names    every shape of a DNS answer, from a grammar
 *   owners   each file and folder of a crawl read-only, unreadable, or another user's
 *   ports    random requests to every port that Drumlin listens on (soak/ports.ts, a short run)
 */
import type { Findings } from './matrix/case.ts';
import { answerAnything } from './matrix/names.ts';
import { denyEverything } from './matrix/owners.ts';
import { places, throwEverywhere } from './matrix/phases.ts';
import { run as fuzzPorts } from './ports.ts';

/** The calls of a method that throw: the first, and one in the middle of things. */
const CALLS = '1,4';

export async function run(args: string[]): Promise<void> {
  const given = (name: string) => args[args.indexOf(`--${name}`) + 1];
  const has = (name: string) => args.includes(`--${name}`);
  const seed = has('seed') ? Number(given('seed')) : 1;
  const answers = has('answers') ? Number(given('answers')) : 2000;
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const calls = (has('calls') ? given('calls') : CALLS).split(',').map(Number);
  const chosen = places(calls).filter(
    ({ name, method }) => !has('only') || `${name}.${method}`.startsWith(given('only')),
  );
  const parts: Record<string, () => Promise<Findings>> = {
    names: () => answerAnything(answers, seed),
    phases: () => throwEverywhere(chosen, report),
    owners: () => denyEverything(report),
  };
  const only = has('part') ? [given('part')] : [...Object.keys(parts), 'ports'];
  for (const part of only) {
    if (part === 'ports') {
      await fuzzPorts(['5000', '3', String(seed)]);
      continue;
    }
    const { cases, outcomes, failures } = await parts[part]();
    console.log(JSON.stringify({ part, cases, outcomes, failures: failures.length }));
    for (const failure of failures) console.log(`FAILED ${failure}`);
    if (failures.length > 0) process.exitCode = 1;
  }
}
