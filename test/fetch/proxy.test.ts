import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { proxyOf } from '../../src/fetch/proxy.ts';
import { createAddressGuard } from '../../src/net/address-guard.ts';
import { DnsError, type NameResolver } from '../../src/net/dns.ts';
import { AUTHORITY, CERTIFICATE, KEY } from './certificates.ts';
import { client, faultOf, server } from './client-fixture.ts';
import { type ForwardProxy, forwardProxy } from './forward-proxy.ts';
import { send } from './scripted-server.ts';
import { settle, virtualClock } from './virtual-clock.ts';

const hello = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const secure = { key: KEY, cert: CERTIFICATE };
/** An address that does not exist: with a proxy it must not matter. */
const nowhere = { ip: '192.0.2.1', family: 4 } as const;

const opened: ForwardProxy[] = [];
afterEach(async () => {
  for (const made of opened.splice(0)) await made.close();
});
async function through(answer?: (head: string) => string | undefined): Promise<ForwardProxy> {
  const made = await forwardProxy(answer);
  opened.push(made);
  return made;
}
const authorization = 'Basic dXNlcjpzZWNyZXQ=';

describe('through a proxy', () => {
  test('a page over http is requested by its full URL, and its own address does not matter', async () => {
    const { url, requests } = await server(send(hello));
    const { proxy, heads } = await through();
    const exchange = await client({ proxy }).fetch({ url: url('/a?b'), address: nowhere });
    expect(Buffer.from(exchange.payload).toString()).toBe('hello');
    expect(exchange.ip).toBe('127.0.0.1');
    expect(heads[0].split('\r\n')[0]).toBe(`GET ${url('/a?b')} HTTP/1.1`);
    expect(requests[0]).toMatch(/^GET \/a\?b HTTP\/1.1\r\nHost: lab\.test:\d+\r\n/);
    expect(Buffer.from(exchange.requestBytes).toString()).toBe(heads[0]);
  });

  test('one connection serves pages over http of all hosts', async () => {
    const { url } = await server(send(hello));
    const { proxy, connections } = await through();
    const http = client({ proxy });
    for (const host of ['a.test', 'b.test', 'c.test']) {
      await http.fetch({ url: url().replace('lab.test', host), address: nowhere });
    }
    expect(connections()).toBe(1);
  });

  test('all connections that were needed are kept', async () => {
    const { url } = await server(send(hello));
    const { proxy, connections } = await through();
    const http = client({ proxy });
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        ['a', 'b', 'c'].map((name) =>
          http.fetch({ url: url().replace('lab', name), address: nowhere }),
        ),
      );
    }
    expect(connections()).toBe(3);
  });

  test('a page over https comes through a tunnel that is kept; the proxy sees only its target', async () => {
    const { url, port, requests } = await server(send(hello), secure);
    const { proxy, heads, connections } = await through();
    const http = client({ proxy, tls: { ca: AUTHORITY } });
    for (let i = 0; i < 3; i++) {
      const exchange = await http.fetch({ url: url(`/${i}`), address: nowhere });
      expect(Buffer.concat([exchange.head, ...exchange.wireBody]).toString()).toBe(hello);
      expect(Buffer.from(exchange.requestBytes).toString()).toBe(requests[i]);
    }
    expect(heads).toEqual([`CONNECT lab.test:${port} HTTP/1.1\r\nHost: lab.test:${port}\r\n\r\n`]);
    expect(connections()).toBe(1);
  });

  test('a page of megabytes comes complete through a tunnel, despite pauses', async () => {
    const body = 'abcdefg'.repeat(300_000);
    const { url } = await server(
      send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, body),
      secure,
    );
    const { proxy } = await through();
    const http = client({ proxy, tls: { ca: AUTHORITY }, limits: { maxBufferedBytes: 100_000 } });
    const pages = await Promise.all(
      ['www.lab.test', 'lab.test'].map((host) =>
        http.fetch({ url: url().replace('lab.test', host), address: nowhere }),
      ),
    );
    for (const { payload } of pages) expect(Buffer.from(payload).toString()).toBe(body);
  });

  test('the certificate of the origin is checked', async () => {
    const { url, requests } = await server(send(hello), secure);
    const { proxy } = await through();
    const other = url().replace('lab.test', 'elsewhere.test');
    const checked = client({ proxy, tls: { ca: AUTHORITY } });
    expect(await faultOf(checked.fetch({ url: other, address: nowhere }))).toBe('tls-failed');
    expect(requests).toEqual([]);
    const unchecked = client({ proxy, insecure: true });
    expect(await unchecked.fetch({ url: other, address: nowhere })).toMatchObject({ status: 200 });
  });

  test('the credentials of the proxy go to the proxy, not to the origin and not into the archive', async () => {
    const plain = await server(send(hello));
    const tunnelled = await server(send(hello), secure);
    const { proxy, heads } = await through();
    const http = client({ proxy: { ...proxy, authorization }, tls: { ca: AUTHORITY } });
    const open = await http.fetch({ url: plain.url(), address: nowhere });
    const hidden = await http.fetch({ url: tunnelled.url(), address: nowhere });
    for (const head of heads)
      expect(head).toContain(`\r\nProxy-Authorization: ${authorization}\r\n`);
    expect(tunnelled.requests[0]).not.toContain('Authorization');
    expect(Buffer.from(open.requestBytes).toString()).toContain(
      '\r\nProxy-Authorization: [redacted]\r\n',
    );
    expect(Buffer.from(hidden.requestBytes).toString()).not.toContain('Authorization');
  });
});

