/**
 * Difficult references for property tests: every construct that the fast path must handle or hand
 * over.
 */
import fc from 'fast-check';

const piece = fc.constantFrom(
  ...[
    'a',
    'b.html',
    'index',
    '.',
    '..',
    '...',
    '.a',
    'a.',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%41',
    '%7E',
    '%7e',
    '%2F',
    '%2f',
  ],
  ...[
    '%C3%A9',
    '%c3',
    '%',
    '%4',
    '%%32e',
    '%zz',
    '%25',
    '%20',
    '%00',
    ' ',
    '\t',
    '\n',
    '\r',
    '\f',
    '\0',
    '\u007f',
  ],
  ...[
    '/',
    '//',
    '///',
    '\\',
    '?',
    '??',
    '#',
    '##',
    ':',
    '::',
    '@',
    'u@',
    'u:p@',
    ';',
    ';jsessionid=1A',
    ';a=b',
    '&',
    '=',
  ],
  ...[
    "'",
    '"',
    '`',
    '<',
    '>',
    '[',
    ']',
    '{',
    '}',
    '|',
    '^',
    '~',
    '!',
    '$',
    '(',
    ')',
    '*',
    '+',
    ',',
    '-',
    '_',
  ],
  ...['é', 'ß', '漢', '\u{1f600}', '\ud800', '\u00a0', '\ufeff', '\u3002', 'İ', '\u00ad'],
  ...['utm_source=x', 'sid=0123456789abcdef', 'PHPSESSID=1', 'q=1', 'gclid', '&amp;'],
);

const host = fc.constantFrom(
  ...[
    'example.org',
    'EXAMPLE.org',
    'www.example.co.uk',
    'a',
    'localhost',
    'a-b.c',
    '-a-.b',
    'ex_ample.org',
    'a..b',
    'a.',
    'a..',
  ],
  ...[
    '.',
    '..',
    '',
    '1.2.3.4',
    '127.1',
    '0x7f.1',
    'a.1',
    'a.1a',
    '1a',
    '1',
    '256.1.1.1',
    '[::1]',
    '[1::2:0]',
    '[',
    'a.0x',
    'a.09',
  ],
  ...[
    'xn--80ak6aa92e.com',
    'xn--',
    'xn--a',
    'a.xn--b',
    'xnn--a',
    'bücher.de',
    'faß.de',
    'a%41.com',
    'a b',
    'a%',
    '\u3002a',
  ],
);

const port = fc.constantFrom(
  '',
  '',
  '',
  ':',
  ':80',
  ':443',
  ':8080',
  ':080',
  ':0',
  ':65535',
  ':65536',
  ':1x',
  ':-1',
  ':123456',
);

const scheme = fc.constantFrom(
  ...[
    'http://',
    'https://',
    'HTTP://',
    'hTTps://',
    '//',
    'http:',
    'https:',
    'http:/',
    'http:///',
    'https:\\\\',
    'ht\ntp://',
  ],
  ...['ftp://', 'mailto:', 'javascript:', 'data:', 'tel:', 'a:', 'http', 'https:/a'],
);

const tail = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const plainTail = fc
  .array(
    fc.constantFrom(
      'a',
      'b1',
      '.html',
      '/',
      '/',
      '-',
      '_',
      '?',
      '&x=1',
      ';',
      '%C3',
      '#',
      '.',
      '..',
      "'",
      ':',
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const absolute = fc
  .tuple(scheme, host, port, fc.constantFrom('', '/', '?', '#'), fc.oneof(tail, plainTail))
  .map((parts) => parts.join(''));
const upwards = fc
  .tuple(fc.constantFrom('./', '../', '../../', '../../../', './../', '..', '.'), plainTail)
  .map((parts) => parts.join(''));

/** A reference as it may occur in a page. */
export const reference = fc.oneof(
  tail,
  plainTail,
  absolute,
  upwards,
  fc.tuple(fc.constantFrom('/', '?', '#', ' '), plainTail).map((p) => p.join('')),
);

/** An absolute URL that parses, mostly http. */
export const base = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'http://u:p@', 'ftp://', 'foo:'),
    host,
    port,
    fc.constantFrom('/', '/x/', '/x/y/z', '?'),
    fc.oneof(tail, plainTail),
  )
  .map((parts) => parts.join(''))
  .filter((text) => URL.canParse(text));
