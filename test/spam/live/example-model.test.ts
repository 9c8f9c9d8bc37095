import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveModel } from '../../../src/spam/live/live-model.ts';
import { parseModel } from '../../../src/spam/model.ts';

const PATH = join(import.meta.dirname, '../../../examples/spam-model.json');

test('the example judges names, is small, and says that it knows nothing of the real web', () => {
  const text = readFileSync(PATH, 'utf8');
  const model = parseModel(text, PATH);
  expect(text.length).toBeLessThan(300_000);
  expect(model.about).toContain('knows nothing of the real web');
  const verdict = new LiveModel(model, PATH).byName('example.org');
  expect(verdict).toBeGreaterThan(0);
  expect(verdict).toBeLessThan(0.5);
});