describe('a proxy that fails', () => {
  const answers: [what: string, answer: string, fault: string][] = [
    [
      'asks for credentials',
      'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n',
      'proxy-failed',
    ],
    ['cannot reach the origin', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'connect-failed'],
    ['sends a malformed answer', 'hello\r\n\r\n', 'proxy-failed'],
    ['sends bytes before the origin can', 'HTTP/1.1 200 OK\r\n\r\nhello', 'proxy-failed'],
    ['never ends its head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`, 'proxy-failed'],
  ];
  test.each(
    answers,
  )('and %s is distinguished from an origin that fails', async (_, answer, fault) => {
    const { proxy } = await through(() => answer);
    const http = client({ proxy: { ...proxy, authorization } });
    const fetched = http.fetch({ url: 'https://lab.test/', address: nowhere });
    expect(await faultOf(fetched)).toBe(fault);
    await fetched.catch((error) => expect(String(error)).not.toContain('dXNlcj'));
  });

  test('and requires credentials fails over http; over https the 407 is a page of the site', async () => {
    const { proxy } = await through(() => answers[0][1]);
    expect(
      await faultOf(client({ proxy }).fetch({ url: 'http://lab.test/', address: nowhere })),
    ).toBe('proxy-failed');
    const { url } = await server(send(answers[0][1]), secure);
    const tunnel = await through();
    const http = client({ proxy: tunnel.proxy, tls: { ca: AUTHORITY } });
    expect(await http.fetch({ url: url(), address: nowhere })).toMatchObject({ status: 407 });
  });

  test.each([
    'http',
    'https',
  ])('and does not exist is distinguished from a missing origin, for %s', async (scheme) => {
    const { proxy, close } = await forwardProxy();
    await close();
    expect(
      await faultOf(client({ proxy }).fetch({ url: `${scheme}://lab.test/`, address: nowhere })),
    ).toBe('proxy-failed');
  });

  test('and closes or stays silent ends the exchange', async () => {
    const rude = net.createServer((socket) =>
      socket.on('error', () => {}).on('data', () => socket.end()),
    );
    rude.listen(0, '127.0.0.1');
    await once(rude, 'listening');
    const { port } = rude.address() as net.AddressInfo;
    const address = { ip: '127.0.0.1', family: 4 } as const;
    expect(
      await faultOf(
        client({ proxy: { address, port } }).fetch({ url: 'https://lab.test/', address: nowhere }),
      ),
    ).toBe('proxy-failed');
    rude.close();
    const clock = virtualClock();
    const { proxy } = await through(() => '');
    const http = client({ proxy, clock, limits: { connect: 1000 } });
    expect(
      await settle(faultOf(http.fetch({ url: 'https://lab.test/', address: nowhere })), clock),
    ).toBe('connect-timeout');
  });
});

describe('the address guard', () => {
  test('checks the address of the proxy', async () => {
    const { proxy, connections } = await through();
    const http = client({ proxy, guard: createAddressGuard() });
    await expect(http.fetch({ url: 'http://lab.test/', address: nowhere })).rejects.toMatchObject({
      fault: 'address-refused',
      message: '127.0.0.1 is a loopback address',
    });
    expect(connections()).toBe(0);
  });

  test.each([
    'http://10.0.0.1/',
    'https://[::1]/',
    'http://169.254.169.254/latest/',
    'http://localhost/',
    'http://a.localhost/',
  ])('checks an address in the URL itself: %s', async (url) => {
    // It is never connected to.
    const proxy = { address: { ip: '192.0.2.9', family: 4 }, port: 9 } as const;
    const http = client({ proxy, guard: createAddressGuard({ allowPrivate: ['192.0.2.9/32'] }) });
    expect(await faultOf(http.fetch({ url, address: nowhere }))).toBe('address-refused');
  });
});

describe('a proxy setting', () => {
  const resolver: NameResolver = {
    resolve: async (host) => {
      if (host !== 'proxy.test')
        throw new DnsError('dns-not-found', `${host} could not be resolved`);
      return [{ ip: '192.0.2.7', family: 4 }];
    },
    close: () => {},
  };

  test.each([
    ['http://proxy.test:3128', { port: 3128 }],
    ['HTTP://Proxy.test/', { port: 80 }],
    ['http://user:secret@proxy.test:3128/', { port: 3128, authorization }],
    [
      'http://us%40er:s%3Acret@proxy.test:1',
      { port: 1, authorization: `Basic ${btoa('us@er:s:cret')}` },
    ],
    ['http://user@proxy.test:1', { port: 1, authorization: `Basic ${btoa('user:')}` }],
  ])('like %s', async (text, expected) => {
    expect(await proxyOf(text, resolver)).toEqual({
      address: { ip: '192.0.2.7', family: 4 },
      ...expected,
    });
  });

  test.each([
    'proxy.test:3128',
    'https://user:secret@proxy.test',
    'socks5://user:secret@proxy.test',
    'http://user:secret@proxy.test:99999',
    'http://user:secret@proxy.test/path',
    'http://user:secret%zz@proxy.test',
    'http://user:secret@elsewhere.test',
    'http://user:sec ret@',
    '',
  ])('refuses %j without quoting a secret', async (text) => {
    const error = await proxyOf(text, resolver).then(
      () => undefined,
      (refusal) => refusal,
    );
    expect(error).toMatchObject({ code: 'PROXY' });
    expect(error.message).not.toContain('sec');
  });
});
