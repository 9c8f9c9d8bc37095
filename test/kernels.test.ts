import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KERNELS, moduleOf, targetOf } from '../scripts/kernels.ts';

test.each(
  KERNELS.map((kernel) => [kernel.source, kernel] as const),
)('%s is committed as "npm run kernels" compiles it', async (_, kernel) => {
  expect(readFileSync(targetOf(kernel), 'utf8')).toBe(await moduleOf(kernel));
});
