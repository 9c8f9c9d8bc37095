import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cssReferences, cssWith, styleRequisites } from '../../src/parse/css.ts';
import { parsePage } from '../../src/parse/page.ts';
import { pageWith } from '../../src/parse/references.ts';
import { imagesOf, pageRequisites } from '../../src/parse/requisites.ts';
import { soup } from './soup.ts';

const BASE = 'https://example.org/docs/page.html';

function requisites(html: string, most = 1000): string[] {
  const body = Buffer.from(html);
  return pageRequisites(body, parsePage(body, { url: BASE }), most);
}
const paths = (html: string) =>
  requisites(html).map((url) => url.replace('https://example.org/docs/', ''));

describe('the requisites of a page', () => {
  test.each([
    ['<img src=a.png>', 'a.png'],
    ['<IMG SRC="a.png?x=1&amp;y=2">', 'a.png?x=1&y=2'],
    ['<img src="">', ''],
    ['<img src="#x">', ''],
    ['<img src="data:image/png;base64,AAAA">', ''],
    ['<img srcset="a.png 1x, b.png 2x">', 'a.png b.png'],
    ['<picture><source srcset="a.avif" type=image/avif><img src=b.jpg></picture>', 'a.avif b.jpg'],
    ['<img data-src=lazy.png src="data:,">', 'lazy.png'],
    ['<script src=x.js></script><script>var a = "<img src=no.png>"</script>', 'x.js'],
    ['<link rel="shortcut icon" href=i.ico><link rel=canonical href=c>', 'i.ico'],
    ['<link rel=preload as=font href=f.woff2><link rel=next href=n>', 'f.woff2'],
    ['<link rel="alternate stylesheet" href=s.css>', 's.css'],
    [
      '<video src=v.mp4 poster=p.jpg><track src=t.vtt></video><audio src=a.ogg>',
      'v.mp4 p.jpg t.vtt a.ogg',
    ],
    ['<object data=o.swf></object><embed src=e.pdf>', 'o.swf e.pdf'],
    ['<input type=image src=b.png><input type=text src=no.png>', 'b.png'],
    ['<body background=bg.gif><td background=t.gif>', 'bg.gif t.gif'],
    ['<svg><image xlink:href=i.png /><use href="s.svg#a"/><use href="#b"/></svg>', 'i.png s.svg'],
    ['<p style="background: url(&quot;b.png&quot;)">', 'b.png'],
    ['<style>@import "a.css"; p { background: url(b.png) }</style>', 'a.css b.png'],
    ['<template><img src=no.png></template><!-- <img src=no.png> -->', ''],
    ['<noscript><img src=n.png></noscript>', 'n.png'],
    ['<base href=/docs/sub/><img src=a.png>', 'sub/a.png'],
    ['<a href=x>x</a><iframe src=f></iframe>', ''],
  ])('%s', (html, expected) => {
    expect(paths(html)).toEqual(expected === '' ? [] : expected.split(' '));
  });

  test('are each named once, and at most as many as asked for', () => {
    const page = '<img src=a><img src=a><img src=b><img src=c>';
    expect(paths(page)).toEqual(['a', 'b', 'c']);
    expect(requisites(page, 2)).toHaveLength(2);
  });

  test('of a page in UTF-16 are found', () => {
    const html = '\ufeff<meta charset=utf-16><img src=ü.png>';
    const body = Buffer.from(html, 'utf16le');
    expect(pageRequisites(body, parsePage(body, { url: BASE }), 9)).toEqual([
      'https://example.org/docs/%C3%BC.png',
    ]);
  });

  test('of any bytes are canonical URLs, and nothing is thrown', () => {
    fc.assert(
      fc.property(soup, (html) => {
        for (const url of requisites(html)) expect(new URL(url).href).toBeTruthy();
      }),
      { numRuns: 300 },
    );
  });
});

describe('a srcset', () => {
  test.each([
    ['a.png', ['a.png']],
    ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
    ['a.png, b.png 2x', ['a.png', 'b.png']],
    ['a.png 100w,b.png 200w', ['a.png', 'b.png']],
    ['a,b.png 1x', ['a,b.png']],
    [' , ,a.png 1x,, b.png', ['a.png', 'b.png']],
    ['a.png (x,y) 1x, b.png', ['a.png', 'b.png']],
    ['', []],
    [',', []],
  ])('%s', (text, images) => {
    expect(imagesOf(text)).toEqual(images);
  });
});

