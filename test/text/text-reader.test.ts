import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makePage } from '../../src/lab/page.ts';
import { isHtmlPage } from '../../src/lab/paths.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { LANGUAGES } from '../../src/lab/words/vocabulary.ts';
import { decode } from '../../src/parse/charset.ts';
import { SIGNALS } from '../../src/text/signals.ts';
import { openTextReader } from '../../src/text/text-reader.ts';
import { wordsOf } from '../../src/text/words.ts';

const web = webOf(
  { scenario: 'mixed', seed: 11, domains: 5000, pages: 20 },
  { http: 8080, https: 8443, dns: 5353, control: 0 },
);

interface LabPage {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** What its author wrote, as words. */
  readonly written: string[];
  readonly language: string;
}

/** `most` pages of each language. */
function labPages(most: number): LabPage[] {
  const counts = LANGUAGES.map(() => 0);
  const pages: LabPage[] = [];
  for (let index = 0; index < 5000; index++) {
    const domain = web.domains.at(index);
    if (!domain.alive || !isHtmlPage(domain, 0)) continue;
    const original = domain.kind.textOf?.(web, domain, 0)?.domain ?? domain;
    if (counts[original.language]++ >= most) continue;
    const { body, headers, written } = makePage(web, domain, 0);
    const isLegacy = domain.behaviour('transfer') === 'no-charset';
    const charset = isLegacy ? LANGUAGES[domain.language].legacy : 'UTF-8';
    const text = decode(Buffer.from(written(), 'latin1'), charset).replace(/<[^>]*>/g, ' ');
    pages.push({
      body: Buffer.from(body, 'latin1'),
      contentType: /Content-Type: (.*)\r\n/.exec(headers)?.[1],
      written: wordsOf(text),
      language: LANGUAGES[original.language].code,
    });
  }
  return pages;
}

/** Twice the words in common, of all words of both. */
function likeness(one: string[], other: string[]): number {
  const counts = new Map<string, number>();
  for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of other) {
    const left = counts.get(word) ?? 0;
    if (left > 0) common++;
    counts.set(word, left - 1);
  }
  return one.length + other.length === 0 ? 1 : (2 * common) / (one.length + other.length);
}

test('main text is what the author of a lab page wrote, in its language', async () => {
  const reader = await openTextReader();
  const byLanguage = new Map<string, number[]>();
  for (const { body, contentType, written, language } of labPages(40)) {
    const page = reader.read(body, { contentType });
    const own = byLanguage.get(language) ?? [];
    byLanguage.set(language, [...own, likeness(wordsOf(page.text), written)]);
    if (written.length >= 100) expect(page.language.code).toBe(language);
  }
  expect(byLanguage.size).toBe(LANGUAGES.length);
  for (const [language, all] of byLanguage)
    expect(Math.min(...all), language).toBeGreaterThanOrEqual(0.98);
});

test('all text has the menus, too', async () => {
  const [main, all] = [await openTextReader(), await openTextReader({ extract: 'all' })];
  const [{ body }] = labPages(1);
  expect(all.read(body).text.length).toBeGreaterThan(main.read(body).text.length);
  expect(all.read(body).text).toContain(main.read(body).text.split('\n')[1]);
});

const ARTICLE = `<html><body><nav><a href=/>Home page of us</a></nav><article><h1>Hills of ice</h1>
<p>A drumlin is a hill of glacial till, long and smooth, in the form of half an egg.</p>
<p>Many of them lie together, and their long axes show the way in which the ice moved.</p></article>
<div class="cookie-banner"><p>We use cookies to make this site better for you and for everyone else who comes.</p></div>
<div id="comments"><p>I have seen these hills, and they were just as beautiful as this page says they are.</p></div>
<footer><p>All rights are reserved by the owners of this site, and nothing may be copied from it.</p></footer>`;

test('menus, cookie notices, comments and footers are not main text', async () => {
  const { text } = (await openTextReader()).read(Buffer.from(ARTICLE));
  expect(text.split('\n').map((line) => line.slice(0, 9))).toEqual([
    'Hills of ',
    'A drumlin',
    'Many of t',
  ]);
});

test('captions, pull quotes and whose the text is are not main text', async () => {
  const reader = await openTextReader();
  const prose = (n: number) =>
    `<p>Paragraph ${n} tells at some length what happened in the town that day, and who saw it.</p>`;
  const others = [
    '<figure><figcaption>The bridge of the town on that day, seen from the hill, in a picture by a neighbour.</figcaption></figure>',
    '<div class="wp-caption-text">The same bridge on another day, and the neighbour who made both of the pictures.</div>',
    '<div class="photo-credit">A neighbour / Pictures of the Town</div>',
    '<div class="pullquote">It was, as they all said, the longest day that they ever saw in the town.</div>',
    '<p>Copyright 2013 The Town Paper. All rights reserved. This may not be printed by anybody else.</p>',
    '<div class="commentText">I was there as well, and I must say that it was not like this at all.</div>',
  ];
  const html = [1, 2, 3, 4, 5].map(prose).join(others[0]);
  const textOf = (body: string) => reader.read(Buffer.from(`<body><div>${body}</div>`)).text;
  const plain = textOf([1, 2, 3, 4, 5].map(prose).join(''));
  expect(plain.split('\n').length).toBe(5);
  expect(textOf(html)).toBe(plain);
  for (const other of others)
    expect(textOf([1, 2].map(prose).join('') + other + [3, 4, 5].map(prose).join(''))).toBe(plain);
  // Where they are all that a page has, they are its text.
  expect(textOf(others[0])).toContain('The bridge of the town');
});

