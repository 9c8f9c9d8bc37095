import { once } from 'node:events';
import net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { AUTHORITY, CERTIFICATE, KEY } from './certificates.ts';
import { client, faultOf, server } from './client-fixture.ts';
import { send, sendAndClose } from './scripted-server.ts';

const hello = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const secure = { key: KEY, cert: CERTIFICATE };

describe('over TLS', () => {
  test('a page is fetched as over plain HTTP, and the connection is kept', async () => {
    const { url, address, connections } = await server(send(hello), secure);
    const http = client({ tls: { ca: AUTHORITY } });
    for (let i = 0; i < 3; i++) {
      const exchange = await http.fetch({ url: url(), address });
      expect(Buffer.concat([exchange.head, ...exchange.wireBody]).toString()).toBe(hello);
    }
    expect(connections()).toBe(1);
  });

  test('a page of megabytes comes complete', async () => {
    const body = Buffer.alloc(3_000_000, 'abcdefg');
    const { url, address } = await server(sendAndClose('HTTP/1.1 200 OK\r\n\r\n', body), secure);
    const exchange = await client({ tls: { ca: AUTHORITY } }).fetch({ url: url(), address });
    expect(body.equals(exchange.payload)).toBe(true);
    expect(exchange.truncated).toBeUndefined();
  });

  test('a second handshake with the same host resumes the session', async () => {
    const reused: boolean[] = [];
    const { url, address } = await server((conversation) => {
      reused.push((conversation.socket as TLSSocket).isSessionReused());
      send(hello)(conversation);
    }, secure);
    const http = client({ tls: { ca: AUTHORITY }, keepAlive: { perOrigin: 0 } });
    for (let i = 0; i < 2; i++) await http.fetch({ url: url(), address });
    expect(reused).toEqual([false, true]);
  });

  test('the server receives the name of the URL', async () => {
    const names: unknown[] = [];
    const { url, address } = await server((conversation) => {
      names.push((conversation.socket as unknown as { servername: unknown }).servername);
      send(hello)(conversation);
    }, secure);
    await client({ tls: { ca: AUTHORITY } }).fetch({
      url: url().replace('lab.test', 'www.lab.test'),
      address,
    });
    expect(names).toEqual(['www.lab.test']);
  });

  test.each([
    ['whose authority is unknown', 'lab.test', {}, /certificate/],
    ['of another name', 'elsewhere.test', { ca: AUTHORITY }, /elsewhere\.test/],
    ['for a name, asked by address', '127.0.0.1', { ca: AUTHORITY }, /127\.0\.0\.1/],
  ])('a certificate %s is refused with the reason, and nothing is sent', async (_, host, tls, reason) => {
    const { url, address, requests } = await server(send(hello), secure);
    const fetched = client({ tls }).fetch({ url: url().replace('lab.test', host), address });
    await expect(fetched).rejects.toMatchObject({
      fault: 'tls-failed',
      message: expect.stringMatching(reason),
    });
    expect(requests).toEqual([]);
  });

  test('any certificate is accepted if checks are off', async () => {
    const { url, address } = await server(send(hello), secure);
    const http = client({ insecure: true });
    expect(
      await http.fetch({ url: url().replace('lab.test', 'elsewhere.test'), address }),
    ).toMatchObject({
      status: 200,
    });
  });

  test('a server that speaks plain HTTP is detected', async () => {
    const plain = net.createServer((socket) =>
      socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as net.AddressInfo;
    const address = { ip: '127.0.0.1', family: 4 } as const;
    expect(await faultOf(client().fetch({ url: `https://lab.test:${port}/`, address }))).toBe(
      'tls-failed',
    );
    plain.close();
  });
});
