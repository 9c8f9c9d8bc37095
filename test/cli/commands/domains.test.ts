/** `drumlin domains set`: an override applies, or is rejected with the right message. */
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

test('a domain can be blocked in a breadth-first crawl, and the output says from when on', () => {
  const { code, out, err } = runCli('domains', 'set', '127.0.0.1', '--block', '--dir', dir);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: `127.0.0.1: blocked. It applies when you resume: bin/drumlin crawl --dir ${dir}\n`,
    err: '',
  });
});

test('a domain that the crawl never discovered is stored, with a hint at the most similar one', () => {
  const { code, out, err } = runCli('domains', 'set', '127.0.0.11', '--block', '--dir', dir);
  expect(code).toBe(0);
  expect(out).toContain('127.0.0.11: blocked.');
  expect(err).toBe(
    'drumlin: The crawl has not discovered 127.0.0.11 so far. Did you mean 127.0.0.1?\n',
  );
});

test.each([
  ['--budget', '5'],
  ['--trust'],
])('%s is rejected in a crawl without budgets', (...flags) => {
  const { code, err } = runCli('domains', 'set', '127.0.0.1', ...flags, '--dir', dir);
  expect(code).toBe(5);
  expect(err).toMatch(
    /has no budgets: it is breadth first .*Use --block or --clear; budgets need .*--order budget/,
  );
});

test('missing arguments are reported in the order of the command line', () => {
  expect(runCli('domains', 'set').err).toContain("missing required argument 'domain'");
  expect(runCli('domains', 'set', 'example.com', '--block').err).toContain(
    'Name its folder: bin/drumlin domains set example.com --dir my-crawl',
  );
});
