/** Pages made to be slow: time is linear in their bytes. */
import { describe, expect, test } from 'vitest';
import { mainBlocks, textOf } from '../../src/text/main-text.ts';
import { readBlocks } from '../../src/text/read-blocks.ts';
import { signalsOf } from '../../src/text/text-signals.ts';

const MB = 1_000_000;
/** CPU seconds a megabyte. The tests run beside others, so this is generous to the machine. */
const MOST = 1;

const repeated = (piece: string, bytes = MB / 2) =>
  piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);

const PAGES: [what: string, page: string][] = [
  ['tables nested a hundred thousand deep', '<table><tr><td>x '.repeat(100_000)],
  ['a million <div>', '<div>'.repeat(1_000_000)],
  ['a million <div> with a word each', repeated('<div>word')],
  ['a million end tags without start tags', repeated('</i></div>')],
  ['end tags of outer elements, again and again', `<ul>${repeated('<li><b><div></li></ul>')}`],
  ['deep elements and end tags that match none', '<div>'.repeat(600) + repeated('</p></section>')],
  ['list items in deep elements', '<div>'.repeat(600) + repeated('<li>a<td>b<dd>c')],
  ['one line of 4 MB', repeated('word ', 4 * MB)],
  ['one word of 4 MB', repeated('x', 4 * MB)],
  ['half a tag', `<p>text</p><div class="${repeated('x ')}`],
  ['half a tag without quotes', `<p>text</p><div ${repeated('a=b ')}`],
  ['comments that never end', repeated('<!-- ')],
  ['scripts that never end', repeated('<script><!-- <script>')],
  ['titles that never end', repeated('<title>')],
  ['ampersands', repeated('&')],
  ['references without an end', repeated('&aacute&#x')],
  ['one long reference', `&${repeated('a')}`],
  ['dots without an end', `a ${repeated('.')}x`],
  ['dots and letters', repeated('a.b.c.')],
  ['brackets with digits', repeated('[1')],
  ['quotes after dots', repeated('."\'x')],
  ['spaces in a line', `a${repeated(' ')}b`],
  ['line ends', repeated('<br>\n')],
  ['long classes', repeated(`<div class="${'nav- '.repeat(60)}">`)],
  ['many classes', Array.from({ length: 100_000 }, (_, i) => `<p class=c${i}>w`).join('')],
  ['styles', repeated('<p style="display : : : : : none">')],
  ['links in links', repeated('<a href=x>y ')],
  ['svg in svg', repeated('<svg><title>')],
  ['many metas', repeated('<meta name=author content="x">')],
  ['nested data', `<script type="application/ld+json">${'['.repeat(100_000)}</script>`],
  ['the same words', repeated('<p>the same words again and again. ')],
  ['two words', Array.from({ length: 200_000 }, (_, i) => ((i * i) % 7 < 3 ? 'a' : 'b')).join(' ')],
];

describe('a page is read in linear time:', () => {
  test.each(PAGES)('%s', (_, page) => {
    const bytes = Buffer.from(page);
    const before = process.cpuUsage();
    const blocks = readBlocks(bytes, { contentType: 'text/html' });
    mainBlocks(blocks);
    signalsOf(textOf(blocks.blocks));
    const { user, system } = process.cpuUsage(before);
    // Half a second for the tables that are built on first use.
    expect((user + system) / 1e6).toBeLessThan(MOST * Math.max(1, bytes.length / MB) + 0.5);
  });
});
