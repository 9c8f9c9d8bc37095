import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { exchange, get, resolve } from './client.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab({ domains: 300, pages: 30 });
});
afterAll(() => lab.close());

describe('the lab over sockets', () => {
  test('serves exactly the bytes of the pure function', async () => {
    const urls = [...lab.web.allUrls()].filter((_, i) => i % 97 === 0).slice(0, 40);
    for (const url of urls) {
      const { status, body } = await get(lab, url);
      const expected = lab.expected(url);
      expect(status).toBe(expected?.status);
      expect(body.equals(expected?.body as Uint8Array)).toBe(true);
    }
    expect(lab.requests).toBeGreaterThanOrEqual(urls.length);
  });

  test('answers pipelined requests in order on one connection', async () => {
    const [a, b] = lab.seeds.map((seed) => new URL(seed).host);
    const received = await exchange(
      lab,
      `GET /robots.txt HTTP/1.1\r\nHost: ${a}\r\n\r\nGET / HTTP/1.1\r\nHost: ${b}\r\nConnection: close\r\n\r\n`,
    );
    const text = received.bytes.toString('latin1');
    const pageOf = (url: string): string =>
      Buffer.from(lab.expected(url)?.body as Uint8Array).toString('latin1');
    expect(text.startsWith('HTTP/1.1 200') || text.startsWith('HTTP/1.1 404')).toBe(true);
    expect(text.indexOf(pageOf(`http://${a}/robots.txt`))).toBeGreaterThan(0);
    expect(text.endsWith(pageOf(`http://${b}/`))).toBe(true);
  });

  test('gives every host an address in 127.0.0.0/8 and unknown names none', async () => {
    const address = await resolve(lab, new URL(lab.seeds[0]).hostname);
    expect(address).toMatch(/^127\./);
    await expect(resolve(lab, 'nobody.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
