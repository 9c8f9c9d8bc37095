import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BodyBudget } from '../../src/fetch/body-budget.ts';
import { createAddressGuard } from '../../src/net/address-guard.ts';
import { client, faultOf, server } from './client-fixture.ts';
import {
  drip,
  forever,
  type Script,
  send,
  sendAndClose,
  sendAndReset,
  silence,
} from './scripted-server.ts';
import { settle, virtualClock } from './virtual-clock.ts';

const hello = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello';
const ages = 1e9;
const patient = { connect: ages, tlsHandshake: ages, firstByte: ages, idle: ages, total: ages };

describe('an exchange', () => {
  test('holds what was sent and what was received, to the byte', async () => {
    const { url, address, requests } = await server(send(hello));
    const exchange = await client().fetch({ url: url('/a?b=c'), address });
    expect(Buffer.from(exchange.requestBytes).toString()).toBe(requests[0]);
    expect(Buffer.concat([exchange.head, ...exchange.wireBody]).toString()).toBe(hello);
    expect(exchange).toMatchObject({
      status: 200,
      url: url('/a?b=c'),
      ip: '127.0.0.1',
      bytesReceived: hello.length,
    });
    expect(exchange.headers.get('CONTENT-TYPE')).toBe('text/plain');
    expect(Buffer.from(exchange.payload).toString()).toBe('hello');
  });

  test('sends the headers of a polite crawler, then those of the caller', async () => {
    const { url, address, requests, port } = await server(send(hello));
    await client().fetch({ url: url('/a?b=c'), address, headers: [['If-None-Match', '"x"']] });
    expect(requests[0].split('\r\n')).toEqual([
      'GET /a?b=c HTTP/1.1',
      `Host: lab.test:${port}`,
      'User-Agent: Mozilla/5.0 (compatible; drumlin/1.2.3; +https://example.org/crawler)',
      'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'Accept-Encoding: gzip, deflate, br',
      'Connection: keep-alive',
      'If-None-Match: "x"',
      '',
      '',
    ]);
  });

  test('works for any http URL, canonical or not', async () => {
    const { address, requests, port } = await server(send(hello));
    const http = client();
    await http.fetch({ url: `HTTP://User:pass@LAB.test:${port}/ü x?y#z`, address });
    await http.fetch({ url: `http://lab.test:${port}?q`, address });
    expect(requests.map((request) => request.split('\r\n')[0])).toEqual([
      'GET /%C3%BC%20x?y HTTP/1.1',
      'GET /?q HTTP/1.1',
    ]);
  });

  test('cannot be made to carry a second request', async () => {
    const { url, address, requests } = await server(send(hello));
    const http = client();
    await http.fetch({ url: url('/a b'), address });
    expect(requests[0]).toMatch(/^GET \/a%20b HTTP/);
    const smuggled = [['X', 'a\r\nGET / HTTP/1.1']] as const;
    await expect(http.fetch({ url: url(), address, headers: smuggled })).rejects.toThrow(TypeError);
    await expect(http.fetch({ url: url(), address, headers: [['X y', 'z']] })).rejects.toThrow(
      TypeError,
    );
    await expect(http.fetch({ url: 'ftp://lab.test/', address })).rejects.toThrow(TypeError);
    await expect(http.fetch({ url: 'nonsense', address })).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(1);
  });

  test('with HEAD has no body and keeps the connection', async () => {
    const { url, address, connections } = await server(
      send('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'),
    );
    const http = client();
    for (let i = 0; i < 2; i++) {
      const exchange = await http.fetch({ url: url(), address, method: 'HEAD' });
      expect(exchange).toMatchObject({ status: 200, wireBody: [] });
    }
    expect(connections()).toBe(1);
  });
});

