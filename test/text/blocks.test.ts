import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, test } from 'vitest';
import { PLACE } from '../../src/text/block.ts';
import { NAMES } from '../../src/text/elements.ts';
import { isoDate } from '../../src/text/page-facts.ts';
import { readBlocks } from '../../src/text/read-blocks.ts';
import { wordsOf } from '../../src/text/words.ts';
import { BROKEN_PAGES } from '../parse/broken-pages.ts';
import { soup } from '../parse/soup.ts';

const read = (html: string) => readBlocks(Buffer.from(html), { contentType: 'text/html' });
const texts = (html: string) => read(html).blocks.map(({ text }) => text);

describe('blocks', () => {
  test('end at block-level tags and not at others', () => {
    expect(texts('a <b>b</b>c<p>d<div>e</div>f <i>g</i><li>h')).toEqual([
      'a bc',
      'd',
      'e',
      'f g',
      'h',
    ]);
  });

  test('have collapsed white space and resolved references', () => {
    expect(texts('<p> a\n\t b&nbsp;&amp;\u00a0c &eacute;&shy;t&eacute; \0 ')).toEqual([
      'a b & c été \ufffd',
    ]);
  });

  test('have lines at <br>, and two of them end a block', () => {
    expect(texts('<p>a<br>b<br/>c <br> <br>d<br>')).toEqual(['a\nb\nc', 'd']);
  });

  test('keep the lines of <pre>', () => {
    expect(texts('<pre>a  b\n\n c</pre>d\ne')).toEqual(['a b\nc', 'd e']);
  });

  test('leave out what is not shown', () => {
    expect(
      texts(
        'a<script>"<p>no"</script><style>no</style><!-- no --><noscript>no</noscript>' +
          '<p hidden>no</p><p aria-hidden=true>no<b>no</b></p><p style="color:red; display : none">no</p>' +
          '<template>no</template><select><option>no</select><button>no</button><svg><title>no</title></svg>' +
          '<span hidden>no <span>no</span> no</span><textarea>no</textarea><p aria-hidden=false>b',
      ),
    ).toEqual(['a', 'b']);
  });

  test('leave out what stands outside the screen or has the colour of its background', () => {
    expect(
      texts(
        '<p style="position:absolute; left : -9999px">no</p><p style="text-indent:-5000em">no</p>' +
          '<p style="color:#FFF;background : #fff">no</p><p style="Background-Color:red;color:red">no</p>' +
          '<p style="left:-20px">a</p><p style="color:#000;background:#fff">b</p>' +
          '<p style="background-color:red">c</p><p style="border-color:red;background:red">d</p>',
      ),
    ).toEqual(['a', 'b', 'c', 'd']);
  });

  test('count words and those in links', () => {
    const [block] = read('<p>one <a href=x>two three</a> four <a name=y>five</a> 東京').blocks;
    expect(block).toMatchObject({ words: 7, linkWords: 2 });
  });

  test('know their headings, places and path', () => {
    const page = read(
      '<nav>a</nav><main><h2>b</h2><ul><li>c</ul><blockquote>d</blockquote></main>' +
        '<div class="x cookie-banner">e</div><div id=comments>f</div><div role=navigation>g</div>',
    );
    const facts = page.blocks.map(({ heading, place }) => [heading, place]);
    expect(facts).toEqual([
      [0, PLACE.aside],
      [2, PLACE.main],
      [0, PLACE.main | PLACE.list],
      [0, PLACE.main | PLACE.quote],
      [0, PLACE.notice],
      [0, PLACE.comment],
      [0, PLACE.aside],
    ]);
    const path: string[] = [];
    for (let e = page.blocks[2].element; e > 0; e = page.elements.parents[e])
      path.unshift(NAMES[page.elements.names[e]]);
    expect(path).toEqual(['main', 'ul', 'li']);
  });

  test('close elements that are never closed', () => {
    const page = read('<ul><li><p>a<li>b</ul><table><tr><td>c<td>d<tr><td>e</table><p>f<p>g');
    const depths = page.blocks.map(({ element }) => {
      let depth = 0;
      for (let e = element; e > 0; e = page.elements.parents[e]) depth++;
      return depth;
    });
    expect(depths).toEqual([3, 2, 3, 3, 3, 1, 1]);
  });

  test('come from any charset', () => {
    const german = Buffer.from('<meta charset=iso-8859-1><p>Stra\xdfe', 'latin1');
    expect(readBlocks(german).blocks[0].text).toBe('Straße');
    const russian = Buffer.from([0x3c, 0x70, 0x3e, 0xcc, 0xe8, 0xf0]);
    expect(
      readBlocks(russian, { contentType: 'text/html; charset=windows-1251' }).blocks[0].text,
    ).toBe('Мир');
    const wide = Buffer.from('\ufeff<p>wide', 'utf16le');
    expect(readBlocks(wide)).toMatchObject({ charset: 'UTF-16LE', blocks: [{ text: 'wide' }] });
  });

  test('of plain text are its lines', () => {
    const body = Buffer.from('one <b>\n\n two \r\nthree');
    const page = readBlocks(body, { contentType: 'text/plain' });
    expect(page.blocks.map(({ text }) => text)).toEqual(['one <b>', 'two', 'three']);
  });

  test('of bytes that are no text are none', () => {
    expect(readBlocks(Buffer.from([0x89, 0x50, 0, 0, 1, 2]))).toMatchObject({
      isText: false,
      blocks: [],
    });
  });

  test('beyond the limit are left out, and the page is marked', () => {
    const page = readBlocks(Buffer.from('<p>one<p>two<p>three'), { maxBytes: 12 });
    expect(page.truncated).toBe(true);
    expect(page.blocks.map(({ text }) => text)).toEqual(['one', 'two']);
  });
});

