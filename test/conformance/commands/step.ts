/** A command line of the tables, and what shows that the command and its flags have an effect. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Ended, Stage } from '../stage.ts';

/** What a check sees: this step, the named ones before it, and the folder. */
export interface Seen extends Ended {
  readonly stage: Stage;
  readonly before: ReadonlyMap<string, Ended>;
  /** The places that the chapter names. */
  readonly places: Readonly<Record<string, string>>;
}

/** Throws if there is no effect; an expression must match what is printed. */
export type Check = RegExp | ((seen: Seen) => void | Promise<void>);

export interface Step {
  /** The words after `drumlin`; those between quotes are one. `$name` is a place of the chapter. */
  readonly run: string;
  /** By flag, and by '' for the command itself. A flag that stands here stands in the line. */
  readonly shows: Readonly<Record<string, Check>>;
  /** A name by which later steps compare. */
  readonly as?: string;
  readonly code?: number | 'any';
  /** Writes what the line reads, or names a place, from what the lines before it have made. */
  readonly first?: (stage: Stage, places: Record<string, string>) => void;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What only other lines of the soak need. */
  readonly onlySoak?: true;
  /** For a server: called with what it prints first, then it is interrupted. */
  readonly once?: (
    printed: string,
    stage: Stage,
    places: Readonly<Record<string, string>>,
  ) => Promise<void>;
}

/** Steps that share a folder, in order. */
export interface Chapter {
  readonly name: string;
  /** Makes files and sites; returns the places that lines name. */
  readonly prepare: (stage: Stage) => Record<string, string> | Promise<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** A file has this text, or just is there. */
export const file =
  (name: string, text: RegExp = /^/): Check =>
  ({ stage }) => {
    assert.ok(existsSync(stage.path(name)), `there is no ${name}`);
    if (text.source !== '^') assert.match(stage.read(name), text);
  };

export const noFile =
  (name: string): Check =>
  ({ stage }) =>
    assert.ok(!existsSync(stage.path(name)), `there is ${name}`);

/** What is printed is not what an earlier step has printed. */
export const differs =
  (name: string): Check =>
  ({ out, before }) => {
    const other = before.get(name);
    assert.ok(other, `no step is named ${name}`);
    assert.ok(out !== '', 'nothing is printed');
    assert.notEqual(out, other.out);
  };

/** Each flag with a value that changes what a command prints. */
export const changed = (command: string, base: string, flags: readonly string[]): Step[] =>
  flags.map((flag) => ({
    run: `${command} ${flag}`,
    shows: { [flag.split(' ')[0]]: differs(base) },
  }));

/**
 * A limit that cannot be: the command names it, and does nothing. For memory and threads, which
 * change nothing of what a command makes.
 */
export const refused = (command: string, ...flags: readonly string[]): Step[] =>
  flags.map((flag) => ({
    run: `${command} ${flag}`,
    code: 2,
    shows: {
      [flag.split(' ')[0]]: /lots$/.test(flag)
        ? /"lots" is not a size/
        : new RegExp(flag.slice(2).split(' ')[0]),
    },
  }));

/** So many lines are printed. */
export const lines =
  (count: number): Check =>
  ({ out }) =>
    assert.equal(out.trimEnd().split('\n').length, count);

/** What is printed is JSON, as one value or one on each line. */
export const json: Check = ({ out }) => {
  assert.ok(out.trim() !== '', 'nothing is printed');
  try {
    JSON.parse(out);
  } catch {
    for (const line of out.trim().split('\n')) JSON.parse(line);
  }
};

/** The words of a line. */
export function wordsOf(run: string, places: Readonly<Record<string, string>>): string[] {
  const words = run.match(/'[^']*'|\S+/g) ?? [];
  return words.map((word) =>
    word.replace(/^'|'$/g, '').replace(/\$(\w+)/g, (whole, name) => places[name] ?? whole),
  );
}

/** Runs the steps of a chapter that are wanted, and names what has no effect. */
export async function runChapter(
  stage: Stage,
  { prepare, steps }: Chapter,
  wanted: (step: Step) => boolean,
): Promise<string[]> {
  const places: Record<string, string> = { ...(await prepare(stage)) };
  const before = new Map<string, Ended>();
  const failed: string[] = [];
  for (const step of steps) {
    if (!wanted(step)) continue;
    const { run, shows, as, code = 0, first, once, input, env } = step;
    const given = { ...(input !== undefined && { input }), ...(env && { env }) };
    first?.(stage, places);
    const ended = await stage
      .run(wordsOf(run, places), {
        ...given,
        ...(once && { once: (text: string) => once(text, stage, places) }),
      })
      .catch((error: Error) => ({ code: NaN, out: '', err: `${error.message}` }));
    if (as !== undefined) before.set(as, ended);
    if (Number.isNaN(ended.code) || (code !== 'any' && ended.code !== code))
      failed.push(`${run}: exit code ${ended.code} instead of ${code}: ${ended.err.slice(-300)}`);
    else
      for (const [flag, check] of Object.entries(shows)) {
        try {
          if (check instanceof RegExp) assert.match(ended.out + ended.err, check);
          else await check({ ...ended, stage, before, places });
        } catch (error) {
          failed.push(
            `${run}: ${flag || 'the command'}: ${(error as Error).message.slice(0, 600)}`,
          );
        }
      }
  }
  return failed;
}
