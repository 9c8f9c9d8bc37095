/** PDFs for tests: whole ones from objects, damaged ones, and ones made to harm. */
import { deflateSync, gzipSync } from 'node:zlib';

export const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

/** A PDF of objects 1, 2, …; object 1 is the catalogue. */
export function pdfOf(objects: readonly string[], trailer = ''): Uint8Array {
  let body = '%PDF-1.5\n';
  let table = '0000000000 65535 f \n';
  objects.forEach((object, i) => {
    table += `${String(body.length).padStart(10, '0')} 00000 n \n`;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
  });
  const size = objects.length + 1;
  return latin1(
    `${body}xref\n0 ${size}\n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${body.length}\n%%EOF\n`,
  );
}

export const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
export const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

export function stream(content: string, dictionary = ''): string {
  return `<< /Length ${content.length} ${dictionary} >>\nstream\n${content}\nendstream`;
}

export function deflated(content: string, dictionary = ''): string {
  const packed = deflateSync(Buffer.from(content, 'latin1')).toString('latin1');
  return stream(packed, `/Filter /FlateDecode ${dictionary}`);
}

export function showing(lines: readonly string[]): string {
  return `BT /F1 10 Tf 12 TL 40 800 Td\n${lines.map((line) => `(${line}) '\n`).join('')}ET`;
}

