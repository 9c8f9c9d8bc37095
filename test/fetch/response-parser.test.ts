import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BytesPool } from '../../src/base/bytes-pool.ts';
import { type ResponseLimits, ResponseParser } from '../../src/fetch/response-parser.ts';

const LIMITS: ResponseLimits = { maxHeadBytes: 400, maxBodyBytes: 100, maxWireBytes: 200 };

interface Outcome {
  readonly fault?: string;
  readonly status?: number;
  readonly payload?: string;
  readonly truncated?: string;
  readonly defects?: readonly string[];
  readonly keeps?: boolean;
  readonly headers?: readonly (readonly [string, string])[];
  readonly head?: string;
  readonly wire?: string;
}

/** Feeds the pieces, and then the end of the connection if the response is not complete. */
function parse(pieces: readonly string[], method = 'GET', limits = LIMITS): Outcome {
  const parser = new ResponseParser(method, limits, new BytesPool());
  let over = false;
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1');
    if (!over && bytes.length > 0) over = parser.push(bytes, bytes.length);
    bytes.fill('!'); // the parser must have copied what it keeps
  }
  if (!over) parser.end();
  if (parser.failure !== undefined) return { fault: parser.failure.fault };
  return {
    status: parser.response!.status,
    payload: parser.payload.toString('latin1'),
    ...(parser.truncated === undefined ? {} : { truncated: parser.truncated }),
    defects: parser.response!.defects,
    keeps: parser.keepsConnection,
    headers: [...parser.response!.headers.entries()],
    head: parser.head!.toString('latin1'),
    wire: Buffer.concat(parser.wireBody).toString('latin1'),
  };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const five = `${ok}Content-Length: 5\r\n`;
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

