/** Heads as archives hold them: without an end, or cut anywhere. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHead } from '../../src/fetch/response-head.ts';

const head = (text: string) => readHead(Buffer.from(text, 'latin1'));
const linesOf = (text: string) =>
  [...(head(text)?.headers.entries() ?? [])].map((line) => [...line]);

describe('a head without an end', () => {
  test('is read to its last byte', () => {
    const text = 'HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nX-Last: 1';
    expect(head(text)).toMatchObject({ status: 404, defects: ['head-cut'] });
    expect(linesOf(text)).toEqual([
      ['Content-Type', 'text/html'],
      ['X-Last', '1'],
    ]);
  });

  test.each([
    'HTTP/1.1 204',
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 204 No Content\r',
  ])('may be a status line alone: %j', (text) => {
    expect(head(text)?.status).toBe(204);
    expect(head(text)?.defects).toContain('head-cut');
  });

  test('has no status if it ends within it', () => {
    for (const text of ['', 'H', 'HTTP/1.1', 'HTTP/1.1 ', 'HTTP/1.1 20', '\n', '\r'])
      expect(head(text)).toBeUndefined();
  });

  test('is named only if its last line has no end', () => {
    expect(head('HTTP/1.1 200 OK\r\nA: b\r\n')?.defects).toEqual([]);
    expect(head('HTTP/1.1 200 OK\r\nA: b\r\n\r\n')?.defects).toEqual([]);
  });
});

test('a head cut at any byte gives the lines before the cut, and perhaps a part of one', () => {
  const piece = fc.constantFrom('\r\n', '\n', '\r', ' ', ':', 'a', 'b: c', 'HTTP/1.1 200 OK', '\0');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(), (pieces, at) => {
      const whole = `HTTP/1.1 200 OK\r\n${pieces.join('')}\r\n`;
      const cut = whole.slice(0, at % (whole.length + 1));
      const read = head(cut);
      expect(read === undefined).toBe(cut.length < 'HTTP/1.1 200'.length);
      const ended = cut.slice(0, cut.lastIndexOf('\n') + 1);
      const lines = linesOf(cut);
      const before = linesOf(ended);
      expect(lines.length - before.length).toBeOneOf([0, 1]);
      // A cut line may continue the one before it.
      const unfolded = /(^|\n)[ \t][^\n]*$/.test(cut) ? before.length - 1 : before.length;
      expect(lines.slice(0, Math.max(0, unfolded))).toEqual(before.slice(0, Math.max(0, unfolded)));
    }),
  );
});
