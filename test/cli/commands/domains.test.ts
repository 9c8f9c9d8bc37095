/** Decisions about single domains on the command line: what is decided holds, or is refused with the right words. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveConfig } from '../../../src/config/settings.ts';
import { startCrawl } from '../../crawl/here.ts';
import { linking, type SmallSite, startSmallSite } from '../../crawl/small-site.ts';
import { runCli } from '../run-cli.ts';

let site: SmallSite;
let dir: string;
beforeAll(async () => {
  site = await startSmallSite({ '/': linking('/a', '/b') });
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-domains-')), 'c');
  const config = resolveConfig({
    dir,
    allowPrivate: true,
    delay: 0,
    agents: 1,
    maxPages: 1,
    order: 'bfs',
  });
  await (await startCrawl([`${site.origin}/`], config)).finished;
});
afterAll(async () => {
  await site.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

test('a domain is blocked in a crawl that is breadth first, and when that holds is said', () => {
  const { code, out, err } = runCli('domains', 'set', '127.0.0.1', '--block', '--dir', dir);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: `127.0.0.1: blocked. It holds when the crawl goes on: bin/drumlin crawl --dir ${dir}\n`,
    err: '',
  });
});

test('a domain that the crawl never met is noted down, with the one that may be meant', () => {
  const { code, out, err } = runCli('domains', 'set', '127.0.0.11', '--block', '--dir', dir);
  expect(code).toBe(0);
  expect(out).toContain('127.0.0.11: blocked.');
  expect(err).toBe('drumlin: The crawl has not met 127.0.0.11 so far. Did you mean 127.0.0.1?\n');
});

test.each([
  ['--budget', '5'],
  ['--trust'],
])('%s is refused where there are no budgets', (...flags) => {
  const { code, err } = runCli('domains', 'set', '127.0.0.1', ...flags, '--dir', dir);
  expect(code).toBe(5);
  expect(err).toMatch(
    /is breadth first, .*Only --block and --clear are for it; budgets want .*--order budget/,
  );
});

test('what is missing is asked for in the order in which it is written', () => {
  expect(runCli('domains', 'set').err).toContain("missing required argument 'domain'");
  expect(runCli('domains', 'set', 'example.com', '--block').err).toContain(
    'Name its folder: bin/drumlin domains set example.com --dir my-crawl',
  );
});
