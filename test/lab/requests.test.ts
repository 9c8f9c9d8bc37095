import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { htmlAnswer } from '../../src/lab/answer.ts';
import { serve } from '../../src/lab/server/http-server.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { parseRequest } from '../../src/lab/server/request.ts';
import { exchange, get, requestFor, split, withBehaviour } from './client.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab({ scenario: 'site', pages: 8 });
});
afterAll(() => lab.close());

const statusOf = async (bytes: string): Promise<number> =>
  Number((await exchange(lab, bytes)).bytes.toString('latin1', 9, 12));

const BULK = Buffer.alloc(20 * 1024 * 1024, 'x');

/** Sends a request and then 20 MB. Returns what came first: the response, or the end of sending. */
async function pour(to: Lab, head: string): Promise<string[]> {
  const socket = connect({ port: to.httpPort, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  const events: string[] = [];
  const answered = once(socket, 'data').then(() => events.push('answered'));
  const sent = new Promise<void>((done) => {
    socket.write(head);
    socket.write(BULK, (error) => {
      events.push(error ? 'refused' : 'sent');
      done();
    });
  });
  await Promise.all([answered, sent]);
  socket.destroy();
  return events;
}

describe('odd requests', () => {
  test.each([
    ['no request at all', 'hello\r\n\r\n', 400],
    ['no version', 'GET /\r\n\r\n', 400],
    ['a version from the future', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a target that is none', 'GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a target with a space', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a target with a control character', 'GET /a\x00b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a header without end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, 431],
    [
      'a host that is not here',
      'GET / HTTP/1.1\r\nHost: nowhere.test\r\nConnection: close\r\n\r\n',
      421,
    ],
  ])('%s is refused, and the lab keeps running', async (_what, bytes, status) => {
    expect(await statusOf(bytes)).toBe(status);
    expect((await get(lab, lab.seeds[0])).status).toBe(200);
  });

  test('another method is not allowed, and its body ends the connection', async () => {
    const post = requestFor(lab.seeds[0])
      .replace('GET', 'POST')
      .replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\nabc');
    const { bytes, ended } = await exchange(lab, post);
    expect(bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, HEAD\r\n/);
    expect(ended).toBe('end');
  });

  test('a body of 20 MB is discarded', async () => {
    const post = requestFor(lab.seeds[0], `Content-Length: ${BULK.length}`).replace('GET', 'POST');
    expect(await pour(lab, post)).toContain('sent');
  });

  test('20 MB of requests are not read while a response is not complete', async () => {
    await withBehaviour(
      'slow-start',
      async (slow, url) => {
        expect((await pour(slow, requestFor(url)))[0]).toBe('answered');
      },
      { patience: 500 },
    );
  });

  test('HEAD has the length of the page and no page', async () => {
    const head = requestFor(lab.seeds[0], 'Connection: close').replace('GET', 'HEAD');
    const got = split((await exchange(lab, head)).bytes);
    expect(got.head).toContain(`Content-Length: ${lab.expected(lab.seeds[0])?.body.length}`);
    expect(got.body).toHaveLength(0);
  });

  test('lower-case headers, absolute targets and HTTP/1.0 are understood', async () => {
    const { host } = new URL(lab.seeds[0]);
    const page = lab.expected(lab.seeds[0])?.body as Uint8Array;
    for (const bytes of [
      `GET / HTTP/1.1\r\nhost:${host}\r\nconnection: Close\r\n\r\n`,
      `GET http://${host}/ HTTP/1.1\r\nHost: ignored\r\nConnection: close\r\n\r\n`,
      `GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`,
    ])
      expect(split((await exchange(lab, bytes)).bytes).body.equals(page)).toBe(true);
  });

  test('a hundred requests sent at once, byte by byte or in one piece, are answered in order', async () => {
    const urls = [...lab.web.allUrls()];
    const wanted = Array.from({ length: 100 }, (_, i) => urls[i % urls.length]);
    const bytes =
      wanted.map((url) => requestFor(url)).join('') + requestFor(wanted[0], 'Connection: close');
    const { bytes: received } = await exchange(lab, bytes);
    let at = 0;
    for (const url of wanted) {
      const page = lab.expected(url)?.body as Uint8Array;
      at = received.indexOf('\r\n\r\n', at) + 4;
      expect(received.subarray(at, at + page.length).equals(page)).toBe(true);
      at += page.length;
    }
  });
});

test('a page that cannot be made is answered 500, and the next request as usual', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  serve(
    server,
    {
      patience: 0,
      answer: ({ target }) => {
        if (target === '/bad') throw new Error('<no page>');
        return htmlAnswer(200, 'Good', 'A page.');
      },
      served: () => {},
    },
    false,
  );
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const bad = await fetch(`${base}/bad`);
  expect([bad.status, await bad.text()]).toEqual([500, expect.stringContaining('?no page>')]);
  expect((await fetch(`${base}/good`)).status).toBe(200);
  server.close();
});

test('a list of ETags is read in linear time', async () => {
  const tags = `"${' '.repeat(15_000)}"`;
  const begun = process.cpuUsage();
  for (let i = 0; i < 50; i++)
    expect((await get(lab, lab.seeds[0], { 'If-None-Match': tags })).status).toBe(200);
  // In quadratic time it takes ten seconds and more.
  expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(4);
});

test('parseRequest never throws', () => {
  const piece = fc.constantFrom(
    'GET',
    ' ',
    '/',
    'HTTP/1.1',
    '\r\n',
    'Host:',
    'a',
    '#',
    'http://',
    '\0',
    'Connection: close',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }), (pieces) => {
      const parsed = parseRequest(pieces.join(''));
      if (typeof parsed !== 'number') expect(parsed.target).toMatch(/^\/[^#]*$/);
    }),
  );
});

describe('conditional requests', () => {
  test('an unchanged page is answered 304 to its ETag and to its date', async () => {
    const first = await get(lab, lab.seeds[0]);
    const byTag = await get(lab, lab.seeds[0], {
      'If-None-Match': `"other", ${first.headers.etag}`,
    });
    const byDate = await get(lab, lab.seeds[0], {
      'If-Modified-Since': first.headers['last-modified'] as string,
    });
    expect([byTag.status, byTag.body.length, byDate.status]).toEqual([304, 0, 304]);
    expect((await get(lab, lab.seeds[0], { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test.each(['chunked', 'gzip'] as const)("so is a page that is sent '%s'", async (behaviour) => {
    await withBehaviour(behaviour, async (odd, url) => {
      const { headers } = await get(odd, url, { 'Accept-Encoding': 'gzip' });
      expect(headers.etag).toMatch(/^".+"$/);
      expect(headers).toMatchObject(odd.expected(url)?.headers ?? {});
      const again = await get(odd, url, { 'If-None-Match': headers.etag as string });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    });
  });
});