test('the headings directly above the element that holds the text belong to it', async () => {
  const reader = await openTextReader();
  const textOf = (html: string) => reader.read(Buffer.from(html)).text.split('\n');
  const prose = '<div class=x><p>A drumlin is a hill of glacial till, long and smooth, in the form';
  const text = `${prose} of half an egg, and many of them lie together in a field of hills.</p></div>`;
  const first = (lines: string[]) => lines.map((line) => line.slice(0, 5));
  expect(first(textOf(`<body><h1>Hills</h1>${text}`))).toEqual(['Hills', 'A dru']);
  expect(first(textOf(`<h1>Three</h1><h2>Two</h2><h3>One</h3>${text}`))).toEqual([
    ...['Two', 'One', 'A dru'],
  ]);
  // The name of the site, and a heading of something else.
  expect(first(textOf(`<div><h1>Site</h1></div>${text}`))).toEqual(['A dru']);
  expect(first(textOf(`<h1>Other</h1><p>A short line</p>${text}<h2>Below</h2>`))).toEqual([
    'A dru',
  ]);
});

test('announcements of other pages, and what follows "Comments", are not main text', async () => {
  const reader = await openTextReader();
  const prose = (n: number) =>
    `<p>Paragraph ${n} of the article tells at some length what happened in the town that day, who was there, who saw it from the bridge, and what was said about it afterwards by the neighbours.</p>`;
  const teaser = (n: number) =>
    `<h3><a href="/${n}">Other story ${n}</a></h3><p>A teaser says in a few words what the other story ${n} is about.</p>`;
  const blurb =
    '<ul><li><a href="/a">More of it</a></li></ul><p>This is what our readers liked best in this week.</p><ul><li><a href="/b">And more</a></li></ul>';
  const comments =
    '<h3>12 Comments</h3><div><p>I was there as well, and I must say that it was not like this at all, whatever the newspaper says about it today.</p></div>';
  const article = [1, 2, 3, 4].map(prose).join('');
  const textOf = (...parts: string[]) =>
    reader.read(Buffer.from(`<body><div>${parts.join('')}</div></body>`)).text;
  expect(textOf(article, teaser(1), teaser(2), blurb, comments)).toBe(textOf(article));
  expect(textOf(article).split('\n').length).toBe(4);
  // A page of announcements consists of them, and comments are all that some pages have.
  expect(textOf(teaser(1), teaser(2), teaser(3))).toContain('the other story 3 is about');
  expect(textOf(comments)).toContain('I was there as well');
});

test('comments are none of the text, whatever the page around them is called', async () => {
  const reader = await openTextReader();
  const comment = (n: number) =>
    `<div class="comment"><p>Reader ${n} says that all of this was known long ago, and that nobody wanted to hear it at the time.</p></div>`;
  const comments = `<section id="comments">${[1, 2, 3, 4, 5, 6].map(comment).join('')}</section>`;
  const own =
    '<p>The picture of the week shows the old bridge in the morning, when the fog has not yet left the river and the boats lie still.</p>';
  const page = (body: string) => Buffer.from(`<body class="post comments-open">${body}</body>`);
  expect(reader.read(page(`<div>${own}</div>${comments}`)).text).toMatch(/^The picture.*still\.$/);
  // Without a text of its own, a page consists of them.
  expect(reader.read(page(comments)).text.split('\n').length).toBe(6);
});

test('readability finds the same article', async () => {
  const reader = await openTextReader({ extract: 'readability' });
  const { text } = reader.read(Buffer.from(ARTICLE));
  expect(text).toContain('A drumlin is a hill of glacial till');
  expect(text).not.toContain('Home page of us');
  expect(reader.read(Buffer.from([0, 1, 2, 3])).text).toBe('');
});

test('a text that exists already has language and signals', async () => {
  const reader = await openTextReader();
  const page = reader.readText('Dies ist ein Text in deutscher Sprache.\n\nUnd noch eine Zeile.');
  expect(page.text).toBe('Dies ist ein Text in deutscher Sprache.\nUnd noch eine Zeile.');
  expect(page.language).toMatchObject({ code: 'de', code3: 'deu' });
  expect(page.signals[SIGNALS.findIndex(({ name }) => name === 'lines')]).toBe(2);
});

test('Malay and Indonesian are told apart', async () => {
  const reader = await openTextReader();
  const language = (text: string) => reader.readText(text).language.code3;
  expect(language('Mereka tidak boleh pergi kerana hujan lebat pada waktu malam semalam.')).toBe(
    'msa',
  );
  expect(language('Mereka tidak bisa pergi karena hujan deras pada waktu malam kemarin.')).toBe(
    'ind',
  );
});

test('a text of too few letters has no language', async () => {
  const reader = await openTextReader();
  for (const text of ['', '1234', '...'])
    expect(reader.readText(text).language).toEqual({ code: '', code3: '', score: 0 });
});

test('any bytes give the same text, language and signals twice', async () => {
  const reader = await openTextReader();
  const [{ body }] = labPages(1);
  const changed = fc
    .array(fc.tuple(fc.nat(body.length - 1), fc.nat(255)), { maxLength: 300 })
    .map((changes) => {
      const bytes = Buffer.from(body);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 500 })), (bytes) => {
      const [one, other] = [reader.read(bytes), reader.read(Uint8Array.from(bytes))];
      expect([other.text, other.language, other.signals]).toEqual([
        one.text,
        one.language,
        one.signals,
      ]);
      expect(one.signals.every(Number.isFinite)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
