import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { declaredOutside, isAsciiCompatible } from '../../src/parse/charset.ts';
import {
  type ParsedPage,
  type ParseOptions,
  parsePage,
  parseScanned,
} from '../../src/parse/page.ts';
import { ParameterList, TRACKING_PARAMETERS } from '../../src/url/parameters.ts';
import { originOf } from '../../src/url/parts.ts';
import { foreignMaterial } from '../foreign-material.ts';
import { leftOut } from '../left-out.ts';
import { base, reference } from '../url/hrefs.ts';
import { ACCEPTED, BROKEN_PAGES } from './broken-pages.ts';
import { foreign, soup, structuredSoup } from './soup.ts';

const vectors = await foreignMaterial('urls');
const URL_OF_PAGE = 'http://docs.example.org/a/b.html?c=d';
const TYPES = [
  'text/html',
  'text/html; charset=utf-8',
  'text/html; charset=windows-1252',
  undefined,
];

const answerOf = ({ links, title, packed: _, ...rest }: ParsedPage) => ({
  ...rest,
  links: links.map((link) => ({ ...link })),
  title: title(),
});

/** The kernel's answer is that of the two passes in TypeScript. */
function agrees(
  body: Buffer,
  url = URL_OF_PAGE,
  options: ParseOptions = {},
  contentType: string | undefined = undefined,
): ParsedPage {
  const outside = declaredOutside(body, contentType);
  const page = parsePage(body, { url, contentType }, { ...options, origins: true });
  if (outside !== undefined && !isAsciiCompatible(outside)) return page;
  const defined = parseScanned(body, outside, { url, contentType }, options);
  expect(answerOf(page)).toEqual(answerOf(defined));
  if (!page.packed) return page;
  const urls = page.links.map((link) => link.url);
  expect(page.packed.urls.all()).toEqual(urls);
  expect(page.packed.origins?.all()).toEqual([
    ...new Set(urls.map((link) => `${originOf(link)}/`)),
  ]);
  return page;
}

describe('the kernel finds what the definition finds', () => {
  const pages = fc.oneof(soup, structuredSoup, foreign);
  const joined = fc.array(pages, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('\n'));

  test('in soup of tags, raw text, templates, SVG and MathML', () => {
    fc.assert(
      fc.property(joined, fc.constantFrom(...TYPES), (page, type) => {
        agrees(Buffer.from(page), URL_OF_PAGE, {}, type);
      }),
      { numRuns: 600 },
    );
  });

  test('in soup that is cut off anywhere, begins anywhere and has any bytes in it', () => {
    const bytes = fc.uint8Array({ maxLength: 3 });
    fc.assert(
      fc.property(joined, fc.nat(), fc.nat(), bytes, fc.nat(), (page, from, to, extra, at) => {
        const whole = Buffer.from(page);
        const cut = whole.subarray(from % whole.length, whole.length - (to % whole.length));
        const place = at % (cut.length + 1);
        agrees(Buffer.concat([cut.subarray(0, place), extra, cut.subarray(place)]));
      }),
      { numRuns: 600 },
    );
  });

  test('for difficult references on any base, in any quotes, with any limit', () => {
    const tag = fc.constantFrom('a href=', 'AREA HREF=', 'iframe src=', 'a rel=nofollow href=');
    const rel = fc.constantFrom(
      '',
      ' rel="x NoFollow"',
      ' rel=nofollow2',
      " rel='a&amp;b'",
      ' rel=é',
    );
    const limit = fc.constantFrom(undefined, undefined, 12, 30, 60);
    const link = fc.tuple(tag, fc.constantFrom('"', "'"), reference, rel);
    fc.assert(
      fc.property(
        base,
        fc.array(link, { maxLength: 4 }),
        fc.constantFrom(undefined, '', '/x/y/', 'http://b.org', '?q'),
        limit,
        fc.boolean(),
        (url, links, href, maxUrlLength, drops) => {
          const tags = links.map(([open, quote, text, more]) => {
            return `<${open}${quote}${text.replaceAll(quote, '')}${quote}${more}>`;
          });
          const head = href === undefined ? '' : `<base href="${href}">`;
          agrees(Buffer.from(tags.join('text') + head), url, {
            ...(maxUrlLength !== undefined && { maxUrlLength }),
            ...(drops && { drop: new ParameterList(TRACKING_PARAMETERS) }),
          });
        },
      ),
      { numRuns: 1200 },
    );
  });

  test('for ampersands of all kinds', () => {
    const piece = fc.constantFrom(
      ...['&', '&amp;', '&AMP;', '&amp', '&copy', '&copy=', '&copyx=', '&notin;', '&not', '&#38;'],
      ...['a', '=1', '?', '/', ';', 'amp;', '#', '&b=', '&1=', '&=', '&é=', '&amp;amp;', '&quot;'],
    );
    const value = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(value, fc.constantFrom(...TYPES), (text, type) => {
        agrees(Buffer.from(`<a href="x?${text}"><a href=${text}>`), URL_OF_PAGE, {}, type);
      }),
      { numRuns: 600 },
    );
  });

  test.each(BROKEN_PAGES)('for %s', (_, page) => {
    agrees(Buffer.from(page));
  });

  test('where it differs from a conformant parser, too', () => {
    for (const { page } of ACCEPTED) agrees(Buffer.from(page));
  });

  test.skipIf(leftOut(vectors))('for the references of WHATWG, each on its base', () => {
    for (const one of JSON.parse(readFileSync(vectors.path, 'utf8'))) {
      if (typeof one === 'string' || one.base === null) continue;
      const value = one.input.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
      agrees(Buffer.from(`<a href="${value}">`), one.base);
    }
  });

  test('in encodings with a byte order mark, or declared by the page', () => {
    const page = '<meta charset=shift_jis><a href="x?é=ü&amp;b=%e9"><a href=é><title>é</title>';
    agrees(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(page)]));
    agrees(Buffer.from(page));
    agrees(Buffer.from(page, 'latin1'));
    agrees(Buffer.from(page.replace('shift_jis', 'iso-2022-jp')));
    agrees(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(page, 'utf16le')]));
  });
});

