/** Passwords and cookies go to their servers, and into no file of the crawl. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { type ForwardProxy, forwardProxy } from '../fetch/forward-proxy.ts';
import { startCrawl } from './here.ts';
import { type Handler, linking, type SmallSite, startSmallSite } from './small-site.ts';

const LOGIN = Buffer.from('reader:open-sesame').toString('base64');
const PROXY_LOGIN = Buffer.from('tunnel:dig-deep').toString('base64');
const SECRETS = ['open-sesame', LOGIN, 'dig-deep', PROXY_LOGIN, 'taste-of-almonds'];

let folder: string;
let dir: string;
let site: SmallSite | undefined;
let proxy: ForwardProxy | undefined;
const seen: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drumlin-secrets-'));
  dir = join(folder, 'crawl');
  seen.length = 0;
});
afterEach(async () => {
  await site?.close();
  await proxy?.close();
  proxy = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const page: Handler = ({ headers, url }, response) => {
  seen.push(`${url} ${headers.authorization ?? '-'} ${headers.cookie ?? '-'}`);
  response.setHeader('content-type', 'text/html');
  response.end(linking('/', '/a', '/gone'));
};

/** A file that only its owner may read. */
function secretFile(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

async function crawl(options: CrawlOptions = {}): Promise<void> {
  site = await startSmallSite({ '/': page, '/a': page });
  const { host, hostname } = new URL(site.origin);
  const config = resolveConfig({
    ...{ dir, allowPrivate: true, delay: 0, agents: 2, checkpoint: 100 },
    auth: secretFile('passwords', `${host} reader open-sesame\n`),
    cookies: secretFile(
      'cookies.txt',
      `${hostname}\tFALSE\t/\tFALSE\t0\tsession\ttaste-of-almonds\n`,
    ),
    ...options,
  });
  await (await startCrawl([`${site.origin}/`], config)).finished;
}

/** All files of the folder, decompressed. */
function everything(): string {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return paths
    .map((path) =>
      (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString(
        'latin1',
      ),
    )
    .join('\n');
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('secrets are sent, and are neither in the archive nor in any other file of the crawl', async () => {
  await crawl();
  expect(seen.sort()).toEqual(
    ['/', '/a'].map((path) => `${path} Basic ${LOGIN} session=taste-of-almonds`),
  );
  const left = everything();
  expect(left).toContain('Authorization: [redacted]');
  expect(left).toContain('Cookie: [redacted]');
  for (const secret of SECRETS) expect(left).not.toContain(secret);
});

test('a session that a server begins and the tokens of a host are sent, and masked in requests', async () => {
  const asked: string[] = [];
  const visit: Handler = ({ headers, url }, response) => {
    asked.push(`${url} ${headers.cookie ?? '-'} ${headers.authorization} ${headers['x-key']}`);
    response.setHeader('set-cookie', ['visit=known; Path=/', 'gone=1; Max-Age=0']);
    response.writeHead(200, { 'content-type': 'text/html' }).end(linking('/a'));
  };
  site = await startSmallSite({ '/': visit, '/a': visit });
  const { hostname } = new URL(site.origin);
  const config = resolveConfig({
    ...{ dir, allowPrivate: true, delay: 0, keepCookies: true, crawlLog: true },
    headerFile: secretFile(
      'headers',
      `${hostname} Authorization: Bearer t0ken\n${hostname} X-Key: k3y\n`,
    ),
  });
  await (await startCrawl([`${site.origin}/`], config)).finished;
  expect(asked).toEqual(['/ - Bearer t0ken k3y', '/a visit=known Bearer t0ken k3y']);
  const left = everything();
  expect(left).toContain('X-Key: [redacted]');
  expect(left).not.toContain('Cookie: visit');
  for (const secret of ['t0ken', 'k3y']) expect(left).not.toContain(secret);
  expect(modeOf(dir)).toBe('700');
});

test("a proxy's password is kept out too, and must be given again on resume", async () => {
  proxy = await forwardProxy();
  const { port } = proxy.proxy;
  await crawl({ proxy: `http://tunnel:dig-deep@127.0.0.1:${port}` });
  expect(seen.length).toBe(2);
  const left = everything();
  expect(left).toContain('Proxy-Authorization: [redacted]');
  expect(left).toContain(`"proxy": "http://127.0.0.1:${port}"`);
  for (const secret of SECRETS) expect(left).not.toContain(secret);
});

test('a folder with pages fetched by secrets is closed to others, also one that was open', async () => {
  await crawl();
  expect(modeOf(dir)).toBe('700');
  rmSync(dir, { recursive: true });
  mkdirSync(dir);
  chmodSync(dir, 0o755);
  await site?.close();
  await crawl();
  expect(modeOf(dir)).toBe('700');
  expect(everything()).toContain('was open to other users');
});

test('a crawl that is resumed with them is closed to others; one without them stays open', async () => {
  await crawl({ auth: '', cookies: '' });
  chmodSync(dir, 0o755);
  await site?.close();
  await crawl({ auth: '', cookies: '' });
  expect(modeOf(dir)).toBe('755');
  await site?.close();
  await crawl({ cookies: '' });
  expect(modeOf(dir)).toBe('700');
});

test('a file of secrets that is open to others is reported in the log', async () => {
  await crawl({ auth: secretFile('open', '', 0o644) });
  expect(everything()).toContain(
    `${folder}/open contains secrets, but other users can read it (mode 644)`,
  );
});

test.each([
  'https://tunnel:dig-deep@127.0.0.1:1',
  'tunnel:dig-deep@127.0.0.1',
  'http://tunnel:dig-deep@127.0.0.1/x',
])('a bad proxy is refused without being quoted: %s', (proxy) => {
  const refusal = () => resolveConfig({ proxy });
  expect(refusal).toThrow('proxy');
  expect(refusal).not.toThrow('dig-deep');
});