describe('a kept connection', () => {
  test('serves the next request to the same origin at the same address', async () => {
    const { url, address, connections } = await server(send(hello));
    const http = client();
    for (let i = 0; i < 5; i++) await http.fetch({ url: url(`/${i}`), address });
    expect(connections()).toBe(1);
  });

  test('is not shared between hosts at the same address', async () => {
    const { url, address, connections } = await server(send(hello));
    const http = client();
    await http.fetch({ url: url(), address });
    await http.fetch({ url: url().replace('lab.test', 'other.test'), address });
    expect(connections()).toBe(2);
  });

  test('that turns out to be closed is replaced once, without an error', async () => {
    const { url, address, connections } = await server((conversation) => {
      if (conversation.earlier === 0) send(hello)(conversation);
      else conversation.socket.resetAndDestroy();
    });
    const http = client();
    for (let i = 0; i < 3; i++) await http.fetch({ url: url(), address });
    expect(connections()).toBe(3);
  });

  test('is not replaced again if a fresh one fails the same way', async () => {
    const { url, address, connections } = await server((conversation) => {
      if (conversation.connection === 0 && conversation.earlier === 0) send(hello)(conversation);
      else conversation.socket.end();
    });
    const http = client();
    await http.fetch({ url: url(), address });
    expect(await faultOf(http.fetch({ url: url(), address }))).toBe('empty-response');
    expect(connections()).toBe(2);
  });

  test('is not replaced after a byte of the response was received', async () => {
    const { url, address, connections } = await server((conversation) =>
      (conversation.earlier === 0 ? send(hello) : sendAndClose('HTTP/1.1 2'))(conversation),
    );
    const http = client();
    await http.fetch({ url: url(), address });
    expect(await faultOf(http.fetch({ url: url(), address }))).toBe('bad-response');
    expect(connections()).toBe(1);
  });

  test('that receives bytes without a request is closed', async () => {
    const sockets: net.Socket[] = [];
    const { url, address, connections } = await server((conversation) => {
      sockets.push(conversation.socket);
      send(hello)(conversation);
    });
    const http = client();
    await http.fetch({ url: url(), address });
    sockets[0].write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
    await once(sockets[0], 'close');
    const exchange = await http.fetch({ url: url(), address });
    expect(Buffer.from(exchange.payload).toString()).toBe('hello');
    expect(connections()).toBe(2);
  });

  test.each([
    [
      'the server says close',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello',
    ],
    ['more bytes arrive than its length', `${hello}, world`],
    [
      'the framing is in doubt',
      `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])('is closed when %s', async (_, response) => {
    const { url, address, connections } = await server(send(response));
    const http = client();
    for (let i = 0; i < 2; i++) await http.fetch({ url: url(), address });
    expect(connections()).toBe(2);
  });

  test('is never kept if keep-alive is off, and the request says so', async () => {
    const { url, address, connections, requests } = await server(send(hello));
    const http = client({ keepAlive: { perOrigin: 0 } });
    for (let i = 0; i < 2; i++) await http.fetch({ url: url(), address });
    expect(connections()).toBe(2);
    expect(requests[0]).toContain('Connection: close');
  });

  test('stays idle no longer than its limit, or than the limit of the server', async () => {
    const response = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=3, max=9\r\nContent-Length: 0\r\n\r\n';
    for (const [reply, idle] of [
      [hello, 2000],
      [response, 60_000],
    ] as const) {
      const clock = virtualClock();
      const { url, address, connections } = await server(send(reply));
      const http = client({ clock, keepAlive: { idle } });
      await http.fetch({ url: url(), address });
      clock.advance(1500);
      await http.fetch({ url: url(), address });
      expect(connections()).toBe(1);
      clock.advance(3000);
      await http.fetch({ url: url(), address });
      expect(connections()).toBe(2);
    }
  });

  test('that the server keeps for 5 s survives a delay of 4 s', async () => {
    const clock = virtualClock();
    const { url, address, connections } = await server(
      send('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n'),
    );
    const http = client({ clock });
    for (let i = 0; i < 4; i++) {
      await http.fetch({ url: url(), address });
      clock.advance(4300);
    }
    expect(connections()).toBe(1);
    clock.advance(700);
    await http.fetch({ url: url(), address });
    expect(connections()).toBe(2);
  });

  test('counts against a limit; the one that has been idle longest is closed first', async () => {
    const { url, address, connections } = await server(send(hello));
    const http = client({ clock: virtualClock(), keepAlive: { total: 40 } });
    const visit = (host: number) => http.fetch({ url: url().replace('lab', `h${host}`), address });
    for (let host = 0; host <= 40; host++) await visit(host);
    for (const host of [1, 20, 40]) await visit(host);
    expect(connections()).toBe(41);
    await visit(0);
    expect(connections()).toBe(42);
  });

  test('is closed after the last request to its host if many are idle', async () => {
    const { url, address, connections } = await server(send(hello));
    const http = client({ clock: virtualClock(), keepAlive: { plenty: 3 } });
    const visit = (host: number) =>
      http.fetch({ url: url().replace('lab', `h${host}`), address, isLast: true });
    for (let host = 0; host < 5; host++) await visit(host);
    for (const host of [0, 1, 2]) await visit(host);
    expect(connections()).toBe(5);
    for (const host of [3, 4]) await visit(host);
    expect(connections()).toBe(7);
  });

  test('makes room for a newer one if there are too many', async () => {
    const one = await server(send(hello));
    const other = await server(send(hello));
    const http = client({ keepAlive: { total: 1 } });
    for (const { url, address } of [one, other, other, one])
      await http.fetch({ url: url(), address });
    expect([one.connections(), other.connections()]).toEqual([2, 1]);
  });
});

test('resting connections give way when the system has no room for another socket', async () => {
  const { port } = await server(send(hello));
  const script = fileURLToPath(new URL('./few-sockets-child.ts', import.meta.url));
  const command = `ulimit -n 120 && exec "$0" --import tsx "$1" ${port} 300`;
  const child = spawn('sh', ['-c', command, process.execPath, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
  });
  await once(child, 'close');
  expect(out).toBe('300 pages ');
});

describe('a server that misbehaves', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n';
  const faults: [what: string, script: Script, fault: string][] = [
    ['closes without a response', sendAndClose(), 'empty-response'],
    ['resets without a response', sendAndReset(''), 'reset'],
    ['closes within the head', sendAndClose('HTTP/1.1 200 OK\r\nX'), 'bad-response'],
    ['speaks another protocol', send('220 mail.lab.test ESMTP\r\n'), 'bad-response'],
    [
      'sends headers for ever',
      drip(forever('X-More: and more\r\n'.repeat(100)), 'HTTP/1.1 200 OK\r\n'),
      'head-too-large',
    ],
  ];
  test.each(faults)('and %s is detected', async (_, script, fault) => {
    const { url, address } = await server(script);
    expect(await faultOf(client().fetch({ url: url(), address }))).toBe(fault);
  });

  const partial: [what: string, script: Script, truncated: string, payload: string][] = [
    ['resets within the body', sendAndReset(`${head}hello`), 'disconnect', 'hello'],
    ['closes within the body', sendAndClose(`${head}hello`), 'disconnect', 'hello'],
    [
      'sends a body for ever',
      drip(forever('x'.repeat(7)), 'HTTP/1.1 200 OK\r\n\r\n'),
      'length',
      'x'.repeat(1000),
    ],
    [
      'sends more than the limit',
      send(`${head.replace('50', '5000')}${'x'.repeat(5000)}`),
      'length',
      'x'.repeat(1000),
    ],
  ];
  test.each(partial)('and %s yields what it sent', async (_, script, truncated, payload) => {
    const { url, address } = await server(script);
    const exchange = await client({ limits: { maxBodyBytes: 1000 } }).fetch({
      url: url(),
      address,
    });
    expect(exchange).toMatchObject({ status: 200, truncated });
    expect(Buffer.from(exchange.payload).toString()).toBe(payload);
  });

  test('and one that does not exist is reported as refused', async () => {
    const probe = net.createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as net.AddressInfo;
    probe.close();
    await once(probe, 'close');
    const address = { ip: '127.0.0.1', family: 4 } as const;
    expect(await faultOf(client().fetch({ url: `http://lab.test:${port}/`, address }))).toBe(
      'connect-refused',
    );
  });

  test('and sends one byte at a time is read to the end', async () => {
    const { url, address } = await server(drip(hello));
    const exchange = await client().fetch({ url: url(), address });
    expect(Buffer.from(exchange.payload).toString()).toBe('hello');
    expect(exchange.defects).toEqual([]);
  });
});