describe('a well-formed response', () => {
  const cases: Record<string, [response: string, expected: Outcome]> = {
    'with a length ends there and keeps the connection': [
      `${five}\r\nhello`,
      { payload: 'hello', keeps: true, defects: [], wire: 'hello' },
    ],
    'of length zero has no body': [
      `${ok}Content-Length: 0\r\n\r\n`,
      { payload: '', keeps: true, wire: '' },
    ],
    'without a length ends with the connection': [
      `${ok}\r\nhello`,
      { payload: 'hello', keeps: false, defects: [] },
    ],
    'in chunks is joined, and also kept as received': [
      `${chunked}5\r\nhello\r\n1;ext="a b"\r\n!\r\n000\r\nTrailer: x\r\n\r\n`,
      {
        payload: 'hello!',
        keeps: true,
        defects: [],
        wire: '5\r\nhello\r\n1;ext="a b"\r\n!\r\n000\r\nTrailer: x\r\n\r\n',
      },
    ],
    'in chunks takes hexadecimal of either case': [
      `${chunked}a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n`,
      { payload: '01234567890123456789', keeps: true, defects: [] },
    ],
    'after interim responses is the one that counts': [
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${five}\r\nhello`,
      { status: 200, payload: 'hello', keeps: true, head: `${five}\r\n`, defects: [] },
    ],
    'of status 204 has no body, independent of its headers': [
      'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n',
      { status: 204, payload: '', keeps: true },
    ],
    'of status 304 has no body, independent of its headers': [
      'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n',
      { status: 304, payload: '', keeps: true },
    ],
    'of HTTP/1.0 does not keep the connection': [
      'HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello',
      { payload: 'hello', keeps: false, defects: [] },
    ],
    'of HTTP/1.0 with keep-alive keeps the connection': [
      'HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: Keep-Alive\r\n\r\nhello',
      { payload: 'hello', keeps: true, defects: [] },
    ],
    'with Connection: close does not keep the connection': [
      `${five}Connection: x, Close\r\n\r\nhello`,
      { payload: 'hello', keeps: false, defects: [] },
    ],
    'has its header values trimmed and its names as written': [
      `${ok}X-Empty:\r\nx-Blank: \t a  b \t\r\nConnection: close\r\n\r\n`,
      {
        headers: [
          ['X-Empty', ''],
          ['x-Blank', 'a  b'],
          ['Connection', 'close'],
        ],
        defects: [],
      },
    ],
    'may have an empty reason': [
      'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n',
      { status: 200, defects: [] },
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [response, expected]) => {
    expect(parse([response])).toMatchObject(expected);
    expect(parse([...response])).toMatchObject(expected);
  });

  test('to HEAD has no body, independent of its headers', () => {
    expect(parse([`${five}\r\n`], 'HEAD')).toMatchObject({ payload: '', keeps: true, defects: [] });
  });
});

describe('an ill-formed response', () => {
  const cases: Record<string, [response: string, expected: Outcome]> = {
    'without any byte is empty': ['', { fault: 'empty-response' }],
    'that is only blank lines is bad': ['\r\n\r\n', { fault: 'bad-response' }],
    'of HTTP/0.9 is bad': ['<html>hello</html>', { fault: 'bad-response' }],
    'of another protocol is bad': ['SSH-2.0-OpenSSH_9.2\r\n', { fault: 'bad-response' }],
    'that only begins like HTTP is bad': ['HTTQ/1.1 200 OK\r\n\r\n', { fault: 'bad-response' }],
    'whose status is not a number is bad': ['HTTP/1.1 abc OK\r\n\r\n', { fault: 'bad-response' }],
    'whose status has two digits is bad': ['HTTP/1.1 20 OK\r\n\r\n', { fault: 'bad-response' }],
    'whose status has four digits is bad': ['HTTP/1.1 2000 OK\r\n\r\n', { fault: 'bad-response' }],
    'whose status is below 100 is bad': ['HTTP/1.1 099 OK\r\n\r\n', { fault: 'bad-response' }],
    'that switches protocols is bad': [
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n',
      { fault: 'bad-response' },
    ],
    'whose head is truncated is bad': [`${ok}Content-Le`, { fault: 'bad-response' }],
    'of endless interim responses is too large': [
      'HTTP/1.1 102 Processing\r\n\r\n'.repeat(40),
      { fault: 'head-too-large' },
    ],
    'with an endless header is too large': [
      `${ok}X: ${'x'.repeat(500)}`,
      { fault: 'head-too-large' },
    ],
    'with endless headers is too large': [ok + 'X: y\r\n'.repeat(100), { fault: 'head-too-large' }],
    'of endless blank lines is too large': ['\r\n'.repeat(300), { fault: 'head-too-large' }],
    'without a reason or the space before it is read': [
      'HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello',
      { status: 200, payload: 'hello', defects: ['no-reason'], keeps: true },
    ],
    'with odd spaces in the status line is read': [
      'HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n',
      { status: 200, defects: ['odd-status-line'] },
    ],
    'with a lower-case protocol is read': [
      'http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      { status: 200, defects: ['odd-status-line'] },
    ],
    'of an unknown version is read, but nothing is assumed of it': [
      'HTTP/2 200 OK\r\nContent-Length: 5\r\n\r\nhello',
      { status: 200, payload: 'hello', defects: ['odd-version'], keeps: false },
    ],
    'with bare line feeds is read': [
      'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello',
      { payload: 'hello', defects: ['bare-lf'], head: 'HTTP/1.1 200 OK\nContent-Length: 5\n\n' },
    ],
    'after blank lines is read without them': [
      `\r\n\n${five}\r\nhello`,
      { payload: 'hello', defects: ['blank-before-head'], head: `${five}\r\n` },
    ],
    'with a folded header has it joined': [
      `${ok}X: a\r\n  b\r\n\tc \r\nContent-Length: 0\r\n\r\n`,
      {
        headers: [
          ['X', 'a b c'],
          ['Content-Length', '0'],
        ],
        defects: ['folded-header'],
      },
    ],
    'with a fold before any header drops it': [
      `${ok} x: y\r\nContent-Length: 0\r\n\r\n`,
      { headers: [['Content-Length', '0']], defects: ['folded-header'] },
    ],
    'with a line without a colon skips it, and keeps its bytes': [
      `${ok}what is this\r\nContent-Length: 0\r\n\r\n`,
      {
        headers: [['Content-Length', '0']],
        defects: ['header-without-colon'],
        head: `${ok}what is this\r\nContent-Length: 0\r\n\r\n`,
      },
    ],
    'with a space before the colon is read': [
      `${ok}Content-Length : 5\r\n\r\nhello`,
      { payload: 'hello', headers: [['Content-Length', '5']], defects: ['space-before-colon'] },
    ],
    'with an odd header name keeps it': [
      `${ok}X Y(z): 1\r\nContent-Length: 0\r\n\r\n`,
      {
        headers: [
          ['X Y(z)', '1'],
          ['Content-Length', '0'],
        ],
        defects: ['odd-header-name'],
      },
    ],
    'with an empty header name skips it': [
      `${ok}: 1\r\nContent-Length: 0\r\n\r\n`,
      { headers: [['Content-Length', '0']], defects: ['odd-header-name'] },
    ],
    'with control characters in a header is read': [
      `${ok}X: a\0b\r\nContent-Length: 0\r\n\r\n`,
      {
        headers: [
          ['X', 'a\0b'],
          ['Content-Length', '0'],
        ],
        defects: ['control-character'],
      },
    ],
    'with a length and chunks is chunked, and the connection is closed': [
      `${five}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
      { payload: 'hi', defects: ['length-and-chunked'], keeps: false },
    ],
    'in chunks from HTTP/1.0 is chunked, and the connection is closed': [
      'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
      { payload: 'hi', defects: ['chunked-in-1.0'], keeps: false },
    ],
    'chunked twice is chunked once': [
      `${ok}Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
      { payload: 'hi', defects: ['odd-transfer-coding'], keeps: false },
    ],
    'coded in transfer without chunks ends with the connection': [
      `${five}Transfer-Encoding: gzip\r\n\r\nhello more`,
      { payload: 'hello more', defects: ['odd-transfer-coding'], keeps: false },
    ],
    'with an identity transfer coding ends at its length': [
      `${five}Transfer-Encoding: identity\r\n\r\nhello`,
      { payload: 'hello', defects: ['odd-transfer-coding'], keeps: false },
    ],
    'with one length twice ends at it': [
      `${five}Content-Length: 5\r\n\r\nhello`,
      { payload: 'hello', defects: ['repeated-length'], keeps: true },
    ],
    'with one length twice in a line ends at it': [
      `${ok}Content-Length: 5, 5\r\n\r\nhello`,
      { payload: 'hello', defects: ['repeated-length'] },
    ],
    'with two lengths ends at the larger, and the connection is closed': [
      `${five}Content-Length: 7\r\n\r\nhello!!`,
      { payload: 'hello!!', defects: ['conflicting-lengths'], keeps: false },
    ],
    'with a negative length ends with the connection': [
      `${ok}Content-Length: -5\r\n\r\nhello`,
      { payload: 'hello', defects: ['bad-length'], keeps: false },
    ],
    'with a length too large for a number ends with the connection': [
      `${ok}Content-Length: 99999999999999999999\r\n\r\nhello`,
      { payload: 'hello', defects: ['bad-length'], keeps: false },
    ],
    'with an empty length ends with the connection': [
      `${ok}Content-Length:\r\n\r\nhello`,
      { payload: 'hello', defects: ['bad-length'] },
    ],
    'shorter than its length is kept as far as received': [
      `${five}\r\nhel`,
      { payload: 'hel', truncated: 'disconnect', keeps: false },
    ],
    'without its body is kept as far as received': [
      `${five}\r\n`,
      { payload: '', truncated: 'disconnect', wire: '' },
    ],
    'longer than its length ends there, and the connection is closed': [
      `${five}\r\nhello more`,
      { payload: 'hello', defects: ['excess-bytes'], keeps: false },
    ],
    'over the limit on bodies is truncated there': [
      `${ok}Content-Length: 1000\r\n\r\n${'x'.repeat(150)}`,
      { payload: 'x'.repeat(100), truncated: 'length', defects: [], keeps: false },
    ],
    'that never ends is truncated at the limit': [
      `${ok}\r\n${'x'.repeat(150)}`,
      { payload: 'x'.repeat(100), truncated: 'length' },
    ],
    'that ends exactly at the limit is complete': [
      `${ok}\r\n${'x'.repeat(100)}`,
      { payload: 'x'.repeat(100) },
    ],
    'in chunks is truncated at the limit on bodies': [
      `${chunked}50\r\n${'x'.repeat(80)}\r\n50\r\n${'y'.repeat(80)}\r\n`,
      { payload: 'x'.repeat(80) + 'y'.repeat(20), truncated: 'length' },
    ],
    'in a chunk of enormous size is truncated at the limit on bodies': [
      `${chunked}FFFFFFFFFF\r\n${'x'.repeat(150)}`,
      { payload: 'x'.repeat(100), truncated: 'length', defects: [] },
    ],
    'of more framing than body is truncated at the limit on wire bytes': [
      `${chunked}${'1;waste-of-space\r\nx\r\n'.repeat(20)}`,
      { truncated: 'length', payload: 'x'.repeat(9) },
    ],
    'with endless trailers over the limit on wire bytes is complete, and the connection is closed':
      [
        `${chunked}2\r\nhi\r\n0\r\n${'X: y\r\n'.repeat(200)}`,
        { payload: 'hi', defects: ['chunked-end-missing'], keeps: false },
      ],
    'whose chunk is truncated is kept as far as received': [
      `${chunked}5\r\nhel`,
      { payload: 'hel', truncated: 'disconnect', wire: '5\r\nhel' },
    ],
    'without a last chunk is kept as far as received': [
      `${chunked}2\r\nhi\r\n`,
      { payload: 'hi', truncated: 'disconnect' },
    ],
    'without the line after the last chunk is complete': [
      `${chunked}2\r\nhi\r\n0\r\n`,
      { payload: 'hi', defects: ['chunked-end-missing'], keeps: false },
    ],
    'whose chunk size is not a number is kept up to it': [
      `${chunked}2\r\nhi\r\nxyz\r\n`,
      { payload: 'hi', truncated: 'disconnect', defects: ['bad-chunk'] },
    ],
    'whose chunk size is missing is kept up to it': [
      `${chunked}2\r\nhi\r\n\r\n`,
      { payload: 'hi', truncated: 'disconnect', defects: ['bad-chunk'] },
    ],
    'whose chunk size is negative is kept up to it': [
      `${chunked}-2\r\nhi\r\n`,
      { payload: '', truncated: 'disconnect', defects: ['bad-chunk'] },
    ],
    'whose chunk size is too large for a number is kept up to it': [
      `${chunked}FFFFFFFFFFFFFFFFF\r\nhi`,
      { payload: '', truncated: 'disconnect', defects: ['bad-chunk'] },
    ],
    'whose chunk is longer than its size is kept up to it': [
      `${chunked}2\r\nhi there\r\n0\r\n\r\n`,
      { payload: 'hi', truncated: 'disconnect', defects: ['bad-chunk'] },
    ],
    'whose chunks end in bare line feeds is read': [
      `${chunked}2\nhi\n0\n\n`,
      { payload: 'hi', defects: ['bare-lf'], keeps: true },
    ],
    'whose chunk size is padded is read': [
      `${chunked}2  \r\nhi\r\n0\r\n\r\n`,
      { payload: 'hi', defects: [] },
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [response, expected]) => {
    expect(parse([response])).toMatchObject(expected);
    expect(parse(response.match(/[\s\S]{1,7}/g) ?? [])).toMatchObject(
      // Bytes after a response are noticed only if they arrive with it.
      expected.defects?.includes('excess-bytes') ? { payload: expected.payload } : expected,
    );
  });

  test('with a chunk extension that never ends is truncated', () => {
    const limits = { ...LIMITS, maxWireBytes: 1e6 };
    expect(parse([`${chunked}2;${'x'.repeat(5000)}`], 'GET', limits)).toMatchObject({
      defects: ['bad-chunk'],
    });
  });

  test('with trailers larger than the head limit is complete, and the connection is closed', () => {
    const limits = { ...LIMITS, maxWireBytes: 1e6 };
    const outcome = parse([`${chunked}2\r\nhi\r\n0\r\n${'X: y\r\n'.repeat(200)}`], 'GET', limits);
    expect(outcome).toMatchObject({
      payload: 'hi',
      defects: ['chunked-end-missing'],
      keeps: false,
    });
    expect(outcome.wire?.length).toBeLessThan(limits.maxHeadBytes + 20);
  });

  test('that announces much and sends little takes little memory', () => {
    const promises = Buffer.from(`${ok}Content-Length: ${8 * 2 ** 20}\r\n\r\nhello`);
    const before = process.memoryUsage().arrayBuffers;
    const parsers = Array.from({ length: 50 }, () => {
      const parser = new ResponseParser(
        'GET',
        { ...LIMITS, maxBodyBytes: 10 * 2 ** 20 },
        new BytesPool(),
      );
      parser.push(promises, promises.length);
      return parser;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(parsers.length * 2 ** 20);
    expect(parsers.every(({ payload }) => payload.toString() === 'hello')).toBe(true);
  });
});

describe('the parser', () => {
  const line = fc.constantFrom(
    'Content-Length: 5',
    'Content-Length: 12',
    'Transfer-Encoding: chunked',
    'Connection: close',
    'X: y',
    ' folded',
    'no colon',
    'A : b',
  );
  const response = fc
    .tuple(
      fc.constantFrom(
        'HTTP/1.1 200 OK',
        'HTTP/1.0 404',
        'HTTP/1.1 204 x',
        'HTTP/1.1 100 x\r\n\r\nHTTP/1.1 200 OK',
      ),
      fc.array(line, { maxLength: 4 }),
      fc.constantFrom('\r\n', '\n'),
      fc.constantFrom(
        'hello',
        'hello, world',
        '5\r\nhello\r\n0\r\n\r\n',
        '5;x\nhello\n3\nabc\n0\nT: u\n\n',
        '5\r\nhell',
        '',
      ),
    )
    .map(([status, lines, end, body]) => [status, ...lines, '', body].join(end));
  const cuts = fc.array(fc.nat({ max: 120 }), { maxLength: 12 });

  test('gives the same result however the bytes are split', () => {
    fc.assert(
      fc.property(response, cuts, (text, at) => {
        const places = [...new Set([0, ...at, text.length])]
          .filter((n) => n <= text.length)
          .sort((a, b) => a - b);
        const pieces = places.map((from, i) => text.slice(from, places[i + 1] ?? text.length));
        const strip = (outcome: Outcome) => ({
          ...outcome,
          keeps: undefined,
          defects: outcome.defects?.filter((defect) => defect !== 'excess-bytes'),
        });
        expect(strip(parse(pieces))).toEqual(strip(parse([text])));
      }),
      { numRuns: 500 },
    );
  });

  test('never throws and never exceeds its limits, for any bytes', () => {
    const noise = fc.string({
      unit: fc.constantFrom('\r', '\n', ':', ' ', '0', '5', 'f', ';', 'x', '\0', '\xff'),
      maxLength: 300,
    });
    fc.assert(
      fc.property(response, noise, noise, (text, inside, after) => {
        const outcome = parse([text.slice(0, 30), inside, text.slice(30), after]);
        expect(outcome.payload?.length ?? 0).toBeLessThanOrEqual(LIMITS.maxBodyBytes);
        expect(outcome.wire?.length ?? 0).toBeLessThanOrEqual(LIMITS.maxWireBytes);
        expect(outcome.head?.length ?? 0).toBeLessThanOrEqual(LIMITS.maxHeadBytes);
      }),
      { numRuns: 500 },
    );
  });

  test('returns head and body to the byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 90 }), (body) => {
        const text = Buffer.from(body).toString('latin1');
        const head = `${ok}X: \xe9\xff\r\nContent-Length: ${text.length}\r\n\r\n`;
        expect(parse([head + text])).toMatchObject({ head, wire: text, payload: text });
      }),
    );
  });
});

/** `head` with a header that makes it as long as that, its last line end included. */
const paddedTo = (length: number, head: string) =>
  `${head}X: ${'x'.repeat(length - head.length - 'X: \r\n\r\n'.length)}\r\n\r\n`;
const empty = `${ok}Content-Length: 0\r\n`;
const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const inChunks = (data: string, line = '', trailers = '') =>
  `${chunked}${data.length.toString(16)}${line}\r\n${data}\r\n0\r\n${trailers}\r\n`;
const bytes = (n: number) => 'b'.repeat(n);
const whole = { defects: [], keeps: true };
const cut = { truncated: 'length', payload: bytes(100), keeps: false };
const unended = { defects: ['chunked-end-missing'], keeps: false };
const broken = { truncated: 'disconnect', defects: ['bad-chunk'], keeps: false };
/** Room for framing. */
const WIDE = { ...LIMITS, maxWireBytes: 1e5 };

describe.each<[what: string, exactly: string, then: object, more: string, fault: object]>([
  ['a head', paddedTo(400, empty), whole, paddedTo(401, empty), { fault: 'head-too-large' }],
  [
    'heads, with interim ones',
    early + paddedTo(400 - early.length, empty),
    whole,
    early + paddedTo(401 - early.length, empty),
    { fault: 'head-too-large' },
  ],
  [
    'a body with a length',
    `${ok}Content-Length: 100\r\n\r\n${bytes(100)}`,
    { ...whole, payload: bytes(100) },
    `${ok}Content-Length: 101\r\n\r\n${bytes(101)}`,
    cut,
  ],
  [
    'a body up to the end',
    `${ok}\r\n${bytes(100)}`,
    { payload: bytes(100), defects: [] },
    `${ok}\r\n${bytes(101)}`,
    cut,
  ],
  ['chunks', inChunks(bytes(100)), whole, inChunks(bytes(101)), cut],
  [
    'a line of a chunk',
    inChunks('hi', `;${bytes(4096 - 4)}`),
    whole,
    inChunks('hi', `;${bytes(4097 - 4)}`),
    broken,
  ],
  [
    'the size of a chunk',
    `${chunked}${(2 ** 53 - 1).toString(16)}\r\n${bytes(200)}`,
    cut,
    `${chunked}${(2 ** 53).toString(16)}\r\n${bytes(200)}`,
    broken,
  ],
  [
    'trailers',
    inChunks('hi', '', `T: ${bytes(400 - 7)}\r\n`),
    whole,
    inChunks('hi', '', `T: ${bytes(402 - 7)}\r\n`),
    unended,
  ],
])('the limit of %s', (_, exactly, then, more, fault) => {
  test.each([
    ['at once', (text: string) => [text]],
    ['byte by byte', (text: string) => [...text]],
  ])('may be met, and not exceeded, %s', (_, pieces) => {
    expect(parse(pieces(exactly), 'GET', WIDE)).toMatchObject(then);
    expect(parse(pieces(more), 'GET', WIDE)).toMatchObject(fault);
  });
});

test('the limit of bytes with their framing may be met, and not exceeded', () => {
  const framed = (n: number) => `64;${bytes(n - 112)}\r\n${bytes(100)}\r\n0\r\n\r\n`;
  expect(framed(200)).toHaveLength(200);
  expect(parse([chunked + framed(200)])).toMatchObject(whole);
  expect(parse([chunked + framed(202)])).toMatchObject(unended);
  expect(parse([chunked + framed(206)])).toMatchObject({ truncated: 'length', keeps: false });
});
