/** Logins saved by Playwright. */
import { expect, test } from 'vitest';
import { parseStorageState } from '../../src/render/storage-state.ts';

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

test.each([
  ['no JSON', 'x'],
  ['a cookie without a domain', JSON.stringify({ cookies: [{ name: 'a', value: 'b' }] })],
  ['an origin without storage', JSON.stringify({ origins: [{ origin: 'https://a.b' }] })],
])('%s is refused with the name of the file', (_, text) => {
  expect(() => parseStorageState(text, 'login.json')).toThrow(
    /^login\.json .* storageState\(\)\.$/,
  );
});