describe('the time limit', () => {
  test('on connecting ends it', async () => {
    const clock = virtualClock();
    const { url, address } = await server(send(hello));
    const fetched = faultOf(
      client({ clock, limits: { ...patient, connect: 1000 } }).fetch({ url: url(), address }),
    );
    clock.advance(2000); // before the event loop can see the connection open
    expect(await fetched).toBe('connect-timeout');
  });

  test('on the TLS handshake ends it', async () => {
    const clock = virtualClock();
    const { address, port } = await server(silence);
    const http = client({ clock, limits: { ...patient, tlsHandshake: 1000 } });
    expect(
      await settle(faultOf(http.fetch({ url: `https://lab.test:${port}/`, address })), clock),
    ).toBe('connect-timeout');
  });

  test('on the first byte ends it', async () => {
    const clock = virtualClock();
    const { url, address } = await server(silence);
    const http = client({ clock, limits: { ...patient, firstByte: 1000 } });
    expect(await settle(faultOf(http.fetch({ url: url(), address })), clock)).toBe(
      'response-timeout',
    );
  });

  test('on silence within the head ends it', async () => {
    const clock = virtualClock();
    const { url, address } = await server(send('HTTP/1.1 200 OK\r\nX: y'));
    const http = client({ clock, limits: { ...patient, idle: 1000 } });
    expect(await settle(faultOf(http.fetch({ url: url(), address })), clock)).toBe(
      'response-timeout',
    );
  });

  test('on silence within the body keeps what was received', async () => {
    const clock = virtualClock();
    const { url, address } = await server(
      send('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello'),
    );
    const http = client({ clock, limits: { ...patient, idle: 1000 } });
    const exchange = await settle(http.fetch({ url: url(), address }), clock);
    expect(exchange).toMatchObject({ truncated: 'time', bytesReceived: 44 });
    expect(exchange.elapsed).toBeGreaterThanOrEqual(1000);
  });

  test('on the whole exchange ends a slow head', async () => {
    const clock = virtualClock();
    const { url, address } = await server(drip(forever('x'), 'HTTP/1.1 200 OK\r\nX: '));
    const http = client({ clock, limits: { ...patient, idle: 1000, total: 5000 } });
    expect(await settle(faultOf(http.fetch({ url: url(), address })), clock, 100)).toBe(
      'response-timeout',
    );
  });

  test('on the whole exchange keeps what was received of a slow body', async () => {
    const clock = virtualClock();
    const { url, address } = await server(drip(forever('x'), 'HTTP/1.1 200 OK\r\n\r\n'));
    const http = client({ clock, limits: { ...patient, idle: 1000, total: 5000 } });
    const exchange = await settle(http.fetch({ url: url(), address }), clock, 100);
    expect(exchange).toMatchObject({ status: 200, truncated: 'time' });
    expect(exchange.payload.length).toBeGreaterThan(0);
  });

  test('is never reached early', async () => {
    const clock = virtualClock();
    const { url, address } = await server(silence);
    const http = client({ clock, limits: { ...patient, firstByte: 1000 } });
    const began = clock.now();
    await settle(faultOf(http.fetch({ url: url(), address })), clock, 5);
    expect(clock.now() - began).toBeGreaterThanOrEqual(1000);
  });

  test('is independent of changes to the wall clock', async () => {
    const clock = virtualClock();
    const { url, address } = await server(silence);
    const http = client({ clock, limits: { ...patient, firstByte: 1000 } });
    const fetched = faultOf(http.fetch({ url: url(), address }));
    clock.jump(3600_000);
    clock.advance(500);
    clock.jump(-7200_000);
    let fault: string | undefined;
    fetched.then((settled) => {
      fault = settled;
    });
    for (let i = 0; i < 10; i++) await turn();
    expect(fault).toBeUndefined();
    expect(await settle(fetched, clock)).toBe('response-timeout');
  });
});

