/** Archives other than the default: compressed by zstd, or with the answers of name servers. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Archive } from '../../src/archive/index/archive.ts';
import { type CheckReport, checkArchive } from '../../src/archive/tools/check.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { Disk } from '../../src/disk/disk.ts';
import { collect, readWithWarcio } from '../archive/warc/fixtures.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { type NameServer, nameServer } from '../net/name-server.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const LOCAL = { agents: 1, allowPrivate: true, delay: 0 } as const;
const disk = new Disk();

let site: SmallSite | undefined;
let names: NameServer | undefined;
afterEach(async () => {
  await site?.close();
  await names?.close();
  site = undefined;
  names = undefined;
});

const crawl = async (dir: string, options: CrawlOptions, seeds = [`${site!.origin}/`]) =>
  (await startCrawl(seeds, resolveConfig({ ...LOCAL, dir, ...options }))).finished;

const endings = (dir: string) =>
  readdirSync(join(dir, 'archive'))
    .map((name) => name.replace(/^.*\.warc/, '.warc'))
    .sort();

async function check(dir: string): Promise<CheckReport & { problems: string[] }> {
  const problems: string[] = [];
  const report = await checkArchive(disk, await Archive.open(disk, dir), ({ words }) =>
    problems.push(words),
  );
  return { ...report, problems };
}

describe('a crawl', () => {
  test('can be resumed with another compression, and all it stored is one archive', async () => {
    const pages = ['/a', '/b', '/c', '/d'];
    const text = 'the same on every page '.repeat(100);
    site = await startSmallSite({
      '/': linking(...pages),
      ...Object.fromEntries(pages.map((path, i) => [path, `${text}${i > 1 ? '' : path}`])),
    });
    const dir = temporaryFolder();
    expect(await crawl(dir, { compress: 'zstd', maxPages: 2 })).toMatchObject({ pages: 2 });
    expect(endings(dir)).toEqual(['.warc.zst']);
    expect(await crawl(dir, { compress: 'gzip', maxPages: 2 })).toMatchObject({ pages: 2 });
    expect(
      await crawl(dir, { compress: 'none', maxPages: Number.POSITIVE_INFINITY }),
    ).toMatchObject({
      pages: 1,
      revisits: 1,
      end: 'finished',
    });
    expect(endings(dir)).toEqual(['.warc', '.warc.gz', '.warc.zst']);
    // With robots.txt, which the resumed crawl fetches again.
    const { problems, captures, indexed } = await check(dir);
    expect(problems).toEqual([]);
    expect(indexed).toBe(captures);
    const archive = await Archive.open(disk, dir);
    for (const path of pages) {
      const capture = await archive.nearest(`${site.origin}${path}`);
      expect(Buffer.from((await archive.page(capture!)).block).toString()).toContain(text);
    }
  });

  test('compares its pages with those of an earlier one that was compressed otherwise', async () => {
    site = await startSmallSite({ '/': `<p>${'the same '.repeat(300)}` });
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    await crawl(first, { compress: 'zstd' });
    expect(
      await crawl(second, { dedupAgainst: [first], compress: 'zstd', zstd: 19 }),
    ).toMatchObject({
      revisits: 1,
    });
    expect((await check(second)).problems).toEqual([]);
  });
});

describe('the answer of a name server', () => {
  test('is kept on request: once for each name, with addresses, times to live and the server', async () => {
    site = await startSmallSite({ '/': linking('/b'), '/b': 'end' });
    names = await nameServer({ 'a.test': { a: ['127.0.0.1', '127.0.0.9'], ttl: 77 } });
    const dir = temporaryFolder();
    const { port } = new URL(site.origin);
    const dns = [names.address];
    expect(await crawl(dir, { dns, dnsRecords: true }, [`http://a.test:${port}/`])).toMatchObject({
      pages: 2,
    });
    const [file] = readdirSync(join(dir, 'archive'));
    const said = (await readWithWarcio(join(dir, 'archive', file))).filter(
      ({ type }) => type === 'resource',
    );
    expect(said.length).toBe(1);
    const [{ url, block, fields, blockConfirmed }] = said;
    const field = (name: string) => fields.get(name);
    expect(url).toBe('dns:a.test');
    expect(field('Content-Type')).toBe('text/dns');
    expect(field('WARC-IP-Address')).toBe('127.0.0.1');
    // A record that is not HTTP has no head: the block is the payload.
    expect(blockConfirmed).toBe(true);
    expect(field('WARC-Payload-Digest')).toBe(field('WARC-Block-Digest'));
    const date = field('WARC-Date')!.replace(/\D/g, '').slice(0, 14);
    expect(Buffer.from(block).toString()).toBe(
      `${date}\na.test.\t77\tIN\tA\t127.0.0.1\na.test.\t77\tIN\tA\t127.0.0.9\n`,
    );
    expect((await check(dir)).problems).toEqual([]);
    const archive = await Archive.open(disk, dir);
    const captures = await collect(archive.captures({ url: 'dns:a.test' }));
    expect(captures).toMatchObject([{ key: 'dns:a.test', mime: 'text/dns', status: '' }]);
    expect((await archive.record(captures[0])).type).toBe('resource');
  });

  test('is not kept otherwise, nor for addresses that need no look-up', async () => {
    site = await startSmallSite({ '/': 'end' });
    names = await nameServer({ 'a.test': { a: ['127.0.0.1'] } });
    const { port } = new URL(site.origin);
    const dns = [names.address];
    const [silent, literal] = [temporaryFolder(), temporaryFolder()];
    await crawl(silent, { dns }, [`http://a.test:${port}/`]);
    await crawl(literal, { dns, dnsRecords: true });
    for (const dir of [silent, literal]) {
      const [file] = readdirSync(join(dir, 'archive'));
      const types = (await readWithWarcio(join(dir, 'archive', file))).map(({ type }) => type);
      expect(types).not.toContain('resource');
    }
  });
});
