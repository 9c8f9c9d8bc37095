import { afterEach, describe, expect, test } from 'vitest';
import {
  createResolver,
  type DnsAnswer,
  type DnsError,
  type ResolverOptions,
} from '../../src/net/dns.ts';
import { virtualClock } from '../fetch/virtual-clock.ts';
import { type Answer, type NameServer, nameServer } from './name-server.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
});

async function setUp(entries: Readonly<Record<string, Answer>>, options: ResolverOptions = {}) {
  const server: NameServer = await nameServer(entries);
  const clock = virtualClock();
  const resolver = createResolver({ servers: [server.address], timeout: 2000, clock, ...options });
  opened.push(resolver, server);
  const ips = async (host: string) => (await resolver.resolve(host)).map(({ ip }) => ip);
  const fault = (host: string) =>
    resolver.resolve(host).then(
      () => 'no fault',
      (error: DnsError) => error.fault,
    );
  return { server, clock, resolver, ips, fault };
}

describe('a look-up', () => {
  test('asks the chosen server and returns its addresses in order', async () => {
    const { resolver, server } = await setUp({ 'a.test': { a: ['192.0.2.2', '192.0.2.1'] } });
    expect(await resolver.resolve('a.test')).toEqual([
      { ip: '192.0.2.2', family: 4 },
      { ip: '192.0.2.1', family: 4 },
    ]);
    expect(server.questions).toEqual(['a.test A']);
  });

  test('asks for IPv6 only if there is no IPv4', async () => {
    const { resolver, server } = await setUp({
      'six.test': { aaaa: ['2600:0:0:0:0:0:0:1'] },
      'both.test': { a: ['192.0.2.1'], aaaa: ['2600:0:0:0:0:0:0:1'] },
    });
    expect(await resolver.resolve('six.test')).toEqual([{ ip: '2600::1', family: 6 }]);
    expect(await resolver.resolve('both.test')).toEqual([{ ip: '192.0.2.1', family: 4 }]);
    expect(server.questions).toEqual(['six.test A', 'six.test AAAA', 'both.test A']);
  });

  test('is shared by all callers while it is in progress', async () => {
    const { ips, server } = await setUp({ 'a.test': { a: ['192.0.2.1'] } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ips('a.test')));
    expect(new Set(answers.flat())).toEqual(new Set(['192.0.2.1']));
    expect(server.questions).toHaveLength(1);
  });

  test.each([
    ['127.0.0.1', ['127.0.0.1']],
    ['[::1]', ['::1']],
    ['[2600::1]', ['2600::1']],
    ['localhost', ['127.0.0.1', '::1']],
    ['www.localhost', ['127.0.0.1', '::1']],
    ['localhost.', ['127.0.0.1', '::1']],
  ])('is not needed for %s', async (host, expected) => {
    const { ips, server } = await setUp({});
    expect(await ips(host)).toEqual(expected);
    expect(server.questions).toEqual([]);
  });

  test('is passed to onAnswer once, with all its addresses and the server', async () => {
    const answers: DnsAnswer[] = [];
    const onAnswer = async (answer: DnsAnswer) => void answers.push(answer);
    const entries = {
      'a.test': { a: ['192.0.2.2', '192.0.2.1'], ttl: 70 },
      'six.test': { aaaa: ['2600:0:0:0:0:0:0:1'] },
    };
    const { ips, fault, clock, resolver } = await setUp(entries, { onAnswer, maxAddresses: 1 });
    const askedAt = clock.now();
    await Promise.all([
      ips('a.test'),
      ips('a.test'),
      ips('six.test'),
      fault('none.test'),
      ips('localhost'),
    ]);
    await ips('a.test');
    const [first, second] = answers.toSorted((x, y) => (x.host < y.host ? -1 : 1));
    expect(answers.length).toBe(2);
    expect(first).toEqual({
      ...{ host: 'a.test', askedAt, server: '127.0.0.1' },
      records: [
        { address: '192.0.2.2', ttl: 70 },
        { address: '192.0.2.1', ttl: 70 },
      ],
    });
    expect(second.records).toMatchObject([{ address: '2600::1' }]);
    await resolver.resolve('a.test', true);
    expect(answers.length).toBe(3);
  });

  test('names no server if several are configured', async () => {
    const answers: DnsAnswer[] = [];
    const server = await nameServer({ 'a.test': { a: ['192.0.2.1'] } });
    opened.push(server);
    const resolver = createResolver({
      servers: [server.address, server.address.replace('.1:', '.2:')],
      onAnswer: async (answer) => void answers.push(answer),
    });
    await resolver.resolve('a.test');
    expect(answers).toMatchObject([{ server: undefined }]);
  });

  test('fails with the error of onAnswer, which is not cached', async () => {
    let full = true;
    const onAnswer = async () => {
      if (full) throw new Error('the disk is full');
    };
    const { ips } = await setUp({ 'a.test': { a: ['192.0.2.1'] } }, { onAnswer });
    await expect(ips('a.test')).rejects.toThrow('the disk is full');
    full = false;
    expect(await ips('a.test')).toEqual(['192.0.2.1']);
  });

  test('keeps a few of many addresses', async () => {
    const a = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`);
    const { ips } = await setUp({ 'many.test': { a } }, { maxAddresses: 3 });
    expect(await ips('many.test')).toEqual(a.slice(0, 3));
  });
});

describe('an answer', () => {
  test('is cached for its TTL and no longer', async () => {
    const { ips, server, clock } = await setUp({ 'a.test': { a: ['192.0.2.1'], ttl: 120 } });
    await ips('a.test');
    clock.advance(119_000);
    await ips('a.test');
    expect(server.questions).toHaveLength(1);
    server.table.set('a.test', { a: ['192.0.2.9'] });
    clock.advance(1000);
    expect(await ips('a.test')).toEqual(['192.0.2.9']);
    expect(server.questions).toHaveLength(2);
  });

  test('is cached within bounds, for any TTL', async () => {
    const { ips, server, clock } = await setUp(
      {
        'brief.test': { a: ['192.0.2.1'], ttl: 0 },
        'long.test': { a: ['192.0.2.1'], ttl: 10_000_000 },
      },
      { minTtl: 30_000, maxTtl: 3600_000 },
    );
    for (const host of ['brief.test', 'long.test']) await ips(host);
    clock.advance(29_000);
    for (const host of ['brief.test', 'long.test']) await ips(host);
    expect(server.questions).toHaveLength(2);
    clock.advance(3600_000);
    for (const host of ['brief.test', 'long.test']) await ips(host);
    expect(server.questions).toHaveLength(4);
  });

  test('expires when the clock is set back', async () => {
    const { ips, server, clock } = await setUp({ 'a.test': { a: ['192.0.2.1'] } });
    await ips('a.test');
    clock.jump(-3600_000);
    await ips('a.test');
    expect(server.questions).toHaveLength(2);
  });

  test('makes room for newer ones, the least recently used first', async () => {
    const names = ['a.test', 'b.test', 'c.test'];
    const table = Object.fromEntries(names.map((name) => [name, { a: ['192.0.2.1'] }]));
    const { ips, server } = await setUp(table, { maxEntries: 2 });
    for (const name of ['a.test', 'b.test', 'a.test', 'c.test', 'a.test', 'b.test'])
      await ips(name);
    expect(server.questions).toEqual(['a.test A', 'b.test A', 'c.test A', 'b.test A']);
  });
});

describe('a failure', () => {
  test.each([
    ['a name that does not exist', { code: 3 }, 'dns-not-found'],
    ['a name without an address', {}, 'dns-not-found'],
    ['a server that fails', { code: 2 }, 'dns-failed'],
    ['a server that refuses', { code: 5 }, 'dns-failed'],
  ])('of %s is reported and cached', async (_, answer, expected) => {
    const { fault, server, clock } = await setUp(
      { 'a.test': answer },
      { negativeTtl: 100_000, tries: 1 },
    );
    expect(await fault('a.test')).toBe(expected);
    const asked = server.questions.length;
    clock.advance(9000);
    expect(await fault('a.test')).toBe(expected);
    expect(server.questions).toHaveLength(asked);
    clock.advance(100_000);
    await fault('a.test');
    expect(server.questions.length).toBeGreaterThan(asked);
  });

  test('of a server is cached for less time than of a name', async () => {
    const { fault, server, clock } = await setUp(
      { 'a.test': { code: 2 } },
      { negativeTtl: 100_000, tries: 1 },
    );
    await fault('a.test');
    server.table.set('a.test', { a: ['192.0.2.1'] });
    clock.advance(10_000);
    expect(await fault('a.test')).toBe('no fault');
  });

  test('of a silent server is a time-out', async () => {
    const { fault } = await setUp({ 'a.test': { silent: true } }, { timeout: 50, tries: 1 });
    expect(await fault('a.test')).toBe('dns-timeout');
  });

  test.each([
    'x'.repeat(300),
    `${'y'.repeat(70)}.test`,
    'a..b',
  ])('of the impossible name %.20s… is reported', async (name) => {
    const { fault } = await setUp({}, { timeout: 200, tries: 1 });
    expect(await fault(name)).toBe('dns-not-found');
  });

  test('of a look-up that closing ended is reported and not cached', async () => {
    const { fault, resolver, server } = await setUp({ 'a.test': { silent: true } });
    const cut = fault('a.test');
    while (server.questions.length === 0) await new Promise(setImmediate);
    resolver.close();
    expect(await cut).toBe('dns-failed');
    server.table.set('a.test', { a: ['192.0.2.1'] });
    expect(await fault('a.test')).toBe('no fault');
  });

  test.each([
    '',
    'nonsense',
    'dns.example',
    '127.0.0.1:99999',
    '127.0.0.1:0',
    '127.0.0.1:',
    '1.2.3',
    '[1::2',
  ])('to configure the server %j is refused with a remedy', (server) => {
    expect(() => createResolver({ servers: [server] })).toThrow(/Write an address/);
  });

  test.each([
    '9.9.9.9',
    '127.0.0.1:5300',
    '::1',
    '[::1]',
    '[2600::1]:5300',
  ])('does not occur with the server %j', (server) => {
    createResolver({ servers: [server] }).close();
  });
});
