/** `drumlin web truth`: what each domain of the synthetic web is. */
import { describe, expect, test } from 'vitest';
import { runCli } from '../run-cli.ts';

function kindsOf(...args: string[]): Set<string> {
  const { code, out } = runCli(...args);
  expect(code).toBe(0);
  const rows = out.trim().split('\n').slice(1);
  return new Set(rows.map((row) => row.split('\t')[1]));
}

describe('the truth about a web', () => {
  test('is that of the scenario and the seed named, before or behind "truth"', () => {
    const behind = ['web', 'truth', '--scenario', 'spam', '--seed', '7', '--domains', '300'];
    const before = ['web', '--scenario', 'spam', '--seed', '7', 'truth', '--domains', '300'];
    expect(kindsOf(...behind)).toContain('farm');
    expect(runCli(...behind).out).toBe(runCli(...before).out);
  });

  test('is that of the clean web and of seed 1 unless told otherwise', () => {
    expect(kindsOf('web', 'truth', '--domains', '300')).not.toContain('farm');
  });
});
