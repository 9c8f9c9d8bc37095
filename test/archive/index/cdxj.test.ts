import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Capture, cdxjLine, mimeOf, parseCdxj } from '../../../src/archive/index/cdxj.ts';
import { anyCharacter } from '../../any-character.ts';

const capture: Capture = {
  key: 'org,example)/a',
  timestamp: '20260314150926',
  url: 'http://example.org/a',
  mime: 'text/html',
  status: '200',
  digest: 'TI5DHC6GG4FXDT4ZC5FK3PYJIPOZDAKD',
  offset: 512,
  length: 7421,
  filename: 'x.warc.gz',
};

const anyCapture: fc.Arbitrary<Capture> = fc.record({
  key: fc.stringMatching(/^[!-~]{1,20}$/),
  timestamp: fc.stringMatching(/^[0-9]{14}$/),
  url: fc.oneof(fc.webUrl(), fc.string({ unit: anyCharacter })),
  mime: fc.string({ unit: anyCharacter }),
  status: fc.constantFrom('', '200', '404'),
  digest: fc.stringMatching(/^[A-Z2-7]{32}$/),
  offset: fc.maxSafeNat(),
  length: fc.maxSafeNat(),
  filename: fc.string(),
});

describe('a line of the index', () => {
  test('is what pywb writes: key, time, and the rest as JSON with numbers as text', () => {
    expect(cdxjLine(capture)).toBe(
      'org,example)/a 20260314150926 {"url":"http://example.org/a","mime":"text/html","status":"200",' +
        '"digest":"TI5DHC6GG4FXDT4ZC5FK3PYJIPOZDAKD","length":"7421","offset":"512","filename":"x.warc.gz"}\n',
    );
  });

  test('is one line of ASCII that reads back, for any URL and type', () => {
    fc.assert(
      fc.property(anyCapture, (any) => {
        const line = cdxjLine(any);
        expect(line).toMatch(/^[ -~]*\n$/);
        expect(parseCdxj(line.trimEnd())).toEqual(any);
        expect(parseCdxj(line.slice(0, -1))).toEqual(any);
      }),
    );
  });

  test('of another tool is read too: numbers as numbers, fields in another order, some missing', () => {
    const line =
      'org,example)/ 20200101000000 {"filename":"a.warc","offset":7,"length":"9","url":"http://example.org/"}';
    expect(parseCdxj(line)).toEqual({
      key: 'org,example)/',
      timestamp: '20200101000000',
      url: 'http://example.org/',
      mime: 'unk',
      status: '',
      digest: '-',
      offset: 7,
      length: 9,
      filename: 'a.warc',
    });
  });

  test.each([
    '',
    'x',
    'a b',
    'a b c',
    'a b {}',
    'a b null',
    'a b {"url":1}',
    ' CDX N b a m s k r M S V g',
  ])('is not read from %j', (line) => {
    expect(parseCdxj(line)).toBeUndefined();
  });

  test('has the type without its parameters, or "unk" if the server sent none', () => {
    expect(mimeOf('text/html; charset=utf-8')).toBe('text/html');
    expect(mimeOf('text/html')).toBe('text/html');
    expect(mimeOf('')).toBe('unk');
    expect(mimeOf(undefined)).toBe('unk');
  });
});
