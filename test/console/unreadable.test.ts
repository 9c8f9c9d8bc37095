/** A console over folders of which one is damaged, and of which one vanishes. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import type { Console } from '../../src/console/serve.ts';
import { serveConsole } from '../../src/console/server.ts';
import { CrawlFolder } from '../../src/crawl/state/crawl-folder.ts';
import { Disk } from '../../src/disk/disk.ts';

const TOKEN = 'a-token-for-the-test';
const folder = mkdtempSync(join(tmpdir(), 'drumlin-test-'));
let served: Console;

beforeAll(async () => {
  const dir = join(folder, 'whole');
  const config = resolveConfig({ dir, agents: 1 });
  const crawl = await CrawlFolder.open(new Disk(), config, ['http://a.test/'], systemClock);
  await crawl.begin(config, 1, ['http://a.test/']);
  await crawl.close();
  mkdirSync(join(folder, 'damaged'));
  writeFileSync(join(folder, 'damaged/crawl.json'), '{"x"');
  cpSync(dir, join(folder, 'vanishing'), { recursive: true });
  served = await serveConsole({ places: [folder], page: '', port: 0, token: TOKEN, stays: false });
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly crawls: readonly {
    readonly id: string;
    readonly state: string;
    readonly sentence: string;
  }[];
}

async function ask(path: string) {
  const response = await fetch(`http://127.0.0.1:${served.port}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  return { status: response.status, value: (await response.json()) as Answer };
}

test('a crawl that cannot be read is listed with the reason, beside the others', async () => {
  const { status, value } = await ask('crawls');
  const states = value.crawls.map(({ id, state }) => [id, state]);
  expect(status).toBe(200);
  expect(states).toEqual([
    ['damaged', 'unreadable'],
    ['vanishing', 'new'],
    ['whole', 'new'],
  ]);
  expect(value.crawls[0].sentence).toMatch(/crawl\.json is damaged/);
  expect(await ask('crawls/damaged/status')).toMatchObject({ status: 400 });
});

test('a crawl whose folder vanishes is gone from the list, and its views say so', async () => {
  expect((await ask('crawls/vanishing/domains')).status).toBe(200);
  rmSync(join(folder, 'vanishing'), { recursive: true });
  const { value } = await ask('crawls');
  expect(value.crawls.map(({ id }) => id)).toEqual(['damaged', 'whole']);
  for (const view of ['status', 'domains', 'graph?domain=a.test', 'captures', 'log'])
    expect(await ask(`crawls/vanishing/${view}`)).toMatchObject({
      status: 400,
      value: { error: { fact: 'There is no such crawl here.' } },
    });
});
