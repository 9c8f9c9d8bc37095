import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dechunk, headEnd, isChunked, payloadOf } from '../../../src/archive/warc/http-block.ts';
import { chunkedExchange } from './fixtures.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

describe('the head', () => {
  test.each([
    ['A\r\n\r\nbody', 5],
    ['A\n\nbody', 3],
    ['A\r\nB\n\r\nbody', 7],
    ['no end', -1],
    ['', -1],
    ['A\r\n', -1],
  ])('of %j ends at %i', (block, expected) => {
    expect(headEnd(Buffer.from(block))).toBe(expected);
  });

  test.each([
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding:gzip, Chunked \r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n', false],
    ['HTTP/1.1 200 OK\r\nX-Transfer-Encoding: chunked\r\n\r\n', false],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: notchunked\r\n\r\n', false],
  ])('%j is chunked: %s', (head, expected) => {
    expect(isChunked(Buffer.from(head))).toBe(expected);
  });
});

describe('the payload', () => {
  test('of any chunked body is the content of the chunks, without extensions and trailers', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), fc.boolean(), (chunks, trailer) => {
        const exchange = chunkedExchange(chunks, '', trailer ? 'Expires: 0\r\n' : '');
        const block = Buffer.concat([exchange.head, ...exchange.wireBody]);
        expect(text(payloadOf(block))).toBe(text(exchange.payload));
      }),
    );
  });

  test.each([
    ['not chunked at all', 'not chunked at all'],
    ['', ''],
    ['5\r\nabc', 'abc'],
    ['3\r\nabc\r\n5\r\nde', 'abcde'],
    ['3\nabc\n0\n\n', 'abc'],
    ['3\r\nabcX0\r\n\r\n', 'abc'],
    ['3\r\nabc\r\nzz\r\n', 'abc'],
    ['ffffffffffffffffff\r\nabc', 'ffffffffffffffffff\r\nabc'],
  ])('of the broken framing %j is %j', (body, expected) => {
    expect(text(dechunk(Buffer.from(body)))).toBe(expected);
  });

  test('of a message whose head does not end is empty', () => {
    expect(payloadOf(Buffer.from('HTTP/1.1 200 OK\r\nX: y\r\n')).length).toBe(0);
  });

  test('is found in any bytes without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        expect(payloadOf(Buffer.concat([head, bytes])).length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });

  test('is found in linear time, however many blanks a header has', () => {
    const blanks = ' '.repeat(300_000);
    const head = `HTTP/1.1 200 OK\r\nTransfer-Encoding: x${blanks}x\r\n\r\n`;
    const before = process.cpuUsage();
    expect(payloadOf(Buffer.from(`${head}abc`)).length).toBe(3);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });
});
