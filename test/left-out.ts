/**
 * What this machine may not have: servers, Python packages, foreign material, a few programs. A
 * test that needs one is left out where it is missing, and the last lines of the run name it:
 *
 *   describe.skipIf(leftOut(await needs.server('nats')))('a bucket', …)
 *   test.skipIf(leftOut(needs.program('zstd')))('is read by another program', …)
 *
 * No test is skipped in another way: `test/architecture.test.ts` checks it.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import type { ServerName } from '../scripts/servers/find.ts';
import { servers } from '../scripts/servers.ts';

export type NeedKind = 'servers' | 'Python packages' | 'foreign material' | 'programs' | 'system';

export interface Need {
  readonly kind: NeedKind;
  readonly name: string;
  /** Why it is missing; '' if it is here. */
  readonly why: string;
}

/** A Python with the packages that tests use may be named. */
export const PYTHON = process.env.DRUMLIN_PYTHON ?? 'python3';

export const needs = {
  async server(name: ServerName): Promise<Need> {
    return { kind: 'servers', name, why: await servers.whyNot(name) };
  },
  python(...packages: readonly string[]): Need {
    const why = whyNotRun(PYTHON, ['-c', `import ${packages.join(', ')}`]);
    return { kind: 'Python packages', name: packages.join(' and '), why };
  },
  program(name: string, args: readonly string[] = ['--version']): Need {
    return { kind: 'programs', name, why: whyNotRun(name, args) };
  },
  /** Something of the operating system. */
  system(name: string, isHere: boolean): Need {
    return { kind: 'system', name, why: isHere ? '' : `not on ${process.platform}` };
  },
};

function whyNotRun(program: string, args: readonly string[]): string {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) return (error as NodeJS.ErrnoException).code ?? error.message;
  return status === 0 ? '' : (stderr.trim().split('\n').at(-1) ?? `exit code ${status}`);
}

/** Whether tests are left out for want of this; notes it for the last lines of the run. */
export function leftOut(need: Need): boolean {
  if (need.why === '') return false;
  const file = relative(join(import.meta.dirname, '..'), expect.getState().testPath ?? '');
  const notes = process.env.DRUMLIN_LEFT_OUT;
  if (notes) appendFileSync(notes, `${JSON.stringify({ ...need, file })}\n`);
  return true;
}

/** Before and after all tests. */
export function setup(): (() => void) | undefined {
  if (process.env.DRUMLIN_LEFT_OUT !== undefined) return undefined; // called for each project
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-left-out-'));
  const notes = join(folder, 'notes.jsonl');
  writeFileSync(notes, '');
  process.env.DRUMLIN_LEFT_OUT = notes;
  return () => {
    const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
    rmSync(folder, { recursive: true, force: true });
    delete process.env.DRUMLIN_LEFT_OUT;
    console.error(lastLines(lines.map((line) => JSON.parse(line) as Need & { file: string })));
  };
}

const thingOf = ({ kind, name }: Need): string => `${kind}: ${name}`;

/** One line for each thing that is missing, with the files whose tests need it. */
export function lastLines(missing: readonly (Need & { readonly file: string })[]): string {
  if (missing.length === 0) return '\nNo test was left out.';
  const things = new Set(missing.map(thingOf));
  const lines = [...things].sort().map((thing) => {
    const all = missing.filter((one) => thingOf(one) === thing);
    const files = [...new Set(all.map(({ file }) => file))].sort().join(', ');
    return `  ${thing} (${all[0].why}): tests in ${files}`;
  });
  return ['\nLEFT OUT, because this machine does not have it:', ...lines].join('\n');
}
