import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodingOfContentType, guessEncoding } from '../../src/parse/charset.ts';
import { parsePage } from '../../src/parse/page.ts';

const URL_OF_PAGE = 'http://example.org/a/';

function firstLink(
  bytes: Uint8Array,
  contentType?: string,
): [charset: string, url: string | undefined] {
  const page = parsePage(bytes, { url: URL_OF_PAGE, contentType });
  return [page.charset, page.links[0]?.url];
}
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('the encoding of a page', () => {
  test('is not needed if every byte is ASCII', () => {
    expect(
      firstLink(Buffer.from('<meta charset=koi8-r><a href=x>'), 'text/html; charset=utf-8')[0],
    ).toBe('ascii');
  });

  test('is taken from a byte order mark first', () => {
    const page = Buffer.from('\ufeff<meta charset=koi8-r><a href=é>');
    expect(firstLink(page, 'text/html; charset=koi8-r')).toEqual([
      'UTF-8',
      'http://example.org/a/%C3%A9',
    ]);
    const wide = Buffer.from('\ufeff<a href=é>', 'utf16le');
    expect(firstLink(wide)).toEqual(['UTF-16LE', 'http://example.org/a/%C3%A9']);
    expect(firstLink(wide.swap16())).toEqual(['UTF-16BE', 'http://example.org/a/%C3%A9']);
  });

  test('is taken from the header before the page itself', () => {
    const page = latin1('<meta charset=koi8-r><a href="\xe9">');
    expect(firstLink(page, 'text/html;charset="ISO-8859-1"')).toEqual([
      'windows-1252',
      'http://example.org/a/%C3%A9',
    ]);
  });

  test('is taken from the header even if the bytes are ASCII', () => {
    const page = Buffer.from('<a href=x>', 'utf16le');
    expect(firstLink(page, 'text/html; charset=utf-16le')).toEqual([
      'UTF-16LE',
      'http://example.org/a/x',
    ]);
  });

  test('is taken from a meta element anywhere', () => {
    const late = `${'<p>'.repeat(1000)}<meta charset=koi8-r>`;
    expect(firstLink(latin1(`<a href="\xe9">${late}`))).toEqual([
      'KOI8-R',
      'http://example.org/a/%D0%98',
    ]);
    const pragma = '<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset=windows-1251">';
    expect(firstLink(latin1(`${pragma}<a href="\xe9">`))).toEqual([
      'windows-1251',
      'http://example.org/a/%D0%B9',
    ]);
  });

  test('an unknown name in header or meta is ignored', () => {
    expect(
      firstLink(latin1('<meta charset=klingon><a href="\xe9">'), 'text/html; charset=x')[0],
    ).toBe('windows-1252');
  });

  test('a meta element that claims UTF-16 means UTF-8', () => {
    expect(firstLink(Buffer.from('<meta charset=utf-16><a href=é>'))).toEqual([
      'UTF-8',
      'http://example.org/a/%C3%A9',
    ]);
  });

  test('without a declaration is UTF-8 if the bytes are valid', () => {
    expect(firstLink(Buffer.from('<a href=é>'))).toEqual(['UTF-8', 'http://example.org/a/%C3%A9']);
  });

  test('ISO-2022-JP is decoded before it is parsed, because its letters are ASCII bytes', () => {
    const page = latin1('<meta charset=iso-2022-jp><a href="\x1b$B$"\x1b(B">');
    expect(firstLink(page)).toEqual(['ISO-2022-JP', 'http://example.org/a/%E3%81%82']);
  });

  test('windows-1252 has letters between 0x80 and 0x9F', () => {
    const page = latin1('<title>\x93x\x94 \x80</title>');
    expect(
      parsePage(page, { url: URL_OF_PAGE, contentType: 'text/html; charset=latin1' }).title(),
    ).toBe('“x” €');
  });

  test('a character whose second byte looks like ASCII does not disturb the tags', () => {
    const page = latin1('<title>\x83\x5c</title><a title="\x83\x5c" href="\x83\x5c/\x95\x5c">');
    expect(firstLink(page, 'text/html; charset=shift_jis')[1]).toBe(
      'http://example.org/a/%E3%82%BD/%E8%A1%A8',
    );
  });

  test('also applies to a query, as browsers send it', () => {
    const page = latin1('<a href="\xe9?q=\xe9&amp;e=&euro;&amp;j=&#26085;#\xe9">');
    expect(firstLink(page, 'text/html; charset=windows-1252')[1]).toBe(
      'http://example.org/a/%C3%A9?q=%E9&e=%80&j=%26%2326085%3B',
    );
  });

  test('a page in a forbidden encoding has no links', () => {
    expect(firstLink(Buffer.from('<a href=x>'), 'text/html; charset=iso-2022-kr')).toEqual([
      'replacement',
      undefined,
    ]);
  });
});

