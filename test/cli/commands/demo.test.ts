/** `drumlin demo` runs its web in the process of the crawl. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const BIN = join(import.meta.dirname, '../../../bin/drumlin');

/**
 * Loaded into every thread: notes who watches the collections, which is how the setting is made.
 */
const PROBE = `
const { PerformanceObserver } = require('node:perf_hooks');
const { observe } = PerformanceObserver.prototype;
PerformanceObserver.prototype.observe = function (options) {
  if (options.entryTypes?.includes('gc')) require('node:fs').writeFileSync(process.env.PROBE, '');
  return observe.call(this, options);
};`;

test('agents of the demo do not change the garbage setting that their web shares', () => {
  const dir = temporaryFolder();
  const [probe, noted] = [join(dir, 'probe.cjs'), join(dir, 'noted')];
  writeFileSync(probe, PROBE);
  const env = { ...process.env, NODE_OPTIONS: `--require=${probe}`, PROBE: noted };
  const flags = ['--max-time', '500ms', '--dir', join(dir, 'c'), '--quiet'];
  const { status, stderr } = spawnSync(BIN, ['demo', ...flags], { env, encoding: 'utf8' });
  expect([0, 3], stderr).toContain(status);
  expect(existsSync(noted)).toBe(false);
});
