/**
 * The same well-formed responses, read by our client and by undici: both must agree.
 *
 * Two known differences are excluded. undici takes the Content-Length of a 304 for the length of
 * its body, although it describes a body that is not sent. And undici keeps blanks at the end of
 * header values, which RFC 9112 excludes from them.
 */
import { Agent, request } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { client, server } from './client-fixture.ts';
import { drip, type Script, send, sendAndClose } from './scripted-server.ts';

const page = '<html>\n'.padEnd(25_000, 'lorem ipsum ');
const chunksOf = (text: string, size: number) =>
  (text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [])
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('');

const responses: Record<string, Script> = {
  'a page with a length': send(
    `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
  ),
  'a page that ends with the connection': sendAndClose(
    `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${page}`,
  ),
  'a page of HTTP/1.0': sendAndClose(`HTTP/1.0 200 OK\r\nServer: old\r\n\r\n${page}`),
  'a page of HTTP/1.0 with a length': sendAndClose(
    `HTTP/1.0 200 OK\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
  ),
  'a page in chunks': send(
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunksOf(page, 4096)}0\r\n\r\n`,
  ),
  'a page in small chunks': send(
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunksOf(page, 3)}0\r\n\r\n`,
  ),
  'a page in chunks with extensions': send(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0;c\r\n\r\n',
  ),
  'a page in chunks with trailers': send(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Expires\r\n\r\n5\r\nhello\r\n0\r\nExpires: now\r\n\r\n',
  ),
  'a page in pieces': drip(
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunksOf('hello, world', 5)}0\r\n\r\n`,
  ),
  'an empty page': send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  'an empty page in chunks': send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
  'no content': send('HTTP/1.1 204 No Content\r\nX: y\r\n\r\n'),
  'not modified': send('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'),
  'a redirect': send(
    'HTTP/1.1 301 Moved Permanently\r\nLocation: /there\r\nContent-Length: 4\r\n\r\nbye!',
  ),
  'an error with a page': send(
    'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 4\r\n\r\nsoon',
  ),
  'early hints before the page': send(
    'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  ),
  'a status without a reason': send('HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello'),
  'repeated headers': send(
    'HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 0\r\n\r\n',
  ),
  'headers with odd spaces and letters': send(
    'HTTP/1.1 200 OK\r\nX-None:\r\nx-TAB:\ta\t b\r\nX-Latin: caf\xe9\r\nContent-Length: 0\r\n\r\n',
  ),
  'many headers': send(
    `HTTP/1.1 200 OK\r\n${Array.from({ length: 200 }, (_, i) => `X-${i}: ${'v'.repeat(i % 40)}\r\n`).join('')}Content-Length: 0\r\n\r\n`,
  ),
  'a compressed page, left compressed': send(
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n\x1f\x8b\x08\x00\x00',
  ),
};

describe('our client and undici agree', () => {
  const agent = new Agent();
  afterAll(() => agent.close());

  test.each(Object.entries(responses))('%s', async (_, script) => {
    const { url, address, port } = await server(script);
    const http = client();
    for (let repeat = 0; repeat < 2; repeat++) {
      const ours = await http.fetch({ url: url(), address });
      const theirs = await request(`http://127.0.0.1:${port}/`, {
        dispatcher: agent,
        responseHeaders: 'raw',
      });
      const raw = theirs.headers as unknown as string[];
      expect(ours.status).toBe(theirs.statusCode);
      expect([...ours.headers.entries()].flat()).toEqual(raw);
      expect(Buffer.from(ours.payload).equals(Buffer.from(await theirs.body.arrayBuffer()))).toBe(
        true,
      );
      expect(ours).toMatchObject({ defects: [] });
      expect(ours.truncated).toBeUndefined();
    }
  });
});
