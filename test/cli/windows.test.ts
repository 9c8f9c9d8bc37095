/** Where Drumlin does not run, it says so and does nothing. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/base/errors.ts';

const DRUMLIN = join(import.meta.dirname, '../../bin/drumlin');
/** Loaded first: the process takes its machine for one with Windows. */
const AS_WINDOWS = "data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})";

test('every command is refused on Windows, with a remedy', () => {
  const args = ['--import', AS_WINDOWS, DRUMLIN, 'crawl', 'https://example.org/'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(EXIT.unfit);
  expect(stdout).toBe('');
  expect(stderr).toBe(
    'drumlin: Drumlin does not run on Windows. ' +
      'Run it in WSL, in a container, or on Linux or macOS.\n',
  );
});