describe('the kernel leaves a page to the definition', () => {
  const isPacked = (page: string, options: ParseOptions = {}) =>
    agrees(Buffer.from(page), URL_OF_PAGE, options).packed !== undefined;

  test('with too many tags, more links than wanted, or URLs beyond its room', () => {
    const many = (n: number, link: string) => link.repeat(n);
    expect(isPacked(many(1000, '<a href=x>'))).toBe(true);
    expect(isPacked(many(1001, '<a href=x>'))).toBe(false);
    expect(isPacked(many(999, '<a href=x>') + many(2, '<svg><a href=y></svg>'))).toBe(false);
    expect(isPacked(many(3, '<a href=x>'), { maxLinks: 3 })).toBe(true);
    expect(isPacked(many(4, '<a href=x>'), { maxLinks: 3 })).toBe(false);
    const long = 'y'.repeat(1900);
    expect(isPacked(many(130, `<a href="${long}">`))).toBe(true);
    expect(isPacked(many(140, `<a href="${long}">`))).toBe(false);
    expect(isPacked(many(140, `<a href=" ${long}">`))).toBe(false);
  });

  test('larger than its memory, on a base that is not of the web, or with texts wanted', () => {
    expect(isPacked(`<a href=x>${' '.repeat(2 ** 20 - 10)}`)).toBe(true);
    expect(isPacked(`<a href=x>${' '.repeat(2 ** 20)}<a href=y>`)).toBe(false);
    expect(isPacked('<a href=x><base href="ftp://f/">')).toBe(false);
    expect(isPacked('<a href=x>text</a>', { texts: true })).toBe(false);
  });
});

test('what a page left in the memory of the kernel is not seen by the next', () => {
  agrees(Buffer.from(`<a href=first>${'<a href="x">'.repeat(20)}</title>--></script></svg>`));
  for (const open of ['<a href="x', '<!--', '<title>', '<script><!--<script>', '<a href=x', '<svg'])
    for (let spaces = 0; spaces < 20; spaces++) agrees(Buffer.from(' '.repeat(spaces) + open));
});

describe('the origins that links lead to', () => {
  const origin = fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 20 }),
      fc.constantFrom('', ':8080'),
    )
    .map(([scheme, name, port]) => `${scheme}://${name}.org${port}`);
  const pageOf = (links: readonly string[]) =>
    Buffer.from(links.map((link) => `<a href="${link}/x">`).join(''));

  test('are each there once, in the order of their first links', () => {
    fc.assert(
      fc.property(fc.array(origin, { maxLength: 60 }), (origins) => {
        const { packed } = agrees(pageOf([...origins, ...origins]));
        expect(packed?.origins?.length).toBe(new Set(origins).size);
      }),
    );
  });

  test('of the page before are forgotten, however many they were', () => {
    const many = Array.from({ length: 900 }, (_, i) => `http://s${i}.org`);
    expect(agrees(pageOf(many)).packed?.origins?.length).toBe(900);
    expect(agrees(pageOf(['http://s7.org'])).packed?.origins?.all()).toEqual(['http://s7.org/']);
  });

  test('are left out where they are not wanted, or do not fit', () => {
    const name = `${'a'.repeat(60)}.${'b'.repeat(60)}`;
    const long = pageOf(Array.from({ length: 300 }, (_, i) => `http://${name}.s${i}.org`));
    const packedIn = (body: Buffer, options: ParseOptions) =>
      parsePage(body, { url: URL_OF_PAGE }, options).packed;
    expect(packedIn(long, { origins: true })?.urls.length).toBe(300);
    expect(packedIn(long, { origins: true })?.origins).toBeUndefined();
    expect(packedIn(pageOf(['http://a.org']), {})?.origins).toBeUndefined();
  });
});
