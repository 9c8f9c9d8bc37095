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

  test.each(['offset', 'length'])('needs a whole number as %s, not below 0', (field) => {
    const other = field === 'offset' ? '"length":"9"' : '"offset":"9"';
    const line = (value: unknown) =>
      `a)/ 20200101000000 {"url":"http://a/","filename":"a.warc",${other},"${field}":${JSON.stringify(value)}}`;
    for (const value of [0, '0', 7, '7', 2 ** 53 - 1])
      expect(parseCdxj(line(value))?.[field as 'offset']).toBe(Number(value));
    for (const value of [
      -1,
      '-1',
      1.5,
      '1.5',
      '',
      ' 7',
      '0x7',
      '1e3',
      2 ** 53,
      true,
      [7],
      null,
      {},
    ])
      expect(parseCdxj(line(value))).toBeUndefined();
  });

  test('needs a time in digits, and has no other status than three digits', () => {
    const line = (time: string, status: unknown) =>
      `a)/ ${time} {"url":"http://a/","filename":"a.warc","offset":1,"length":1,"status":${JSON.stringify(status)}}`;
    expect(parseCdxj(line('2020', 200))?.status).toBe('200');
    for (const status of ['-', '', -1, '20', '2000', '\u001b[2J', null])
      expect(parseCdxj(line('2020', status))?.status).toBe('');
    for (const time of ['-1', '1e3', '\u001b', '2020-01-01', ''])
      expect(parseCdxj(line(time, 200))).toBeUndefined();
  });

  test('has the type without its parameters, or "unk" if the server sent none', () => {
    expect(mimeOf('text/html; charset=utf-8')).toBe('text/html');
    expect(mimeOf('text/html')).toBe('text/html');
    expect(mimeOf('')).toBe('unk');
    expect(mimeOf(undefined)).toBe('unk');
  });
});