describe('back-pressure', () => {
  const size = 400_000;
  const large = `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`;

  test('lets every body complete although they do not fit together', async () => {
    const { url, address } = await server(send(large));
    const http = client({ limits: { maxBufferedBytes: size / 2 } });
    const exchanges = await Promise.all(
      Array.from({ length: 8 }, (_, i) => http.fetch({ url: url(`/${i}`), address })),
    );
    expect(exchanges.map(({ payload }) => payload.length)).toEqual(new Array(8).fill(size));
  });

  test('does not count the time of a pause towards the limit of the whole exchange', async () => {
    const clock = virtualClock();
    const rest: (() => void)[] = [];
    const { url, address } = await server(({ socket }) => {
      socket.write(large.slice(0, -1000));
      rest.push(() => socket.write(large.slice(-1000)));
    });
    const http = client({
      clock,
      limits: { ...patient, total: 6000, idle: 5900, maxBufferedBytes: size / 10, minRate: 0 },
    });
    const first = http.fetch({ url: url('/first'), address });
    while (rest.length < 1) await turn();
    for (let i = 0; i < 50; i++) await turn();
    const held = http.fetch({ url: url('/held'), address });
    const pass = async (millis: number) => {
      for (let i = 0; i < 50; i++) {
        await turn();
        clock.advance(millis / 50);
      }
    };
    await pass(5000);
    rest[0]();
    await first;
    await pass(3000);
    rest[1]();
    expect((await held).truncated).toBeUndefined();
  });

  test('pauses a body while there is no room, which does not count as silence', async () => {
    const clock = virtualClock();
    const other: { finish?: () => void } = {};
    const { url, address } = await server((conversation) => {
      if (conversation.request.startsWith('GET /large')) return send(large)(conversation);
      // It sends a byte at every turn until it may finish.
      const { socket } = conversation;
      let left = 3000;
      let mayFinish = false;
      socket.write(large.slice(0, -left));
      const next = () => {
        if (mayFinish || left <= 1) return void (mayFinish && socket.write('x'.repeat(left)));
        left--;
        socket.write('x', () => setImmediate(next));
      };
      other.finish = () => {
        mayFinish = true;
      };
      next();
    });
    const http = client({
      clock,
      limits: { ...patient, idle: 1000, maxBufferedBytes: size / 10, minRate: 0 },
    });
    const first = http.fetch({ url: url('/first'), address });
    while (other.finish === undefined) await turn();
    let arrived = false;
    const held = http.fetch({ url: url('/large'), address }).finally(() => {
      arrived = true;
    });
    for (let i = 0; i < 100; i++) {
      await turn();
      clock.advance(100);
    }
    expect(arrived).toBe(false);
    other.finish();
    await first;
    const exchange = await held;
    expect(exchange.truncated).toBeUndefined();
    expect(exchange.payload.length).toBe(size);
  });

  test('does not wait for requests that have no body yet', async () => {
    const { url, address } = await server((conversation) => {
      if (conversation.request.startsWith('GET /large')) send(large)(conversation);
    });
    const http = client({ clock: virtualClock(), limits: { maxBufferedBytes: size / 10 } });
    const silent = Array.from({ length: 3 }, () => faultOf(http.fetch({ url: url(), address })));
    const exchange = await http.fetch({ url: url('/large'), address });
    expect(exchange.payload.length).toBe(size);
    await http.close();
    expect(await Promise.all(silent)).toEqual(['reset', 'reset', 'reset']);
  });

  test('ends when others refund what they charged to the same budget', async () => {
    const bodies = new BodyBudget(size);
    const { url, address } = await server(send(large));
    const http = client({ bodies });
    bodies.charge(2 * size);
    const all = Array.from({ length: 3 }, () => http.fetch({ url: url(), address }));
    const first = await Promise.race(all);
    expect(first.payload.length).toBe(size);
    bodies.refund(2 * size);
    for (const { payload } of await Promise.all(all)) expect(payload.length).toBe(size);
    expect(bodies.used).toBe(0);
  });
});

