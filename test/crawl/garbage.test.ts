import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

interface Outcome {
  readonly collections: number;
  readonly megabytes: number;
}

/** A gigabyte of garbage beside `lives` MB that live, in a process of its own: what is set holds for all of one. */
async function churn(how: 'limited' | 'unlimited', lives: number): Promise<Outcome> {
  const script = fileURLToPath(new URL('./garbage-child.ts', import.meta.url));
  const flags = ['--max-semi-space-size=1', '--import', 'tsx'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    script,
    how,
    String(lives),
  ]);
  return JSON.parse(stdout);
}

test('where little lives, all is collected more rarely than V8 would', async () => {
  const [limited, unlimited] = await Promise.all([churn('limited', 4), churn('unlimited', 4)]);
  expect(limited.collections).toBeLessThan(unlimited.collections);
});

test('where more lives, garbage does not grow with it as V8 would let it', async () => {
  const [limited, unlimited] = await Promise.all([churn('limited', 30), churn('unlimited', 30)]);
  expect(limited.collections).toBeGreaterThan(unlimited.collections);
  expect(limited.megabytes).toBeLessThan(unlimited.megabytes);
});
