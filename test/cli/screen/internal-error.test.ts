import { readFileSync, rmSync, statSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { DrumlinError, EXIT } from '../../../src/base/errors.ts';
import { withRemedy } from '../../../src/cli/screen/internal-error.ts';

describe('an error without a remedy', () => {
  test('is one line that asks for a report, with a file that has the stack and its cause', () => {
    const error = new Error('first line\nsecond line', { cause: new Error('the cause') });
    const { code, fact, remedy, exitCode } = withRemedy(error);
    expect({ code, fact, exitCode }).toEqual({
      code: 'INTERNAL',
      fact: 'Internal error: first line.',
      exitCode: EXIT.internal,
    });
    const file = /attach (.*)\.$/.exec(remedy)?.[1] ?? '';
    const report = readFileSync(file, 'utf8');
    expect(report).toMatch(/^drumlin .*, Node /);
    expect(report).toContain('second line');
    expect(report).toContain('internal-error.test.ts');
    expect(report).toContain('caused by Error: the cause');
    expect(statSync(file).mode & 0o077).toBe(0);
    rmSync(file);
  });

  test('names its place when there is no room for a file', () => {
    vi.stubEnv('TMPDIR', '/no/such/folder');
    const { remedy } = withRemedy(new Error('x'));
    vi.unstubAllEnvs();
    expect(remedy).toMatch(/with this place: .*internal-error\.test\.ts:\d+\.$/);
  });

  test('may be anything that was thrown', () => {
    for (const thrown of [undefined, null, '', 'text', 7, {}, Object.create(null)]) {
      const { code, fact, remedy } = withRemedy(thrown);
      expect(code).toBe('INTERNAL');
      expect(fact).toMatch(/^Internal error: .+\.$/);
      const file = /attach (.*)\.$/.exec(remedy)?.[1];
      if (file) rmSync(file);
    }
  });
});

test('an error with a remedy stays as it is, and one of the disk gets its remedy', () => {
  const known = new DrumlinError('X', 'Fact.', 'Remedy.');
  expect(withRemedy(known)).toBe(known);
  const full = Object.assign(new Error('ENOSPC: no space left'), {
    ...{ code: 'ENOSPC', path: '/x', syscall: 'write' },
  });
  expect(withRemedy(full)).toMatchObject({ exitCode: EXIT.disk });
});
