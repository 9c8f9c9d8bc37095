import { expect, test } from 'vitest';
import { resolveLayers } from '../../src/config/configuration.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { AskedDelays } from '../../src/politeness/asked-delays.ts';
import { parseDelays } from '../../src/politeness/delays.ts';

test('a host with a private address has a short delay, unless the user has chosen one', () => {
  const usual = new AskedDelays(resolveConfig({}), undefined);
  expect(usual.ofHost('localhost')).toBe(100);
  expect(usual.ofHost('docs.localhost')).toBe(100);
  expect(usual.ofHost('127.0.0.1')).toBe(100);
  expect(usual.ofHost('[::1]')).toBe(100);
  expect(usual.ofHost('wiki.example', '10.1.2.3')).toBe(100);
  expect(usual.ofHost('example.org', '93.184.216.34')).toBe(4000);
  expect(usual.ofHost('example.org')).toBe(4000);
  expect(usual.ofAddress('10.1.2.3')).toBe(100);
  expect(usual.ofAddress('93.184.216.34')).toBe(500);

  const chosen = new AskedDelays(resolveConfig({ delay: '1' }), undefined);
  for (const host of ['localhost', '10.1.2.3', 'example.org'])
    expect(chosen.ofHost(host)).toBe(1000);

  const both = new AskedDelays(resolveConfig({ delay: '10s', privateDelay: 0 }), undefined);
  expect([both.ofHost('localhost'), both.ofHost('example.org')]).toEqual([0, 10_000]);
  expect(both.ofAddress('127.0.0.1')).toBe(0);

  const table = parseDelays('host localhost 7s\naddress 10.1.2.3 3s', 'delays.txt');
  const listed = new AskedDelays(resolveConfig({}), table);
  expect([listed.ofHost('localhost'), listed.ofAddress('10.1.2.3')]).toEqual([7000, 3000]);
});

test('a delay that is given wins over a private delay that is stored', () => {
  const flags = { options: { delay: '2' }, place: (key: string) => `--${key}` };
  const stored = { options: { delay: 4000, privateDelay: 100 }, place: () => 'crawl.json' };
  const { config, sources } = resolveLayers([flags, stored]);
  expect(config).toMatchObject({ delay: 2000, privateDelay: 2000 });
  expect(sources.privateDelay).toBe('--delay');
});
