import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

interface Outcome {
  readonly collections: number;
  readonly megabytes: number;
}

/**
 * A gigabyte of garbage beside `lives` MB of live objects, in its own process: V8 has one setting
 * for each.
 */
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

test('with few live objects, full collections are hardly more frequent than by default', async () => {
  const [limited, unlimited] = await Promise.all([churn('limited', 4), churn('unlimited', 4)]);
  expect(limited.collections).toBeLessThan(1.5 * unlimited.collections);
});

test('with more live objects, garbage grows less than by default', async () => {
  const [limited, unlimited] = await Promise.all([churn('limited', 30), churn('unlimited', 30)]);
  expect(limited.collections).toBeGreaterThan(unlimited.collections);
  expect(limited.megabytes).toBeLessThan(unlimited.megabytes);
});