describe('a style sheet needs', () => {
  test.each([
    ['@import "a.css";', ['a.css']],
    ["@import url('a.css') screen;", ['a.css']],
    ['@IMPORT url( a.css );', ['a.css']],
    ['@import "a.css" layer(base) supports(display: grid); p{}', ['a.css']],
    ['@namespace svg url(http://www.w3.org/2000/svg);', []],
    ['@namespace "http://x/"; a { b: url(c) }', ['c']],
    ['/* url(no) */ a{b:url(c)/* url(no) */}', ['c']],
    ['a::before{content:"url(no)"}', []],
    ["@font-face{src:local('x'),url(f.woff2)format('woff2'),url(f.ttf)}", ['f.woff2', 'f.ttf']],
    [
      'a{b:image-set("1.png" 1x, "2.png" type("image/png") 2x, url(3.png) 3x)}',
      ['1.png', '2.png', '3.png'],
    ],
    ['a{b:url(a\\)b.png)}', ['a)b.png']],
    ['a{b:url("a\\20 b.png")}', ['a b.png']],
    ['a{b:url()}', []],
    ['a{b:url( )}', []],
    ['a{b:my-url(no)}', []],
    ['a{b:url(data:image/png;base64,AA==)}', ['data:image/png;base64,AA==']],
    ['a{b:url(unclosed', []],
    ['a{b:url("unclosed', ['unclosed']],
    ['/* unclosed url(no)', []],
  ])('%s', (css, expected) => {
    expect(cssReferences(css)).toEqual(expected);
  });

  test('canonical URLs, each once', () => {
    const css = Buffer.from('a{b:url(i.png)} c{d:url(./i.png#x)} e{f:url(data:,)}');
    const context = { url: 'https://example.org/s/a.css', contentType: 'text/css' };
    expect(styleRequisites(css, context, 9)).toEqual(['https://example.org/s/i.png']);
  });

  test('time in proportion to its length, whatever is in it', () => {
    for (const piece of ['url(', '/*', '"', '@import ', 'url(a', '\\', 'image-set(', "url('"])
      expect(cssReferences(piece.repeat(100_000)).length).toBeGreaterThanOrEqual(0);
  });

  test('stays as it is but for its references', () => {
    const css = '@import "a.css"; b{c:url( d.png ) no-repeat; e: url("f g.png"); h: "url(i)"}';
    const renamed = cssWith(css, (reference) => `../${reference}`);
    expect(renamed).toBe(
      '@import "../a.css"; b{c:url( ../d.png ) no-repeat; e: url("../f%20g.png"); h: "url(i)"}',
    );
    expect(cssWith(css, (reference) => reference)).toBe(css);
  });
});

describe('a page with other references', () => {
  const renamed = (html: string, rename = (url: string) => `X${new URL(url).pathname}`) =>
    Buffer.from(
      pageWith(Buffer.from(html), { url: BASE, contentType: undefined }, rename),
    ).toString();

  test.each([
    ['<a href="b.html#s">b</a>', '<a href="X/docs/b.html#s">b</a>'],
    ['<a href=b.html>b</a>', '<a href=X/docs/b.html>b</a>'],
    ['<a href="#s">s</a>', '<a href="#s">s</a>'],
    ['<a href="mailto:x@y">m</a>', '<a href="mailto:x@y">m</a>'],
    ['<base href="/z/"><a href=b>', '<base href=""><a href=X/z/b>'],
    [
      '<img src=a.png srcset="a.png 1x, b.png 2x">',
      '<img src=X/docs/a.png srcset="X/docs/a.png 1x, X/docs/b.png 2x">',
    ],
    ['<p style="background:url(a.png)">', '<p style="background:url(X/docs/a.png)">'],
    ['<style>a{b:url(c)}</style>', '<style>a{b:url(X/docs/c)}</style>'],
    [
      '<meta http-equiv=refresh content="0; url=n.html">',
      '<meta http-equiv=refresh content="0; url=X/docs/n.html">',
    ],
    ['<p title="ü">é</p><a href="ü">', '<p title="ü">é</p><a href="X/docs/%C3%BC">'],
    [
      '<!-- <a href=b> --><script>"<a href=b>"</script>',
      '<!-- <a href=b> --><script>"<a href=b>"</script>',
    ],
  ])('%s', (html, expected) => {
    expect(renamed(html)).toBe(expected);
  });

  test('has the same links as before, if each reference becomes its URL', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const before = parsePage(Buffer.from(html), { url: BASE }).links.map(({ url }) => url);
        const body = pageWith(
          Buffer.from(html),
          { url: BASE, contentType: undefined },
          (url) => url,
        );
        const after = parsePage(body, { url: BASE }).links.map(({ url }) => url);
        expect(after).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});