describe('the facts of a page', () => {
  test('come from its title, its <meta> and its data', () => {
    const page = read(
      '<html lang="de-AT"><title>A &amp;\n B</title><meta property="og:title" content=no>' +
        '<meta name=author content="https://x/"><meta name=description content="C">' +
        '<script type="application/ld+json">{"@graph":[{"author":[{"name":"D"},{"name":"E"}],' +
        '"datePublished":"2020-02-03T04:05Z"}]}</script>',
    );
    expect(page).toMatchObject({
      title: 'A & B',
      author: 'D, E',
      description: 'C',
      published: '2020-02-03T04:05:00Z',
      declaredLanguage: 'de-AT',
    });
  });

  test('are absent if they cannot be read', () => {
    const page = read('<script type="application/ld+json">{"headline": </script><title> </title>');
    expect(page).toMatchObject({ title: undefined, author: undefined, published: undefined });
  });

  test.each([
    ['2020-01-02', '2020-01-02'],
    ['20200102', '2020-01-02'],
    ['2020-01-02 03:04:05 +0100', '2020-01-02T03:04:05+0100'],
    ['Tue, 05 May 2013 10:00:00 GMT', '2013-05-05'],
    ['May 5th, 2013', '2013-05-05'],
    ['2020-13-02', undefined],
    ['05/06/2013', undefined],
    ['yesterday', undefined],
  ])('read the date %s as %s', (written, date) => {
    expect(isoDate(written)).toBe(date);
  });
});

type Node = DefaultTreeAdapterTypes.Node;
const HIDDEN = new Set(
  `script style textarea xmp noembed noframes iframe title head select datalist noscript object audio
  video canvas template dialog map rp svg button`.split(/\s+/),
);

/** The words that a conformant parser shows, sorted. */
function treeWords(html: string): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (node.nodeName === '#text' && 'value' in node) found.push(node.value);
    else if ('childNodes' in node && !HIDDEN.has(node.nodeName)) node.childNodes.forEach(visit);
  };
  visit(parse(html, { scriptingEnabled: false }));
  return wordsOf(found.join(' ').replaceAll('\u00ad', '')).sort();
}

describe('on any page', () => {
  const word = fc.constantFrom('one', 'two', 'été', '&eacute;t', '&lt;', '語', '12', ' ', '\n');
  const open = fc.constantFrom(
    ...['p', 'div', 'b', 'span', 'ul', 'li', 'a href=x', 'h1', 'br', 'section', 'em', 'blockquote'],
    ...['table', 'tr', 'td', 'script', 'style', 'nav', 'article', 'img', 'hr', 'svg', 'noscript'],
  );
  const nested = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      word.map((text) => ` ${text} `),
      fc.tuple(open, fc.array(tie('node'), { maxLength: 4 })).map(([tag, children]) => {
        const name = tag.split(' ')[0];
        if (['script', 'style', 'svg', 'noscript'].includes(name)) return `<${name}> no </${name}>`;
        if (['br', 'img', 'hr'].includes(name)) return `<${tag}>`;
        return `<${tag}>${children.join('')}</${name}>`;
      }),
    ),
  })).node;

  test('the words are those that a conformant parser shows', () => {
    fc.assert(
      fc.property(fc.array(nested, { maxLength: 6 }), (parts) => {
        const html = `<!DOCTYPE html><body>${parts.join('')}`;
        expect(wordsOf(texts(html).join(' ')).sort()).toEqual(treeWords(html));
      }),
      { numRuns: 400 },
    );
  });

  test('no markup and no bytes throw, and the same bytes give the same blocks', () => {
    const page = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      soup.map((text) => Buffer.from(text)),
      fc
        .tuple(
          fc.constantFrom(...BROKEN_PAGES.map(([, html]) => html)),
          fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
        )
        .map(([html, changes]) => {
          const bytes = Buffer.from(html);
          for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          return bytes;
        }),
    );
    fc.assert(
      fc.property(page, (bytes) => {
        const first = readBlocks(bytes);
        expect(readBlocks(Buffer.from(bytes))).toEqual(first);
        for (const { words, linkWords, text } of first.blocks) {
          expect(linkWords).toBeLessThanOrEqual(words);
          expect(text).toBe(text.trim());
        }
      }),
      { numRuns: 1000 },
    );
  });
});
