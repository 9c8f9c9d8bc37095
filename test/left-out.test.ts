import { expect, test } from 'vitest';
import { lastLines, leftOut, needs } from './left-out.ts';

test('the last lines name each missing thing once, why, and all files that need it', () => {
  const nats = { kind: 'servers', name: 'nats', why: 'no answer' } as const;
  const graph = { kind: 'foreign material', name: 'a graph', why: 'not there' } as const;
  const missing = [
    { ...nats, file: 'test/b.test.ts' },
    { ...graph, file: 'test/c.test.ts' },
    { ...nats, file: 'test/a.test.ts' },
    { ...nats, file: 'test/b.test.ts' },
  ];
  expect(lastLines(missing).split('\n').slice(2)).toEqual([
    '  foreign material: a graph (not there): tests in test/c.test.ts',
    '  servers: nats (no answer): tests in test/a.test.ts, test/b.test.ts',
  ]);
  expect(lastLines([])).toContain('No test was left out.');
});

test('what is here is not left out', () => {
  expect(needs.program(process.execPath).why).toBe('');
  expect(leftOut(needs.program(process.execPath))).toBe(false);
  expect(needs.program(process.execPath, ['--no-such-flag']).why).toContain('no-such-flag');
  expect(needs.program('drumlin-no-such-program').why).toBe('ENOENT');
  expect(needs.python('drumlin_no_such_package').why).toMatch(/drumlin_no_such_package|ENOENT/);
});
