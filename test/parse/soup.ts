/**
 * Tag soup for property tests: pieces of markup, complete and broken, in any order. These are the
 * pieces that the scanner must read correctly. What it only approximates is in broken-pages.ts.
 */
import fc from 'fast-check';

const name = fc.constantFrom(
  'a',
  'A',
  'area',
  'b',
  'p',
  'div',
  'span',
  'base',
  'link',
  'meta',
  'iframe',
  'abbr',
  'img',
  'br',
  'noscript',
  'a:b',
  'a"',
  'aa',
  'x-a',
);
const space = fc.constantFrom(' ', '\n', '\t', '\f', '\r\n', '/', ' / ', '  ', '');
const attributeName = fc.constantFrom(
  'href',
  'HREF',
  'hReF',
  'src',
  'rel',
  'title',
  'http-equiv',
  'content',
  'name',
  '=',
  '="',
  "'",
  '<',
  'a<b',
  'href\0',
  'charset',
);
const value = fc
  .array(
    fc.constantFrom(
      ...[
        'x',
        'y/z',
        '1',
        'refresh',
        '0;url=',
        'nofollow',
        'canonical',
        'next',
        'alternate',
        'stylesheet',
        'http://b.org/',
        '?q',
        '#f',
        '..',
        '\0',
      ],
      ...[
        '&amp;',
        '&lt',
        '&copy=',
        '&copy',
        '&notit;',
        '&not;',
        '&#120;',
        '&#x78',
        '&#128;',
        '&#0;',
        '&;',
        '&',
        '&#',
        '&#x',
        '&bogus;',
        '&NotEqualTilde;',
        '&#x110000;',
      ],
      ...[
        ' ',
        '\n',
        '\r',
        '=',
        '<',
        '<a href=v>',
        '/',
        '`',
        'é',
        '漢',
        "'",
        '"',
        '>',
        '-->',
        '</title>',
      ],
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const assigned = fc.constantFrom('=', ' =', '= ', '\n=\t', '==');
const quoted = fc
  .tuple(value, fc.constantFrom('"', "'"))
  .map(([text, quote]) => quote + text.replaceAll(quote, '') + quote);
const attribute = fc.oneof(
  fc.tuple(attributeName, assigned, fc.oneof(quoted, value, quoted)).map((parts) => parts.join('')),
  attributeName,
  quoted,
);
const attributes = fc
  .array(
    fc.tuple(space, attribute).map((parts) => parts.join('')),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const tag = fc
  .tuple(
    fc.constantFrom('<', '<', '</', '< ', '<\n'),
    name,
    attributes,
    space,
    fc.constantFrom('>', '>', '>', '/>', ''),
  )
  .map((parts) => parts.join(''));
const link = fc
  .tuple(fc.constantFrom('x', 'y', 'z/1', '?q', '&amp;'), fc.nat(9))
  .map(([text, i]) => `<a href="${text}${i}">`);

const hidden = fc.constantFrom(
  ...[
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<!--->',
    '<!---',
    '<!- -',
    '<!',
    '<!x',
    '<?',
    '<?x?>',
    '</>',
    '</ x>',
    '<',
    '<!DOCTYPE html>',
    '<![CDATA[',
    ']]>',
  ],
  ...[
    '<script>',
    '</script>',
    '<script',
    '</script',
    '</script x="',
    '<SCRIPT type=a>',
    '</scripty>',
    '<!--<script>',
    '<script><!--',
    '<script><!--<script></script>',
  ],
  ...[
    '<style>',
    '</style>',
    '</style/',
    '<textarea>',
    '</textarea>',
    '<title>',
    '</title>',
    '<TITLE>t&amp;&notit;</TITLE >',
    '<xmp>',
    '</xmp>',
    '<noembed>',
    '</noembed>',
    '<iframe>',
    '</iframe>',
  ],
  ...['<noscript>', '</noscript>', '<plaintext', '"', "'", '>', '=', ' text ', '\0'],
);

export const soup = fc
  .array(fc.oneof(tag, link, hidden, link), { maxLength: 12 })
  .map((pieces) => `<body>${pieces.join('')}`);

/** Pieces around which a tree builder moves elements without losing any. */
const structure = fc.constantFrom(
  ...[
    '<table>',
    '</table>',
    '<tr>',
    '<td>',
    '</td>',
    '<caption>',
    '<colgroup>',
    '<li>',
    '<form>',
    '</form>',
    '<button>',
  ],
  ...[
    '<html>',
    '</html>',
    '<head>',
    '</head>',
    '<body>',
    '</body>',
    '<h1>',
    '</h1>',
    '<template>',
    '</template>',
    '<p>',
    '</p>',
  ],
);
export const structuredSoup = fc
  .array(fc.oneof(tag, link, hidden, link, structure, structure), { maxLength: 12 })
  .map((pieces) => pieces.join(''));

/** Well-nested SVG and MathML, with HTML inside where that is allowed. */
export const foreign = fc
  .letrec<{ html: string; svg: string; math: string }>((tie) => {
    const wrap = (open: string, close: string, content: fc.Arbitrary<string>) =>
      fc.array(content, { maxLength: 3 }).map((parts) => `${open}${parts.join('')}${close}`);
    const numbered = (text: string) => fc.nat(9).map((i) => text.replace('#', String(i)));
    return {
      html: fc.oneof(
        { maxDepth: 4, depthSize: 'medium' },
        numbered('<a href="h#">x</a>'),
        fc.constantFrom(
          '<style><a href=no></style>',
          '<title>t<a href=no></title>',
          '<![CDATA[<a href=cdata1>]]>',
          '<br>',
        ),
        wrap('<svg>', '</svg>', tie('svg')),
        wrap('<math>', '</math>', tie('math')),
        wrap('<div>', '</div>', tie('html')),
        wrap('<template>', '</template>', tie('html')),
      ),
      svg: fc.oneof(
        { maxDepth: 4, depthSize: 'medium' },
        numbered('<a xlink:href="s#">x</a>'),
        numbered('<a href="s#" xlink:href=t>x</a>'),
        fc.constantFrom(
          '<path d="M0"/>',
          '<a/>',
          '<![CDATA[<a href=no>]]>',
          '<link rel=next href=no />',
          '<!-- <g> -->',
          '<iframe src=no />',
        ),
        wrap('<g>', '</g>', tie('svg')),
        wrap('<style>', '</style>', tie('svg')),
        wrap('<SVG>', '</svg>', tie('svg')),
        wrap('<foreignObject>', '</foreignObject>', tie('html')),
        wrap('<desc>', '</desc>', tie('html')),
      ),
      math: fc.oneof(
        { maxDepth: 4, depthSize: 'medium' },
        fc.constantFrom('<a href=no>x</a>', '<![CDATA[<a href=no>]]>', '<mspace/>'),
        wrap('<mrow>', '</mrow>', tie('math')),
        wrap('<annotation-xml encoding="Text/HTML">', '</annotation-xml>', tie('html')),
        wrap(
          '<annotation-xml>',
          '</annotation-xml>',
          fc.constant('<svg><a href=in-svg></a></svg>'),
        ),
      ),
    };
  })
  .html.map((text) => `<body>${text}<a href=after><style><a href=no></style>`);