describe('a guess', () => {
  const russian =
    'F2EE20EFF0EEF1F2E0FF20F1F2F0E0EDE8F6E020EE20EFEEE3EEE4E520E820EE20E6E8E7EDE820E220E4E5F0E5E2EDE52C20EAEEF2EEF0F3FE';
  const japanese =
    '82b182ea82cd93fa967b8cea82cc83798381815b835782c582b7814293568b4382c982c282a282c48f9182a282c482a282dc82b7';
  test.each([
    ['windows-1251', russian],
    ['Shift_JIS', japanese],
  ])('finds %s among markup', (name, hex) => {
    const page = Buffer.concat([
      Buffer.from('<html><body class="main"><p>'),
      Buffer.from(hex, 'hex'),
      Buffer.from('</p></body>'),
    ]);
    expect(guessEncoding(page)).toBe(name);
  });

  test('is windows-1252 if there is little evidence', () => {
    expect(guessEncoding(latin1('<p>le caf\xe9 ferm\xe9'))).toBe('windows-1252');
  });

  test('never fails, for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void guessEncoding(bytes)));
  });
});

test.each([
  ['text/html; charset=utf-8', 'UTF-8'],
  ['text/html;CHARSET = "utf-8"', 'UTF-8'],
  ["text/html; charset='latin2'; x", 'ISO-8859-2'],
  ['text/html; charset', undefined],
  ['text/html; charset=', undefined],
  ['text/html; charset="', undefined],
  ['charset=charset=utf-8', undefined],
  ['', undefined],
])('the content type %j declares %s', (value, encoding) => {
  expect(encodingOfContentType(value)).toBe(encoding);
});

test('a declaration in the first kilobyte is read like by the prescan of the standard', () => {
  const sniff: (bytes: Uint8Array, options: { defaultEncoding: string }) => string = createRequire(
    import.meta.url,
  )('html-encoding-sniffer');
  const label = fc.constantFrom(
    'utf-8',
    'koi8-r',
    'Latin1',
    'shift_jis',
    'x',
    'utf-16',
    'x-user-defined',
  );
  const declaration = fc.oneof(
    label.map((name) => `<meta charset="${name}">`),
    fc.constant('<meta charset="">'),
    label.map((name) => `<META CharSet=${name} >`),
    label.map((name) => `<meta http-equiv="Content-Type" content="text/html; charset=${name}; x">`),
    label.map(
      (name) => `<meta content='text/html;charset = ${name}' name=x http-equiv=content-type>`,
    ),
    label.map((name) => `<meta content="text/html; charset=${name};">`),
    label.map((name) => `<!-- <meta charset=${name}> -->`),
    fc.constantFrom(
      '<p title="<meta charset=koi8-r>">',
      '<link>',
      '<meta name=a>',
      '</p>',
      '<?x?>',
    ),
  );
  fc.assert(
    fc.property(fc.array(declaration, { maxLength: 4 }), (parts) => {
      const page = latin1(`${parts.join('')}<a href="\xe9">`);
      expect(parsePage(page, { url: URL_OF_PAGE }).charset).toBe(
        sniff(page, { defaultEncoding: 'windows-1252' }),
      );
    }),
    { numRuns: 1000 },
  );
});
