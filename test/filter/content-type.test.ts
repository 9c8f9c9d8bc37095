import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { typeFilter } from '../../src/filter/content-type.ts';

describe('a filter of content types', () => {
  test('without patterns accepts everything, even a missing type', () => {
    const keeps = typeFilter([]);
    fc.assert(fc.property(fc.option(fc.string(), { nil: undefined }), (type) => keeps(type)));
  });

  test.each([
    [['text/html'], 'text/html', true],
    [['text/html'], 'Text/HTML; charset=UTF-8', true],
    [['TEXT/Html'], 'text/html', true],
    [['text/html'], ' text/html ;charset="a,b"', true],
    [['text/html'], 'text/html, text/plain', true],
    [['text/html'], 'text/htmlx', false],
    [['text/html'], 'xtext/html', false],
    [['text/*'], 'text/css', true],
    [['text/*'], 'image/png', false],
    [['image/*', 'application/pdf'], 'application/pdf', true],
    [['application/*+xml'], 'application/atom+xml; type=feed', true],
    [['application/*+xml'], 'application/xml', false],
    [['*/*'], 'video/mp4', true],
    [['*/*'], undefined, true],
  ] as [string[], string | undefined, boolean][])('%j about %s: %s', (patterns, type, verdict) => {
    expect(typeFilter(patterns)(type)).toBe(verdict);
  });

  test.each([
    undefined,
    '',
    '  ',
    'html',
    'text/',
    '/html',
    'text html',
    ';charset=utf-8',
    'text/html x',
    'ünïcode/x',
  ])('%s is not a type and counts as application/octet-stream', (type) => {
    expect(typeFilter(['application/octet-stream'])(type)).toBe(true);
    expect(typeFilter(['application/*'])(type)).toBe(true);
    expect(typeFilter(['text/*', 'image/*'])(type)).toBe(false);
  });

  test('decides for every header that a server may send', () => {
    const keeps = typeFilter(['text/*', 'application/pdf']);
    fc.assert(fc.property(fc.string(), (type) => typeof keeps(type) === 'boolean'));
    fc.assert(fc.property(fc.string(), (rest) => keeps(`text/plain;${rest}`)));
  });

  test.each([
    'html',
    'text',
    '',
    'text/html/x',
    'text/',
    'text/html;charset=utf-8',
    'text /html',
    '*',
  ])('the pattern "%s" is refused with a remedy', (pattern) => {
    expect(() => typeFilter([pattern])).toThrow(
      `"${pattern}" is not a content type. Write it like text/html, image/* or application/pdf.`,
    );
  });
});
