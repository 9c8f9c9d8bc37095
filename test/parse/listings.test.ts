import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFeed } from '../../src/parse/feed.ts';
import { headerLinks, headerRequisites } from '../../src/parse/header-links.ts';
import { parsePage } from '../../src/parse/page.ts';

const head = (link: string[], refresh: string[] = []) => ({
  url: 'https://example.org/docs/page',
  headers: { all: (name: string) => (name === 'link' ? link : refresh) },
});
const links = (...lines: string[]) =>
  headerLinks(head(lines), undefined).map(({ url, kind, nofollow }) => [
    `${kind}${nofollow ? ' nofollow' : ''}`,
    url.replace('https://example.org', ''),
  ]);

describe('the Link header', () => {
  test.each([
    ['</next>; rel="next"', [['next', '/next']]],
    [
      '<a>; rel=prev, <b>;rel="alternate"; title="a, <b>"',
      [
        ['prev', '/docs/a'],
        ['alternate', '/docs/b'],
      ],
    ],
    ['<c>; rel="canonical nofollow"', [['canonical nofollow', '/docs/c']]],
    ['<s.css>; rel=stylesheet', []],
    ['<x>', []],
    ['<x>; rel=next; anchor="/other"', []],
    ['x; rel=next', []],
    ['<javascript:x>; rel=next', []],
    ['<'.repeat(50_000), []],
    ['<a>;"'.repeat(5000), []],
  ])('%s', (line, expected) => {
    expect(links(line)).toEqual(expected);
  });

  test('names requisites, too', () => {
    const line = '<s.css>; rel=stylesheet, <f.woff2>; rel="preload"; as=font, <n>; rel=next';
    expect(headerRequisites(head([line]))).toEqual([
      'https://example.org/docs/s.css',
      'https://example.org/docs/f.woff2',
    ]);
  });
});

test('the Refresh header is read like its meta tag', () => {
  expect(headerLinks(head([], ['5; url=/soon', '3']), undefined)).toEqual([
    { url: 'https://example.org/soon', kind: 'refresh', nofollow: false },
  ]);
});

describe('a feed', () => {
  const read = (text: string, most = 100) => readFeed(Buffer.from(text), undefined, most);

  test('of RSS lists its items, by link and by permanent address', () => {
    const feed = read(`<?xml version="1.0"?><!-- a --><rss version="2.0"><channel>
      <link>https://example.org/</link><atom:link rel="self" href="https://example.org/feed"/>
      <item><link>https://example.org/1?a=1&amp;b=2</link><description>&lt;a href="/no"&gt;</description></item>
      <item><link><![CDATA[ https://example.org/2 ]]></link><guid isPermaLink="false">no</guid></item>
      <item><guid>https://example.org/3</guid><enclosure url="https://example.org/no.mp3"/></item>
      <item><guid>tag:no</guid></item></channel></rss>`);
    expect(feed?.references).toEqual([
      'https://example.org/',
      'https://example.org/1?a=1&b=2',
      'https://example.org/2',
      'https://example.org/3',
    ]);
  });

  test('of Atom lists its entries and its further pages', () => {
    const feed = read(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base='/blog/'>
      <link rel="self" href="feed"/><link rel='next' href='feed?2'/>
      <entry><link href="a"/><link rel="edit" href="no"/><link rel="alternate" href="b &gt; c"/></entry></feed>`);
    expect(feed).toMatchObject({ base: '/blog/', references: ['feed?2', 'a', 'b > c'] });
  });

  test('of RSS 1.0, and one in another encoding, are read', () => {
    expect(
      read('<rdf:RDF xmlns="x"><item><link>http://a/</link></item></rdf:RDF>')?.references,
    ).toEqual(['http://a/']);
    const latin1 = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><rss><link>http://a/é</link></rss>',
      'latin1',
    );
    expect(readFeed(latin1, undefined, 9)?.references).toEqual(['http://a/é']);
  });

  test('is not any other document, and has at most as many references as asked for', () => {
    expect(read('<urlset><url><loc>http://a/</loc></url></urlset>')).toBeUndefined();
    expect(read('<html><rss>')).toBeUndefined();
    const many = `<rss>${'<link>http://a/</link>'.repeat(5)}</rss>`;
    expect(read(many, 2)).toMatchObject({ references: ['http://a/', 'http://a/'], cut: 3 });
  });

  test('of any text is read without an error, in linear time', () => {
    const piece = fc.constantFrom(
      '<rss>',
      '<link>',
      '</link>',
      '<guid',
      '<![CDATA[',
      ']]>',
      '<!--',
      '"',
      'http://a/',
      '>',
      '<feed ',
    );
    fc.assert(fc.property(fc.array(piece), (pieces) => void read(pieces.join(''))));
    for (const one of ['<link>', '<link "', '<!--', '<![CDATA[', '<guid>', '<?'])
      read(`<rss>${one.repeat(50_000)}`);
  });
});

test('the links of a drawing are those of its <a> elements, in both spellings', () => {
  const svg =
    '<?xml version="1.0"?><svg xmlns="x"><a xlink:href="one"><text>1</text></a><g><a href="/two"/></g><image href="no.png"/></svg>';
  const found = parsePage(Buffer.from(svg), { url: 'https://example.org/d/i.svg' }).links;
  expect(found.map(({ url }) => url)).toEqual([
    'https://example.org/d/one',
    'https://example.org/two',
  ]);
});