describe('bodies that withhold their last bytes', () => {
  const size = 400_000;
  const large = `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`;
  /** Everything but the last bytes, then one byte now and then. */
  const withhold: Script = ({ socket }) => {
    socket.write(large.slice(0, -1000));
    const dripOne = () => {
      if (!socket.destroyed) socket.write('x', () => setImmediate(dripOne));
    };
    setImmediate(dripOne);
  };
  const halt: Script = ({ socket }) => void socket.write(large.slice(0, -5));

  test.each([
    ['in silence', halt],
    ['byte by byte', withhold],
  ])('%s are cut while there is no memory, and the others arrive', async (_, slow) => {
    const clock = virtualClock();
    const { url, address } = await server((conversation) => {
      if (conversation.request.startsWith('GET /good')) send(large)(conversation);
      else slow(conversation);
    });
    const http = client({ clock, limits: { ...patient, maxBufferedBytes: 2 * size } });
    const held = Array.from({ length: 4 }, () => http.fetch({ url: url('/held'), address }));
    for (const each of held) each.catch(() => {}); // those that are not cut end with the client
    const good = Array.from({ length: 4 }, () => http.fetch({ url: url('/good'), address }));
    const began = clock.now();
    for (const { payload, truncated } of await settle(Promise.all(good), clock)) {
      expect(payload.length).toBe(size);
      expect(truncated).toBeUndefined();
    }
    expect(clock.now() - began).toBeLessThan(60_000);
    const cut = await settle(held[0], clock);
    expect(cut.truncated).toBe('time');
    expect(cut.payload.length).toBeGreaterThan(64 * 1024);
  });

  test('are cut in the order of their age, and only until there is room', async () => {
    const clock = virtualClock();
    const { url, address } = await server(halt);
    const http = client({ clock, limits: { ...patient, maxBufferedBytes: 2.5 * size } });
    const cut: number[] = [];
    for (let i = 0; i < 4; i++) {
      void http.fetch({ url: url(`/${i}`), address }).then(
        ({ truncated }) => truncated === 'time' && cut.push(i),
        () => {},
      );
    }
    for (let i = 0; i < 1000; i++) {
      await turn();
      clock.advance(10);
    }
    expect(cut).toEqual([0, 1]);
  });

  test('are left alone while there is memory', async () => {
    const clock = virtualClock();
    const { url, address } = await server(halt);
    const http = client({ clock, limits: { ...patient, idle: 60_000 } });
    const began = clock.now();
    const { truncated } = await settle(http.fetch({ url: url(), address }), clock, 100);
    expect(truncated).toBe('time');
    expect(clock.now() - began).toBeGreaterThanOrEqual(60_000);
  });

  test('are left alone if they hold next to nothing', async () => {
    const clock = virtualClock();
    const bodies = new BodyBudget(0);
    const { url, address } = await server(({ socket }) => void socket.write(large.slice(0, 9000)));
    const http = client({ clock, bodies, limits: { ...patient, idle: 60_000 } });
    const began = clock.now();
    await settle(http.fetch({ url: url(), address }), clock, 100);
    expect(clock.now() - began).toBeGreaterThanOrEqual(60_000);
  });
});

