import { expect, test } from 'vitest';
import { budgetIn, resolveConfig } from '../../src/config/settings.ts';

test('a budget that is given holds with a spam model, too', () => {
  const of = (budget: string | undefined, spam: string) =>
    budgetIn(resolveConfig({ spam, ...(budget !== undefined && { budget }) }));
  expect(of(undefined, '')).toBe('proportional(power=2)');
  expect(of('auto', '')).toBe('proportional(power=2)');
  expect(of(undefined, 'm.json')).toMatch(/spam/);
  expect(of(' auto ', 'm.json')).toBe(of(undefined, 'm.json'));
  expect(of('proportional(power=2)', 'm.json')).toBe('proportional(power=2)');
  expect(of('equal(3)', 'm.json')).toBe('equal(3)');
});
