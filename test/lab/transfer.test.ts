import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Lab } from '../../src/lab/server/lab.ts';
import { exchange, get, requestFor, split, withBehaviour } from './client.ts';

/** The page of this URL before its transfer is spoiled. */
function pageBytes(lab: Lab, url: string): Buffer {
  const { hostname, pathname, search } = new URL(url);
  return Buffer.from(lab.web.answer(hostname, pathname + search)?.body ?? '', 'latin1');
}

describe('framing', () => {
  test("'chunked' comes in chunks with extensions and a trailer, and means the same page", async () => {
    await withBehaviour('chunked', async (lab, url) => {
      const { bytes } = await exchange(lab, requestFor(url, 'Connection: close'));
      const { head, body } = split(bytes);
      expect(head).toContain('Transfer-Encoding: chunked');
      expect(head).not.toContain('Content-Length');
      expect(body.toString('latin1')).toMatch(/^1000;part=0\r\n/);
      expect(body.toString('latin1')).toMatch(/\r\n0\r\nX-Pages: 1\r\n\r\n$/);
      expect((await get(lab, url)).body.equals(pageBytes(lab, url))).toBe(true);
    });
  });

  test("'close' ends the body by closing, even if the client would keep the connection", async () => {
    await withBehaviour('close', async (lab, url) => {
      const { bytes, ended } = await exchange(lab, requestFor(url));
      const { head, body } = split(bytes);
      expect(ended).toBe('end');
      expect(head).not.toMatch(/Content-Length|Transfer-Encoding/);
      expect(body.equals(pageBytes(lab, url))).toBe(true);
    });
  });

  test("'short-length' announces half of what it sends", async () => {
    await withBehaviour('short-length', async (lab, url) => {
      const page = pageBytes(lab, url);
      const { bytes } = await exchange(
        lab,
        requestFor(url),
        (received) => received.length > page.length + 100,
      );
      const { head, body } = split(bytes);
      expect(head).toContain(`Content-Length: ${Math.floor(page.length / 2)}\r\n`);
      expect(body.equals(page)).toBe(true);
    });
  });

  test("'long-length' announces a thousand bytes more than it sends", async () => {
    await withBehaviour('long-length', async (lab, url) => {
      const page = pageBytes(lab, url);
      const { bytes } = await exchange(
        lab,
        requestFor(url),
        (received) => split(received).body.length >= page.length,
      );
      expect(split(bytes).head).toContain(`Content-Length: ${page.length + 1000}\r\n`);
      expect(split(bytes).body.equals(page)).toBe(true);
    });
  });

  test.each([
    ['cut-off', 'end'],
    ['reset', 'reset'],
  ] as const)("'%s' stops half-way", async (behaviour, ended) => {
    await withBehaviour(behaviour, async (lab, url) => {
      const page = pageBytes(lab, url);
      const raw = await exchange(lab, requestFor(url));
      expect(raw.ended).toBe(ended);
      expect(split(raw.bytes).body.length).toBeLessThan(page.length);
      await expect(get(lab, url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    });
  });

  test("'cut-chunk' closes in the middle of a chunk", async () => {
    await withBehaviour('cut-chunk', async (lab, url) => {
      const { bytes, ended } = await exchange(lab, requestFor(url));
      const size = Number.parseInt(split(bytes).body.toString('latin1'), 16);
      expect(ended).toBe('end');
      expect(size).toBe(pageBytes(lab, url).length);
      expect(split(bytes).body.length).toBeLessThan(size);
      await expect(get(lab, url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    });
  });

  test("'bad-header' mixes malformed header lines with a good page", async () => {
    await withBehaviour('bad-header', async (lab, url) => {
      const { head, body } = split(
        (await exchange(lab, requestFor(url, 'Connection: close'))).bytes,
      );
      expect(head).toContain('\r\nno colon here\r\nX-Folded: one\r\n two\r\n: no name\r\n');
      expect(body.equals(pageBytes(lab, url))).toBe(true);
      await expect(get(lab, url)).rejects.toMatchObject({ code: /^HPE_/ });
    });
  });
});

describe('content coding', () => {
  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)("'%s' is for clients that accept it", async (coding, decode) => {
    await withBehaviour(coding, async (lab, url) => {
      const plain = await get(lab, url);
      expect(plain.headers['content-encoding']).toBeUndefined();
      const coded = await get(lab, url, { 'Accept-Encoding': `deflate, ${coding};q=0.8` });
      expect(coded.headers['content-encoding']).toBe(coding);
      expect(coded.body.length).toBeLessThan(plain.body.length / 2);
      expect(decode(coded.body).equals(plain.body)).toBe(true);
    });
  });

  test("'bomb' opens a megabyte to a gigabyte", async () => {
    await withBehaviour('bomb', async (lab, url) => {
      const got = await get(lab, url);
      expect(got.headers['content-encoding']).toBe('gzip');
      expect(got.body.length).toBeLessThan(1.2 * 1024 * 1024);
      // 128 identical gzip members: one shows what all hold.
      const member = got.body.subarray(0, got.body.length / 128);
      expect(got.body.subarray(-member.length).equals(member)).toBe(true);
      const opened = 128 * gunzipSync(member).length;
      expect(opened).toBe(1024 * 1024 * 1024);
    });
  });
});

describe('endless responses', () => {
  test.each([
    'endless-body',
    'endless-headers',
  ] as const)("'%s' continues as long as the client reads", async (behaviour) => {
    await withBehaviour(behaviour, async (lab, url) => {
      const { bytes, ended } = await exchange(
        lab,
        requestFor(url),
        (received) => received.length > 400_000,
      );
      expect(ended).toBe('enough');
      expect(bytes.includes('\r\n\r\n')).toBe(behaviour === 'endless-body');
    });
  });

  test('are not written for a client that does not read', async () => {
    await withBehaviour('endless-body', async (lab, url) => {
      const { connect } = await import('node:net');
      const socket = connect(lab.httpPort, '127.0.0.1');
      await new Promise((done) => socket.once('connect', done));
      socket.pause();
      socket.write(requestFor(url));
      await get(lab, lab.seeds[0]);
      const before = process.memoryUsage().rss;
      for (let i = 0; i < 50; i++) await get(lab, lab.seeds[0]);
      expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
      socket.destroy();
    });
  });
});

describe('slow responses', () => {
  test("'slow-start' keeps the client waiting for the first byte", async () => {
    await withBehaviour('slow-start', async (lab, url) => {
      const start = performance.now();
      const got = await get(lab, url);
      expect(performance.now() - start).toBeGreaterThanOrEqual(75);
      expect(got.body.equals(pageBytes(lab, url))).toBe(true);
    });
  });

  test("'drip' sends a hundred bytes at a time", async () => {
    await withBehaviour('drip', async (lab, url) => {
      const sizes: number[] = [];
      let before = 0;
      await exchange(lab, requestFor(url), (received) => {
        sizes.push(received.length - before);
        before = received.length;
        return sizes.length > 5;
      });
      expect(sizes.slice(1).every((size) => size % 100 === 0)).toBe(true);
    });
  });

  test('are dropped when the client leaves', async () => {
    await withBehaviour(
      'slow-start',
      async (lab, url) => {
        await exchange(lab, requestFor(url).repeat(2), () => true).catch(() => {});
        expect((await get(lab, lab.seeds[0])).status).toBe(200);
      },
      { patience: 20 },
    );
  });
});

describe('declared content types', () => {
  test.each([
    ['no-charset', 'text/html'],
    ['lying-charset', 'text/html; charset=utf-8'],
  ] as const)("'%s' is no UTF-8 in languages that have letters beyond ASCII", async (behaviour, type) => {
    await withBehaviour(
      behaviour,
      async (lab) => {
        const french = findLanguage(lab, 2);
        const got = await get(lab, french);
        expect(got.headers['content-type']).toBe(type);
        expect(got.body.toString('utf8')).toContain('\ufffd');
        expect(got.body.toString('latin1').includes('<meta charset="windows-1252">')).toBe(
          behaviour === 'no-charset',
        );
      },
      { domains: 60 },
    );
  });

  test("'no-type' declares nothing and 'lying-type' an image, for the same HTML", async () => {
    for (const [behaviour, type] of [
      ['no-type', undefined],
      ['lying-type', 'image/png'],
    ] as const)
      await withBehaviour(behaviour, async (lab, url) => {
        const got = await get(lab, url);
        expect(got.headers['content-type']).toBe(type);
        expect(got.body.toString('latin1')).toMatch(/^<!DOCTYPE html>/);
      });
  });
});

/** An affected page of a site in a language. */
function findLanguage(lab: Lab, language: number): string {
  for (let index = 1; index < lab.web.world.domains; index++) {
    const domain = lab.web.domains.at(index);
    if (domain.language === language) return `${domain.origin(0)}/`;
  }
  throw new Error('no such language among these domains');
}
