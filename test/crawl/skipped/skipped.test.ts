/** The list of URLs that a crawl did not fetch or did not keep. */
import { truncateSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { listSkippedUrls } from '../../../src/cli/commands/archive-look.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import { listSkipped, type SkippedUrl } from '../../../src/crawl/skipped/list-skipped.ts';
import { SkipLog, skippedDir } from '../../../src/crawl/skipped/skip-log.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { fastClock } from '../fast-clock.ts';
import { startCrawl } from '../here.ts';
import { linking, type SmallSite, startSmallSite } from '../small-site.ts';

const disk = new Disk();

async function skippedIn(dir: string, memory?: number, damage: string[] = []) {
  const found: SkippedUrl[] = [];
  const show = async (urls: AsyncIterable<readonly SkippedUrl[]>) => {
    for await (const some of urls) found.push(...some);
  };
  const onDamage = (sentence: string) => void damage.push(sentence);
  await listSkipped(disk, dir, show, { onDamage, ...(memory !== undefined && { memory }) });
  return found;
}

describe('the list', () => {
  test('agrees with a map, whatever was skipped, kept and repeated, in any number of runs', async () => {
    const url = fc.integer({ min: 0, max: 12 }).map((n) => `http://a.example/${n}`);
    const reason = fc.constantFrom('nofollow', 'too-deep', 'disallowed', 'reset', '');
    const run = fc.array(fc.tuple(url, reason, fc.boolean()), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 3 }), async (runs) => {
        const dir = temporaryFolder();
        const model = new Map<string, Set<string>>();
        for (const [i, events] of runs.entries()) {
          const log = new SkipLog(disk, dir, i % 2, i, 100);
          for (const [at, why, asLink] of events) {
            if (why === '') log.kept(at);
            else if (asLink && why === 'nofollow') log.links([at], why);
            else log.skipped(at, why);
            model.set(at, (model.get(at) ?? new Set()).add(why));
          }
          log.kept('http://a.example/there-is-a-file');
          await log.makeDurable();
          await log.close();
        }
        const expected = [...model].flatMap(([at, whys]) => {
          if (whys.has('')) return [];
          const why = ['reset', 'disallowed', 'nofollow', 'too-deep'].find((one) => whys.has(one));
          return [{ url: at, reason: why }];
        });
        const found = (await skippedIn(dir, 64)).map(({ url: at, reason: why }) => ({
          url: at,
          reason: why,
        }));
        expect(found).toEqual(expected.sort((a, b) => (a.url < b.url ? -1 : 1)));
      }),
      { numRuns: 40 },
    );
  });

  test('keeps all that came before a member that was not written whole, and says so', async () => {
    const dir = temporaryFolder();
    const log = new SkipLog(disk, dir, 0, 0);
    log.skipped('http://a.example/1', 'disallowed');
    await log.makeDurable();
    log.skipped('http://a.example/2', 'disallowed');
    await log.makeDurable();
    await log.close();
    const [name] = await readdir(skippedDir(dir));
    const path = join(skippedDir(dir), name);
    const file = await disk.open(path, 'read');
    truncateSync(path, (await file.size()) - 5);
    await file.close();
    const damage: string[] = [];
    expect((await skippedIn(dir, undefined, damage)).map(({ url }) => url)).toEqual([
      'http://a.example/1',
    ]);
    expect(damage).toEqual([expect.stringContaining('cannot be read after byte')]);
  });

  test('is refused with a remedy where there is none', async () => {
    await expect(skippedIn(temporaryFolder())).rejects.toMatchObject({ code: 'NOT_LISTED' });
  });
});

