import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicaliseOrReason } from '../../src/url/canonical.ts';
import { ParameterList, TRACKING_PARAMETERS } from '../../src/url/parameters.ts';
import { pageSource, Resolver } from '../../src/url/resolve.ts';
import { base, reference } from './hrefs.ts';

const page = 'https://example.org/docs/guide/intro.html?v=2#top';
const tracking = new ParameterList(TRACKING_PARAMETERS);

/** The answer without a fast path: what `new URL` reads, made canonical. */
const fully = (text: string, from: string, options = {}) =>
  canonicaliseOrReason(text, { ...options, base: from });

describe('a resolver', () => {
  test('gives the same answer as the full parse, for any base and references', () => {
    fc.assert(
      fc.property(base, fc.array(reference, { minLength: 1, maxLength: 6 }), (from, references) => {
        const resolver = new Resolver(from);
        for (const text of references)
          expect(resolver.resolveOrReason(text)).toBe(fully(text, from));
      }),
      { numRuns: 4000 },
    );
  });

  test('gives the same answer under any length limit and with parameters dropped', () => {
    fc.assert(
      fc.property(
        base,
        reference,
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        (from, text, maxLength, dropping) => {
          const options = dropping ? { maxLength, drop: tracking } : { maxLength };
          expect(new Resolver(from, options).resolveOrReason(text)).toBe(
            fully(text, from, options),
          );
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('gives the same answer for a reference to its own origin, plain or not', () => {
    fc.assert(
      fc.property(base, reference, (from, text) => {
        const own = new URL(from).origin + text;
        expect(new Resolver(from).resolveOrReason(own)).toBe(fully(own, from));
      }),
      { numRuns: 1000 },
    );
  });

  test('gives the same answer for a plain reference inside a page, with any text around it', () => {
    const around = fc.constantFrom('', '/', '2', '"', '<a href=', '.', '%20');
    fc.assert(
      fc.property(base, reference, around, around, (from, text, before, behind) => {
        const bytes = Buffer.from(before + text + behind);
        const start = Buffer.byteLength(before);
        const source = pageSource(bytes, bytes.toString('latin1'));
        const resolver = new Resolver(from);
        const url = resolver.resolvePlain(source, start, start + Buffer.byteLength(text));
        if (url !== undefined) expect(url).toBe(fully(text, from));
      }),
      { numRuns: 4000 },
    );
  });

  test.each([
    '/a/b.html',
    'http://example.net:8080/x',
    '//example.net/x',
    'https://example.org/docs/',
    '../a?b=c',
    'a/b:c',
    'https://example.net',
  ])('%s is plain inside a page', (text) => {
    const source = pageSource(Buffer.from(text), text);
    expect(new Resolver(page).resolvePlain(source, 0, text.length)).toBe(fully(text, page));
  });

  test('does not treat a reference with an ampersand inside a page as plain', () => {
    const text = '/a?b=1&amp;c=2';
    expect(
      new Resolver(page).resolvePlain(pageSource(Buffer.from(text), text), 0, text.length),
    ).toBe(undefined);
  });

  const cases: [from: string, to: string | undefined][] = [
    ['/a/b.html#c', 'https://example.org/a/b.html'],
    ['next.html', 'https://example.org/docs/guide/next.html'],
    ['../../../x', 'https://example.org/x'],
    ['./.././y', 'https://example.org/docs/y'],
    ['..', 'https://example.org/docs/'],
    ['?v=3', 'https://example.org/docs/guide/intro.html?v=3'],
    ['', 'https://example.org/docs/guide/intro.html?v=2'],
    ['#end', 'https://example.org/docs/guide/intro.html?v=2'],
    ['//cdn.example.net/x', 'https://cdn.example.net/x'],
    ['http://example.net:8080', 'http://example.net:8080/'],
    ['https://example.net?q', 'https://example.net/?q'],
    ['mailto:a@example.org', undefined],
    ['notes:1', undefined],
    ['http://[', undefined],
  ];
  test.each(cases)('resolves %j to %s', (from, to) => {
    expect(new Resolver(page).resolve(from)).toBe(to);
  });

  test('never fails on any text', () => {
    const resolver = new Resolver(page);
    fc.assert(
      fc.property(
        fc.uint16Array({ maxLength: 60 }),
        (units) => void resolver.resolve(String.fromCharCode(...units)),
      ),
    );
  });
});
