import { expect, test } from 'vitest';
import type { EventLog } from '../../../src/crawl/record/log.ts';
import { SparingLog } from '../../../src/crawl/record/sparing-log.ts';

test('logs the first events of a name, then told-enough, then nothing; each name has its own count', () => {
  const lines: unknown[] = [];
  const inner: EventLog = { event: (name, facts) => void lines.push([name, facts]) };
  const log = new SparingLog(inner, 3);
  for (let i = 0; i < 10; i++) log.event('soft-404', { url: `http://a.org/${i}` });
  log.event('network-back', { ip: '192.0.2.1' });
  expect(lines).toEqual([
    ...[0, 1, 2].map((i) => ['soft-404', { url: `http://a.org/${i}` }]),
    ['told-enough', { of: 'soft-404', lines: 3 }],
    ['network-back', { ip: '192.0.2.1' }],
  ]);
});