describe('a crawl', () => {
  let site: SmallSite;
  afterEach(() => site.close());

  test('lists every URL that it did not fetch or keep, with the reason, and no other', async () => {
    const chain = Object.fromEntries(
      [1, 2, 3, 4].map((n) => [
        `/r${n}`,
        (_: unknown, response: import('node:http').ServerResponse) =>
          void response.writeHead(302, { location: `/r${n + 1}` }).end(),
      ]),
    );
    site = await startSmallSite({
      '/robots.txt': (_, response) =>
        void response.writeHead(200).end('User-agent: *\nDisallow: /private\n'),
      '/': linking(
        '/a',
        '/private',
        'http://elsewhere.example/',
        '/r1',
        '/x.zip',
        '/reset',
        '/long',
      ).replace(
        '</title>',
        '</title><a href="/vouched" rel="nofollow">n</a><a href="/unvouched" rel="nofollow">n</a>',
      ),
      '/a': `<meta name="robots" content="nofollow">${linking('/only-here', '/vouched')}`,
      '/vouched': linking('/', '/b', 'http://elsewhere.example/'),
      '/b': linking('/vouched', '/a', '/deep/1'),
      '/deep/1': linking('/deep/2'),
      '/deep/2': linking('/deep/3'),
      '/picture': (_, response) =>
        void response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
      '/long': `<p>${'x'.repeat(9000)}${linking('/behind-the-cut')}`,
      '/reset': (request) => request.socket.destroy(),
      ...chain,
    });
    const dir = temporaryFolder();
    const config = resolveConfig({
      ...{ dir, scope: 'host', exclude: '*.zip', maxRedirects: 2, maxDepth: 3, delay: 0 },
      ...{ allowPrivate: true, agents: 1, types: 'text/html', retries: 0, maxBody: 8192 },
    });
    const seeds = [`${site.origin}/`, `${site.origin}/vouched`, `${site.origin}/picture`];
    const summary = await (await startCrawl(seeds, config, { clock: fastClock(100) })).finished;
    const list = (await skippedIn(dir)).map(
      ({ kind, reason, url }) => `${kind} ${reason} ${url.replace(site.origin, '')}`,
    );
    expect(list.sort()).toEqual(
      [
        'failed empty-response /reset',
        'filter content-type /picture',
        'filter excluded /x.zip',
        'limit too-deep /deep/3',
        'limit truncated /long',
        'nofollow nofollow /only-here',
        'nofollow nofollow /unvouched',
        'redirects too-many-redirects /r4',
        'robots disallowed /private',
        'scope out-of-scope http://elsewhere.example/',
      ].sort(),
    );
    expect(summary.refused).toMatchObject({ nofollow: 4, 'out-of-scope': 2 });
    expect(summary.errors['too-many-redirects']).toBe(1);
    const output = new PassThrough();
    await listSkippedUrls(dir, { reason: 'robots' }, output, () => {});
    expect(String(output.read())).toMatch(/^robots +disallowed +\S+\/private\n$/);
  });

  test('follows links marked nofollow on request, and fetches 20 redirects in a row', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [
        `/r${n}`,
        (_request: unknown, response: import('node:http').ServerResponse) =>
          void response.writeHead(302, { location: `/r${n + 1}` }).end(),
      ]),
    );
    site = await startSmallSite({
      '/': '<a href="/n" rel="nofollow">n</a><a href="/m">m</a><a href="/r0">r</a>',
      '/m': `<meta name="robots" content="nofollow">${linking('/from-m')}`,
      '/n': 'n',
      '/from-m': 'm',
      '/r20': 'the end',
      ...chain,
    });
    const dir = temporaryFolder();
    const rest = { delay: 0, allowPrivate: true, agents: 1, checkpoint: 1e9 } as const;
    const config = resolveConfig({ dir, nofollow: 'follow', scope: 'host', ...rest });
    const seeds = [`${site.origin}/`];
    const summary = await (await startCrawl(seeds, config, { clock: fastClock(100) })).finished;
    expect(site.asked).toEqual(expect.arrayContaining(['/n', '/from-m', '/r20']));
    expect(summary.refused).toEqual({});
    expect(await skippedIn(dir)).toEqual([]);
  });
});