describe('the client', () => {
  test('connects to no address that the guard refuses', async () => {
    const { url, address, connections } = await server(send(hello));
    const http = client({ guard: createAddressGuard() });
    await expect(http.fetch({ url: url(), address })).rejects.toMatchObject({
      fault: 'address-refused',
      message: '127.0.0.1 is a loopback address',
    });
    expect(connections()).toBe(0);
  });

  test('fails current and later fetches when it is closed', async () => {
    const { url, address, requests } = await server(silence);
    const http = client();
    const fetched = faultOf(http.fetch({ url: url(), address }));
    while (requests.length === 0) await turn();
    await http.close();
    expect(await fetched).toBe('reset');
    expect(await faultOf(http.fetch({ url: url(), address }))).toBe('reset');
  });

  test('serves many requests at once without mixing them up', async () => {
    const { url, address } = await server((conversation) => {
      const path = conversation.request.split(' ')[1];
      drip([`HTTP/1.1 200 OK\r\nContent-Le`, `ngth: ${path.length}\r\n\r`, `\n${path}`])(
        conversation,
      );
    });
    const http = client({ keepAlive: { perOrigin: 5 } });
    const paths = Array.from({ length: 200 }, (_, i) => `/${'x'.repeat(i % 17)}${i}`);
    const bodies = await Promise.all(
      paths.map(async (path) =>
        Buffer.from((await http.fetch({ url: url(path), address })).payload).toString(),
      ),
    );
    expect(bodies).toEqual(paths);
  });
});
