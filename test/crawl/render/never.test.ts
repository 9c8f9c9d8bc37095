/** Without rendering, the settings of the renderer change nothing: not a byte of the archive. */
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { startCrawl } from '../here.ts';
import { linking, startSmallSite } from '../small-site.ts';

const undated = (body: string) => (_: unknown, response: ServerResponse) => {
  response.sendDate = false;
  response.writeHead(200, { 'content-type': 'text/html' }).end(body);
};
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const DATE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The whole archive, with numbers in the order of their appearance in place of identifiers. */
async function archiveOf(dir: string): Promise<string> {
  const disk = new Disk();
  const numbers = new Map<string, number>();
  const number = (id: string) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    return `id-${numbers.get(id)}`;
  };
  let all = '';
  for (const { path } of (await Archive.open(disk, dir)).files)
    for await (const { type, headers, block } of readWarc(path, { disk })) {
      if (type === 'warcinfo') continue; // the name of the file, and the settings
      const lines = headers.entries.map(([name, value]) => `${name}: ${value}`);
      all += `${lines.join('\n')}\n\n${Buffer.from(block).toString('latin1')}\n`;
    }
  return all.replace(UUID, number).replace(DATE, 'DATE');
}

test('a crawl with all settings of the renderer and --render never stores the same bytes', async () => {
  const site = await startSmallSite({
    '/robots.txt': undated(''),
    '/': undated(`${linking('/shell', '/plain')}<p>${'words '.repeat(300)}</p>`),
    '/shell': undated('<div id="root"></div><script src="/a.js"></script>'),
    '/plain': undated(`<a href="/">back</a><p>${'plain '.repeat(300)}</p>`),
  });
  onTestFinished(() => site.close());
  const crawl = async (settings: CrawlOptions) => {
    const dir = join(temporaryFolder(), 'crawl');
    const from = site.asked.length;
    const config = resolveConfig({
      ...{ dir, agents: 1, fetches: 1, delay: 0, allowPrivate: true, text: true },
      ...settings,
    });
    const run = await startCrawl([`${site.origin}/`], config, {});
    const { pages, bytes, statuses, render, urlsSeen } = await run.finished;
    const counts = { pages, bytes, statuses, render, urlsSeen };
    return { counts, asked: site.asked.slice(from), stored: await archiveOf(dir) };
  };
  const without = await crawl({});
  const settings = await crawl({
    ...{ render: 'never', renderFilter: 'PathStartsWith(/shell)', browser: '/no/such/browser' },
    ...{ browsers: 3, renderTime: '1s', renderMemory: '256Mi', renderDelay: '1s' },
    ...{ renderRobots: 'follow', screenshot: true, browserFlags: ['no-sandbox'] },
  });
  expect(without.counts.pages).toBe(3);
  expect(without.stored).toContain('id="root"');
  expect(settings).toEqual(without);
});
