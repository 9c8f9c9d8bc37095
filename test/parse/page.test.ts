import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ParseOptions, parsePage } from '../../src/parse/page.ts';
import { refreshTarget } from '../../src/parse/refresh.ts';
import { ParameterList } from '../../src/url/parameters.ts';

const url = 'https://example.org/docs/page.html';
const parse = (page: string, options?: ParseOptions) =>
  parsePage(Buffer.from(page), { url }, options);
const urls = (page: string, options?: ParseOptions) =>
  parse(page, options).links.map((link) => link.url);

describe('a page', () => {
  test('has its links in order, each with kind, nofollow and canonical URL', () => {
    const page = parse(`<link rel=canonical href=/docs/page>
      <a href="next.html#top">n</a> <a rel="noopener NoFollow" href=//other.example>o</a>
      <iframe src=frame></iframe><meta http-equiv=refresh content="1; url=r"><a href="next.html">again</a>`);
    expect(page.links).toEqual([
      { url: 'https://example.org/docs/page', kind: 'canonical', nofollow: false },
      { url: 'https://example.org/docs/next.html', kind: 'a', nofollow: false },
      { url: 'https://other.example/', kind: 'a', nofollow: true },
      { url: 'https://example.org/docs/frame', kind: 'iframe', nofollow: false },
      { url: 'https://example.org/docs/r', kind: 'refresh', nofollow: false },
      { url: 'https://example.org/docs/next.html', kind: 'a', nofollow: false },
    ]);
    expect(page.canonical).toBe('https://example.org/docs/page');
    expect(page.base).toBe(url);
  });

  test('counts the references that cannot be crawled', () => {
    expect(parse('<a href=mailto:x@y><a href="http://[">x<a href="#top"><a href=ok>').refused).toBe(
      2,
    );
  });

  test('does not count its own fragments as links, but does count a link to itself', () => {
    expect(urls('<a href="#a"><a href="">')).toEqual([url]);
  });

  test('drops the listed parameters', () => {
    expect(urls('<a href="?a=1&amp;sid=2">', { drop: new ParameterList(['sid']) })).toEqual([
      `${url}?a=1`,
    ]);
  });
});

describe('limits', () => {
  test('links beyond the limit are dropped, and the page is marked as truncated', () => {
    const page = parse('<a href=1><a href=2><a href=3><base href=/b/>', { maxLinks: 2 });
    expect(page.links.map((link) => link.url)).toEqual([
      'https://example.org/b/1',
      'https://example.org/b/2',
    ]);
    expect(page.truncated).toBe(true);
    expect(parse('<a href=1><a href=2>', { maxLinks: 2 }).truncated).toBe(false);
  });

  test('repeats do not count as links, and are left out of a long list only', () => {
    const page = parse('<a href=1><a href=1><a href=1><a href=2><a href=3>', { maxLinks: 2 });
    expect(page.links.map((link) => link.url)).toEqual(
      [1, 1, 2].map((name) => `https://example.org/docs/${name}`),
    );
    expect(page).toMatchObject({ truncated: true, cut: 1 });
  });

  test('a link to follow is kept after one to the same page that is not', () => {
    const html = '<a rel=nofollow href=1><a href=1><a href=1>';
    const page = parse(html, { maxLinks: 2 });
    expect(page.links.map(({ nofollow }) => nofollow)).toEqual([true, false]);
    expect(page.cut).toBe(0);
  });

  test.each([
    ['anchors of the page', '<a href=#a>', ''],
    ['anchors of the page, with a base', '<a href=#a>', '<base href=/docs/>'],
    ['links to one page', '<a href=x>', ''],
    ['links to parts of one page', '<a href=x#y>', ''],
    ['tags without a link', '<link rel=stylesheet href=s.css>', ''],
  ])('the real links are found behind 100,000 %s', (_, tag, base) => {
    const page = parse(`${base}${tag.repeat(100_000)}<a href=real>`);
    expect(page.links.at(-1)).toMatchObject({ url: 'https://example.org/docs/real' });
    expect(page.truncated).toBe(false);
    expect(page.links.length).toBeLessThanOrEqual(50_001);
  });

  test('a page of nothing but links costs time and memory in proportion to the limit', () => {
    const hrefs = Array.from({ length: 400_000 }, (_, i) => `<a href=${i}>`).join('');
    const page = parse(hrefs);
    expect(page.links.length).toBe(50_000);
    expect(page.cut).toBe(350_000);
  });

  test('an attribute longer than the limit is ignored', () => {
    expect(urls('<a href=12345><a href=123456>', { maxAttributeLength: 5 })).toEqual([
      'https://example.org/docs/12345',
    ]);
  });

  test('a URL longer than the limit is refused', () => {
    const page = parse('<a href=12><a href=123>', {
      maxUrlLength: 'https://example.org/docs/12'.length,
    });
    expect(page.links).toHaveLength(1);
    expect(page.refused).toBe(1);
  });

  test('a tag with more attributes than the limit still ends at its end', () => {
    const many = Array.from({ length: 100 }, (_, i) => `a${i}="<a href=no>"`).join(' ');
    expect(urls(`<a href=x ${many}><a ${many} href=late><a href=y>`)).toEqual([
      'https://example.org/docs/x',
      'https://example.org/docs/y',
    ]);
  });
});

