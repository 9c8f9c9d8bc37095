/** Which pages are rendered: what a page looks like, and what earlier pages of its host gained. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RenderLearner } from '../../src/render/learned.ts';
import { needsScripts, textLength } from '../../src/render/need.ts';

const needs = (html: string, links = 0) => needsScripts(Buffer.from(html), links);
const WORDS = 'Words that are there without any script at all. '.repeat(40);

test.each([
  ['an empty mount point', '<div id="root"></div><script src=a.js></script>', 0],
  [
    'a single-page application of Vue',
    '<noscript>We need JavaScript</noscript><div id=app></div><script src=a.js></script>',
    0,
  ],
  ['Angular', '<app-root></app-root><script src="main.js" type="module"></script>', 0],
  [
    'a frame around nothing',
    `<h1>Shop</h1><p>${WORDS.slice(0, 600)}</p><div id="__next"></div><script>x</script>`,
    3,
  ],
  [
    'a request to switch scripts on',
    `<p>${WORDS.slice(0, 600)}</p><noscript>Please enable JavaScript.</noscript><script>x</script>`,
    3,
  ],
])('%s needs scripts', (_, html, links) => {
  expect(needs(html, links)).toBe(true);
});

test.each([
  ['a page of text', `<p>${WORDS}</p><script src=a.js></script>`, 2],
  ['a page without scripts', '<p>short</p>', 0],
  [
    'a page whose only script is data',
    '<script type="application/ld+json">{}</script><p>short</p>',
    0,
  ],
  ['a page of links', `<script src=a.js></script>${'<a href=/x>x</a>'.repeat(20)}`, 20],
  [
    'an application that the server has rendered',
    `<div id="__next"><p>${WORDS}</p></div><script id="__NEXT_DATA__" type="application/json">{}</script><script src=a.js></script>`,
    9,
  ],
])('%s needs none', (_, html, links) => {
  expect(needs(html, links)).toBe(false);
});

test('scripts, styles, comments and titles are no text', () => {
  const html = '<title>title</title><style>p{}</style><!-- note --><script>code</script><p>one two';
  expect(textLength(Buffer.from(html))).toBe('onetwo'.length);
});

test('any bytes are judged, in a time linear in their length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(20), (bytes, links) => {
      expect(typeof needsScripts(bytes, links)).toBe('boolean');
    }),
  );
  for (const piece of ['<script', '<!--', '<div id=root', '<noscript>', '<a ', ' id="app" '])
    needs(piece.repeat(20_000));
});

test('a host whose first pages gained nothing is left alone, and tried again now and then', () => {
  const learner = new RenderLearner();
  for (let i = 0; i < 3; i++) {
    expect(learner.worthwhile('a.test')).toBe(true);
    learner.learn('a.test', false);
  }
  const tried = Array.from({ length: 640 }, () => learner.worthwhile('a.test')).filter(Boolean);
  expect(tried).toHaveLength(10);
  expect(learner.expects('a.test')).toBe(false);
  learner.learn('a.test', true);
  expect(learner.worthwhile('a.test')).toBe(true);
  expect(learner.expects('a.test')).toBe(true);
});

test('a host that waits for a browser is expected to need one until it is known better', () => {
  const learner = new RenderLearner();
  learner.suspect('a.test');
  expect(learner.expects('a.test')).toBe(true);
  learner.learn('a.test', false);
  expect(learner.expects('a.test')).toBe(false);
});

test('only so many hosts are remembered', () => {
  const learner = new RenderLearner(2);
  for (const host of ['a', 'b', 'c']) learner.learn(host, true);
  expect(['a', 'b', 'c'].filter((host) => learner.expects(host))).toEqual(['b', 'c']);
});
