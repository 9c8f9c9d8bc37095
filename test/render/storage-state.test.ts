/** Logins saved by Playwright. */
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { parseStorageState } from '../../src/render/storage-state.ts';
import { startCrawl } from '../crawl/here.ts';

const COOKIE = { name: 'id', value: '7', domain: '.example.org', path: '/' };

test('cookies and local storage are read; what the browser does not know is left out', () => {
  const state = parseStorageState(
    JSON.stringify({
      cookies: [{ ...COOKIE, expires: -1, sameSite: 'Lax', secure: true, partitionKey: 'x' }],
      origins: [
        { origin: 'https://example.org', localStorage: [{ name: 'a', value: '</script>' }] },
      ],
    }),
    'login.json',
  );
  expect(state.cookies).toEqual([{ ...COOKIE, sameSite: 'Lax', secure: true }]);
  expect(state.script('https://example.org/page')).toContain('[["a","</script>"]]');
  expect(state.script('https://other.org/')).toBe('');
});

test('pages of a host see its cookies and those of the domains above it', () => {
  const domains = ['example.org', '.example.org', 'www.example.org', '.other.org', '.ample.org'];
  const cookies = domains.map((domain) => ({ ...COOKIE, domain }));
  const state = parseStorageState(JSON.stringify({ cookies }), 'login.json');
  const seen = (host: string) => state.cookiesOf(host).map(({ domain }) => domain);
  expect(seen('example.org')).toEqual(['example.org', '.example.org']);
  expect(seen('www.example.org')).toEqual(['.example.org', 'www.example.org']);
});

test.each([
  ['no JSON', 'x'],
  ['a cookie without a domain', JSON.stringify({ cookies: [{ name: 'a', value: 'b' }] })],
  ['a list', '[]'],
  ['an origin without storage', JSON.stringify({ origins: [{ origin: 'https://a.b' }] })],
])('%s is refused with the name of the file', (_, text) => {
  expect(() => parseStorageState(text, 'login.json')).toThrow(
    /^login\.json .* storageState\(\)\.$/,
  );
});

test('a file that is missing, or a folder, is refused in the same words', async () => {
  const config = (storageState: string) =>
    resolveConfig({ storageState, allowPrivate: true, agents: 1 });
  const refused = (path: string) =>
    expect(startCrawl(['http://127.0.0.1:9/'], config(path)).then(({ finished }) => finished))
      .rejects;
  await refused('no-such.json').toThrow(
    'no-such.json does not exist. Save it with Playwright: storageState().',
  );
  await refused(tmpdir()).toThrow('is no file that can be read. Save it with Playwright');
});

test('a folder is no browser, and the error says so at the start', async () => {
  const config = resolveConfig({ browser: tmpdir(), render: 'always', allowPrivate: true });
  await expect(
    startCrawl(['http://127.0.0.1:9/'], config).then(({ finished }) => finished),
  ).rejects.toMatchObject({
    code: 'BROWSER',
    fact: `There is no browser at ${tmpdir()}: it is a folder.`,
  });
});