describe('robots directives', () => {
  const robots = (page: string, robotsHeaders: string[] = []) =>
    parsePage(Buffer.from(page), { url, robotsHeaders }).robots;
  const cases: [
    what: string,
    page: string,
    headers: string[],
    noindex: boolean,
    nofollow: boolean,
  ][] = [
    ['none', '<meta name=description content=noindex>', [], false, false],
    ['a meta element', '<META NAME=Robots CONTENT="NoIndex, follow">', [], true, false],
    ['words without commas', '<meta name=robots content="noindex nofollow">', [], true, true],
    ['"none"', '<meta name=robots content=none>', [], true, true],
    ['our own name', '<meta name=Drumlin content=nofollow>', [], false, true],
    ['the name of another', '<meta name=googlebot content=none>', [], false, false],
    [
      'two meta elements together',
      '<meta name=robots content=noindex><meta name=robots content="index,nofollow">',
      [],
      true,
      true,
    ],
    ['a header', '', ['noindex'], true, false],
    [
      'a header and a meta element together',
      '<meta name=robots content=noindex>',
      ['nofollow'],
      true,
      true,
    ],
    ['a header for us', '', ['drumlin: nofollow'], false, true],
    [
      'a header for another, then for us',
      '',
      ['otherbot: noindex, nofollow, drumlin: noindex'],
      true,
      false,
    ],
    [
      'a header with a date',
      '',
      ['unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow'],
      false,
      true,
    ],
    [
      'a meta element in a template',
      '<template><meta name=robots content=none></template>',
      [],
      false,
      false,
    ],
  ];
  test.each(cases)('%s', (_, page, headers, noindex, nofollow) => {
    expect(robots(page, headers)).toEqual({ noindex, nofollow });
  });
});

test.each([
  ['5', undefined],
  ['5;', undefined],
  ['5; url=a', 'a'],
  ['5;URL="a b"c', 'a b'],
  ["0,'a'", 'a'],
  ["0;url='a", 'a'],
  ['.5 a', 'a'],
  ['1.2.3;a', 'a'],
  ['5; url a', 'url a'],
  ['5; urlx=a', 'urlx=a'],
  [' \n5 ; url\t=\na', 'a'],
  ['', undefined],
  ['url=a', undefined],
  ['5a', undefined],
  ['-1;a', undefined],
])('the refresh %j leads to %s', (content, target) => {
  expect(refreshTarget(content)).toBe(target);
});

describe('for any bytes', () => {
  test('nothing is thrown, and every link is canonical', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .array(fc.constantFrom(...'<>/="\'& a!-?#;x\0\x1b\xe9\xff\x83'), { maxLength: 200 })
        .map((c) => Buffer.from(c.join(''), 'latin1')),
    );
    fc.assert(
      fc.property(
        bytes,
        fc.constantFrom(
          undefined,
          'text/html; charset=utf-16',
          'charset=gbk',
          'charset=',
          'charset=hz-gb-2312',
          'charset=x-user-defined',
        ),
        (body, contentType) => {
          for (const link of parsePage(body, { url, contentType }).links)
            expect(link.url).toMatch(/^https?:\/\//);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['open tags', '<'],
    ['unclosed comments', '<!--'],
    ['dashes in a comment', '-', '<!--'],
    ['unclosed quotes', '<a href="'],
    ['unclosed scripts', '<script><!--'],
    ['script ends in scripts', '</script', '<script><!--'],
    ['nested pictures', '<svg><g>'],
    ['ends of nothing in a picture', '</x>', `<svg>${'<g>'.repeat(10_000)}`],
    ['ampersands', '&', '<a href="'],
    ['digits in a refresh', '9', '<meta http-equiv=refresh content="'],
    ['templates', '<template>'],
    ['attributes', ' a', '<a'],
    ['undeclared bytes', 'a\xe9'],
  ])('a megabyte of %s is read in linear time', (_, piece, before = '') => {
    const page = Buffer.from(before + piece.repeat(1_000_000 / piece.length), 'latin1');
    const start = process.cpuUsage();
    parsePage(page, { url }, { maxAttributeLength: 2_000_000 });
    const { user, system } = process.cpuUsage(start);
    // Far above the cost of one pass and far below that of a quadratic one.
    expect(user + system).toBeLessThan(3_000_000);
  });
});
