import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DecodedContent, decodeContent } from '../../src/fetch/decode.ts';
import { readHead } from '../../src/fetch/response-head.ts';

const LIMITS = { maxBytes: 3_000_000, maxRatio: 100 };

function decode(headers: string, payload: Uint8Array, limits = LIMITS): Promise<DecodedContent> {
  const head = readHead(Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`))!;
  return decodeContent({ payload, headers: head.headers }, limits);
}

const text = (content: DecodedContent) => Buffer.from(content.body).toString('latin1');
const page = Buffer.from(
  Array.from({ length: 3000 }, (_, i) => `line ${i} ${(i * i) % 7919}\n`).join(''),
);
const gzip = zlib.gzipSync(page);

const encoders: Record<string, (bytes: Uint8Array) => Buffer> = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  GZip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  'deflate ': zlib.deflateRawSync,
  br: zlib.brotliCompressSync,
  identity: (bytes) => Buffer.from(bytes),
};

describe('a content coding', () => {
  test.each(Object.entries(encoders))('%j is decoded, for any body', async (coding, encode) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (body) => {
        const decoded = await decode(`Content-Encoding: ${coding}`, encode(body));
        expect(decoded).toEqual({ body: expect.anything(), defects: [] });
        expect(Buffer.from(decoded.body).equals(body)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('of identity returns the same bytes without a copy', async () => {
    expect((await decode('X: y', page)).body).toBe(page);
    expect((await decode('Content-Encoding: identity', page)).body).toBe(page);
    expect((await decode('Content-Encoding:', page)).body).toBe(page);
  });

  test('on top of another is decoded in turn, in one header line or several', async () => {
    const both = zlib.brotliCompressSync(gzip);
    expect(text(await decode('Content-Encoding: gzip, br', both))).toBe(page.toString());
    expect(text(await decode('Content-Encoding: gzip\r\nContent-Encoding: br', both))).toBe(
      page.toString(),
    );
  });

  test('in the transfer coding is decoded too', async () => {
    const both = zlib.gzipSync(zlib.brotliCompressSync(page));
    const decoded = await decode('Content-Encoding: br\r\nTransfer-Encoding: gzip, chunked', both);
    expect(text(decoded)).toBe(page.toString());
  });

  test('of a large body is decoded', async () => {
    const large = Buffer.alloc(2_500_000);
    for (let i = 0; i < large.length; i++) large[i] = Math.imul(i ^ (i >>> 7), 2654435761) >>> 25;
    const coded = zlib.gzipSync(large);
    expect(coded.length).toBeGreaterThan(64 * 1024);
    expect(large.equals((await decode('Content-Encoding: gzip', coded)).body)).toBe(true);
  });

  test('that we do not know leaves the body unchanged', async () => {
    expect(await decode('Content-Encoding: zstd', page)).toEqual({
      body: page,
      defects: ['coding-unknown'],
    });
  });

  test('that the body does not have leaves it unchanged', async () => {
    for (const coding of ['gzip', 'br', 'deflate']) {
      const decoded = await decode(`Content-Encoding: ${coding}`, page);
      expect([coding, decoded.defects, decoded.body.length]).toEqual([
        coding,
        ['coding-absent'],
        page.length,
      ]);
    }
  });

  test('of an empty body does not matter', async () => {
    expect(await decode('Content-Encoding: gzip', new Uint8Array())).toEqual({
      body: new Uint8Array(),
      defects: [],
    });
  });

  test('that is nested too deeply is not decoded', async () => {
    const headers = `Content-Encoding: ${new Array(50).fill('gzip').join(', ')}`;
    expect(await decode(headers, gzip)).toEqual({ body: gzip, defects: ['too-many-codings'] });
  });
});

describe('a damaged coded body', () => {
  test.each([
    'gzip',
    'deflate',
    'br',
  ])('that is truncated (%s) yields what came before', async (coding) => {
    const whole = encoders[coding](page);
    for (const share of [0.1, 0.5, 0.9]) {
      const decoded = await decode(
        `Content-Encoding: ${coding}`,
        whole.subarray(0, whole.length * share),
      );
      expect(decoded).toMatchObject({ truncated: 'damage', defects: ['coding-cut'] });
      expect(page.toString().startsWith(text(decoded))).toBe(true);
      if (share > 0.4) expect(decoded.body.length).toBeGreaterThan(page.length * share * 0.5);
    }
  });

  test('that is truncated within its first bytes yields nothing', async () => {
    const decoded = await decode('Content-Encoding: gzip', gzip.subarray(0, 8));
    expect(decoded).toMatchObject({ truncated: 'damage', defects: ['coding-cut'] });
    expect(decoded.body.length).toBe(0);
  });

  test('with damage in the middle yields what came before', async () => {
    const half = zlib.deflateRawSync(page, { finishFlush: zlib.constants.Z_SYNC_FLUSH });
    const noBlock = Buffer.alloc(1000, 0x07); // a block of a type that does not exist
    const decoded = await decode(
      'Content-Encoding: gzip',
      Buffer.concat([gzip.subarray(0, 10), half, noBlock]),
    );
    expect(decoded).toMatchObject({ truncated: 'damage', defects: ['coding-damaged'] });
    expect(decoded.body.length).toBeGreaterThan(page.length * 0.9);
    expect(page.toString().startsWith(text(decoded))).toBe(true);
  });

  test('with only a wrong checksum is complete', async () => {
    const damaged = Buffer.from(gzip);
    damaged[damaged.length - 6] ^= 1;
    const decoded = await decode('Content-Encoding: gzip', damaged);
    expect(decoded.defects).toEqual(['coding-checksum']);
    expect(decoded.truncated).toBeUndefined();
    expect(text(decoded)).toBe(page.toString());
  });

  test('with bytes after it is complete', async () => {
    for (const [coding, trailing] of [
      ['gzip', 'garbage, and more of it'],
      ['gzip', '\0\0\0\0'],
      ['deflate', 'garbage'],
    ]) {
      const decoded = await decode(
        `Content-Encoding: ${coding}`,
        Buffer.concat([encoders[coding](page), Buffer.from(trailing)]),
      );
      expect(decoded.defects).toEqual(['coding-trailing-bytes']);
      expect(text(decoded)).toBe(page.toString());
    }
  });

  test('may have a name and a comment in its gzip header', async () => {
    const header = Buffer.concat([
      gzip.subarray(0, 10),
      Buffer.from('\x02\0ab', 'latin1'),
      Buffer.from('name\0comment\0'),
    ]);
    header[3] = 4 | 8 | 16;
    const damaged = Buffer.concat([header, gzip.subarray(10)]);
    expect(text(await decode('Content-Encoding: gzip', damaged))).toBe(page.toString());
    damaged[damaged.length - 6] ^= 1;
    expect(text(await decode('Content-Encoding: gzip', damaged))).toBe(page.toString());
  });

  test('of several members is decoded up to the damage', async () => {
    const members = Buffer.concat([gzip, gzip]);
    expect((await decode('Content-Encoding: gzip', members)).body.length).toBe(2 * page.length);
    members.fill(0xff, gzip.length + 3000, gzip.length + 3040);
    const decoded = await decode('Content-Encoding: gzip', members);
    expect(decoded.truncated).toBe('damage');
    expect(decoded.body.length).toBeGreaterThan(page.length);
  });

  test('with noise anywhere never makes decoding throw', async () => {
    const place = fc.tuple(fc.nat(gzip.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('gzip', 'deflate', 'br'),
        fc.array(place, { minLength: 1, maxLength: 4 }),
        async (coding, noise) => {
          const coded = Buffer.from(encoders[coding](page));
          for (const [at, byte] of noise) coded[at % coded.length] = byte;
          const decoded = await decode(`Content-Encoding: ${coding}`, coded);
          expect(decoded.body.length).toBeLessThanOrEqual(LIMITS.maxBytes);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a decompression bomb', () => {
  test.each(['gzip', 'deflate', 'br'])('in %s is truncated at the size limit', async (coding) => {
    const bomb = encoders[coding](Buffer.alloc(8_000_000));
    const decoded = await decode(`Content-Encoding: ${coding}`, bomb, {
      maxBytes: 500_000,
      maxRatio: 1e6,
    });
    expect([decoded.body.length, decoded.truncated]).toEqual([500_000, 'limit']);
  });

  test('is truncated at the ratio limit, which does not apply to small bodies', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(20_000_000));
    const decoded = await decode('Content-Encoding: gzip', bomb, { maxBytes: 1e9, maxRatio: 100 });
    expect([decoded.body.length, decoded.truncated]).toEqual([100 * bomb.length, 'limit']);
    const small = zlib.gzipSync(Buffer.alloc(900_000));
    expect(await decode('Content-Encoding: gzip', small)).toMatchObject({ defects: [] });
  });

  test('in layers is held to one ratio over all layers', async () => {
    const bomb = zlib.gzipSync(zlib.gzipSync(zlib.gzipSync(Buffer.alloc(50_000_000))));
    const decoded = await decode('Content-Encoding: gzip, gzip, gzip', bomb, {
      maxBytes: 1e9,
      maxRatio: 100,
    });
    expect([decoded.body.length, decoded.truncated]).toEqual([1024 * 1024, 'limit']);
  });
});