/** A PDF whose pages show these lines. */
export function textPdf(pages: readonly (readonly string[])[], more = ''): Uint8Array {
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  return pdfOf([
    CATALOG,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    FONT,
    ...pages.flatMap((lines, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> ${more} >>`,
      deflated(showing(lines)),
    ]),
  ]);
}

/** One page with these contents and other objects from number 6 on. */
export function onePage(
  content: string,
  others: readonly string[] = [],
  resources = '',
): Uint8Array {
  return pdfOf([
    CATALOG,
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    FONT,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> ${resources} >> >>`,
    content,
    ...others,
  ]);
}

/** Deflate of many blanks, several times over. */
function bomb(bytes: number, times: number): string {
  let packed: Uint8Array = Buffer.alloc(bytes, 0x20);
  for (let i = 0; i < times; i++) packed = deflateSync(packed, { level: 9 });
  return stream(
    Buffer.from(packed).toString('latin1'),
    `/Filter [${'/FlateDecode '.repeat(times)}]`,
  );
}

/** Documents made to harm a reader, by name. */
export function hostileDocuments(): ReadonlyMap<string, () => Uint8Array> {
  const form = (content: string, names: string) =>
    stream(
      content,
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << ${names} >> /Font << /F1 3 0 R >> >>`,
    );
  /** Each form calls the next one ten times: 10^9 pieces of text. */
  const laughs = Array.from({ length: 9 }, (_, i) =>
    i < 8 ? form('/X Do '.repeat(10), `/X ${7 + i} 0 R`) : form('BT /F1 9 Tf (ha) Tj ET', ''),
  );
  const deepTree = Array.from(
    { length: 20_000 },
    (_, i) => `<< /Type /Pages /Kids [${i + 3} 0 R] /Count 1 >>`,
  );
  const pages = (kids: string, count: number) =>
    pdfOf([
      CATALOG,
      `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
      FONT,
      '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
      stream(showing(['a page'])),
    ]);
  return new Map([
    ['a page tree that contains itself', () => pages('2 0 R', 1_000_000)],
    [
      'a page that is its own parent',
      () =>
        pdfOf([
          CATALOG,
          '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
          '<< /Type /Page /Parent 3 0 R /Contents 3 0 R >>',
        ]),
    ],
    ['a billion pages that do not exist', () => pages('4 0 R', 1_000_000_000)],
    ['one page a hundred thousand times', () => pages('4 0 R '.repeat(100_000), 100_000)],
    ['a page tree of twenty thousand levels', () => pdfOf([CATALOG, ...deepTree])],
    ['a length that refers to itself', () => onePage('<< /Length 5 0 R >>\nstream\nx\nendstream')],
    [
      'a form that draws itself',
      () => onePage(stream('/X Do'), [form('/X Do', '/X 6 0 R')], '/XObject << /X 6 0 R >>'),
    ],
    [
      'forms that draw forms ten times, nine deep',
      () => onePage(stream('/X Do'), laughs, '/XObject << /X 6 0 R >>'),
    ],
    [
      'a font that describes itself',
      () =>
        onePage(
          stream(showing(['x'])),
          [
            '<< /Type /Font /Subtype /Type0 /DescendantFonts [6 0 R] /ToUnicode 6 0 R /Encoding 6 0 R >>',
          ],
          '/Font << /F1 6 0 R >>',
        ),
    ],
    [
      'a cross-reference table before itself',
      () => pdfOf([CATALOG, '<< /Type /Pages /Kids [] /Count 0 >>'], '/Prev 9'),
    ],
    [
      'an object stream within itself',
      () =>
        pdfOf([
          CATALOG,
          '2 0 R',
          stream('3 0 3 0 R', '/Type /ObjStm /N 1 /First 4 /Extends 3 0 R'),
        ]),
    ],
    [
      'arrays a hundred thousand deep',
      () => onePage(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    ],
    [
      'dictionaries a hundred thousand deep',
      () => onePage(`${'<</A '.repeat(100_000)}1${'>>'.repeat(100_000)}`),
    ],
    ['arrays deep in a page', () => onePage(deflated(`${'['.repeat(200_000)} TJ`))],
    ['a graphics state saved a million times', () => onePage(deflated('q '.repeat(1_000_000)))],
    ['a string without an end', () => onePage(deflated(`BT /F1 9 Tf (${'x('.repeat(500_000)}`))],
    ['a bomb of 1,000 to 1', () => onePage(bomb(200_000_000, 1))],
    ['a bomb of 100,000 to 1', () => onePage(bomb(300_000_000, 2))],
    [
      'a bomb in hexadecimal digits',
      () =>
        onePage(
          deflated('0'.repeat(30_000_000), '').replace(
            '/FlateDecode',
            '[/FlateDecode /ASCIIHexDecode /RunLengthDecode /LZWDecode]',
          ),
        ),
    ],
    [
      'a predictor of a billion columns',
      () =>
        onePage(deflated('x', '/DecodeParms << /Predictor 12 /Columns 1000000000 /Colors 32 >>')),
    ],
    [
      'a table of four billion objects',
      () => pdfOf([CATALOG, '<< /Type /Pages /Kids [] /Count 0 >>'], '/Size 4294967295'),
    ],
    [
      'an encrypted file',
      () =>
        pdfOf(
          [CATALOG, '<< /Type /Pages /Kids [] /Count 0 >>'],
          `/Encrypt << /Filter /Standard /V 1 /R 2 /O (${'a'.repeat(32)}) /U (${'b'.repeat(32)}) /P -4 >> /ID [(0123456789abcdef) (0123456789abcdef)]`,
        ),
    ],
    [
      'a million pieces of text',
      () => onePage(deflated(`BT /F1 9 Tf ${'(ab) Tj '.repeat(1_000_000)} ET`)),
    ],
    ['an endless procedure', () => latin1('%!PS\n/f { f f } def f\n')],
    [
      'a loop of loops',
      () => latin1(`%!PS\n${'1000000000 { '.repeat(20)} (x) show ${'} repeat '.repeat(20)}`),
    ],
    ['procedures a million deep', () => latin1(`%!PS\n${'{'.repeat(1_000_000)}`)],
    ['PostScript with an open string', () => latin1(`%!PS\n${'(x'.repeat(1_000_000)}`)],
    ['a gzip bomb', () => gzipSync(Buffer.alloc(200_000_000, 0x20))],
    ['a zip file that is cut', () => latin1('PK\x03\x04 and nothing else')],
    ['nothing', () => new Uint8Array(0)],
    ['only a header', () => latin1('%PDF-1.7\n')],
  ]);
}

/** A small generator of numbers, so that damage is the same in every run. */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Copies of a document with flipped bits, cut short, or with a part moved over another. */
export function damagedDocuments(whole: Uint8Array, count: number): Uint8Array[] {
  const below = numbers(7);
  return Array.from({ length: count }, (_, i) => {
    const copy = whole.slice();
    if (i % 4 === 1) return copy.subarray(0, below(copy.length));
    if (i % 4 === 2) copy.copyWithin(below(copy.length), below(copy.length), copy.length);
    for (let k = 0; k < 1 + below(40); k++) copy[below(copy.length)] ^= 1 << below(8);
    return copy;
  });
}
