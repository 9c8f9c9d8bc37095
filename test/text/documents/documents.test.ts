import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { addressesIn } from '../../../src/text/documents/addresses.ts';
import { DocumentReader } from '../../../src/text/documents/document-reader.ts';
import { DOCUMENT_LIMITS } from '../../../src/text/documents/document-text.ts';
import { chosenPages } from '../../../src/text/documents/pdf.ts';
import { readDocument } from '../../../src/text/documents/read-document.ts';
import { TYPESCRIPT_THREAD } from '../../crawl/threads/typescript-threads.ts';
import { damagedDocuments, hostileDocuments, latin1, textPdf } from './make-pdf.ts';
import { zipOf } from './make-zip.ts';

const read = (bytes: Uint8Array) => readDocument(bytes, DOCUMENT_LIMITS);

const PAPER = textPdf([
  ['A study of ice', 'We measured drumlins.'],
  ['References', '[1] A. Author. http://ice.example/a.pdf.'],
]);

describe('the text of a PDF', () => {
  test('has its lines, words, pages and addresses', async () => {
    expect(await read(PAPER)).toEqual({
      status: 'ok',
      format: 'pdf',
      text: 'A study of ice\nWe measured drumlins.\nReferences\n[1] A. Author. http://ice.example/a.pdf.',
      words: 16,
      pages: 2,
      addresses: ['http://ice.example/a.pdf'],
    });
  });

  test('is the same in gzip, in zip, and in both', async () => {
    const plain = await read(PAPER);
    expect(await read(gzipSync(PAPER))).toEqual(plain);
    expect(await read(zipOf({ 'readme.txt': latin1('hello'), 'paper.pdf': PAPER }))).toEqual(plain);
    expect(await read(gzipSync(zipOf({ 'paper.pdf': PAPER })))).toEqual(plain);
  });

  test('has the addresses of link annotations', async () => {
    const link =
      '/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (http://far.example/a b) >> >>]';
    expect((await read(textPdf([['text']], link))).addresses).toEqual(['http://far.example/a%20b']);
  });

  test('of a long document is that of its first and last pages', () => {
    expect(chosenPages(3, 4)).toEqual([1, 2, 3]);
    expect(chosenPages(9, 4)).toEqual([1, 2, 8, 9]);
    expect(chosenPages(9, 3)).toEqual([1, 2, 9]);
  });

  test('ends at the limit of characters', async () => {
    const { text, status } = await readDocument(PAPER, { ...DOCUMENT_LIMITS, characters: 9 });
    expect([status, text]).toEqual(['ok', 'A study o']);
  });
});

describe('the text of PostScript', () => {
  test('is what the operators show that its prologue defines', async () => {
    const source = `%!PS-Adobe-3.0
/M { moveto } bind def /S { show } bind def /W { 0 rmoveto show } bind def
/Times-Roman findfont 10 scalefont setfont
72 700 M (Ice (and \\050mud\\051) of) S
3 (the) exch W 72 680 M (Al) S (ps) S
72 660 M <48657861> show
gsave 72 640 translate 0 0 moveto (moved) show grestore
[ /Rect [0 0 9 9] /Action << /Subtype /URI /URI (http://a.example/) >> /ANN pdfmark
showpage`;
    const { text, pages, addresses } = await read(latin1(source));
    expect(text).toBe('Ice (and (mud)) of the\nAlps\nHexa\nmoved\n');
    expect([pages, addresses]).toEqual([1, ['http://a.example/']]);
  });

  test('of dvips has words where the gaps are', async () => {
    const source = `%!PS-Adobe-2.0
%%Creator: dvips(k) 5.995
%DVIPSParameters: dpi=600
%%BeginProcSet: tex.pro
/b{S p tail}B (never shown) p
%%EndProcSet
TeXDict begin 1 0 bop 639 523 a Fa(W)-8 b(e)28 b(presen)n(t)g(a)h(study)f(of)
639 623 y(the)e(\\014rst)28 b(e\\013ort)p 639 723 a Fb(References)p eop end`;
    const { text, pages } = await read(latin1(source));
    expect(text).toBe('We present a study of\nthe first effort\nReferences\n');
    expect(pages).toBe(1);
  });
});

describe('addresses', () => {
  test('end before the punctuation that follows them', () => {
    const text = 'See (http://a.example/x), https://b.example/y_(z). Not ftp://c.example.';
    expect(addressesIn(text)).toEqual(['http://a.example/x', 'https://b.example/y_(z)']);
  });

  test('count once, in text or links, and only those of the web', () => {
    const links = ['http://a.example/', 'mailto:a@b.example', 'http://a.example/'];
    expect(addressesIn('http://a.example/ again', links)).toEqual(['http://a.example/']);
  });
});

describe('a reader of documents', () => {
  const reader = new DocumentReader({ time: 20_000 }, TYPESCRIPT_THREAD);
  afterAll(() => reader.close());
  const hostile = hostileDocuments();
  const made = (name: string) => hostile.get(name)?.() ?? expect.fail(name);

  test('gives the same text as reading in place', async () => {
    expect(await reader.read(PAPER)).toEqual(await read(PAPER));
  });

  test('answers whatever the damage, and reads the next document', async () => {
    const statuses = await Promise.all(
      damagedDocuments(PAPER, 40).map(async (bytes) => (await reader.read(bytes)).status),
    );
    expect(new Set(statuses)).toEqual(new Set(['ok', 'broken']));
    expect((await reader.read(PAPER)).status).toBe('ok');
  });

  test('says why it has no text', async () => {
    const statusOf = async (name: string) => (await reader.read(made(name))).status;
    expect(await statusOf('an encrypted file')).toBe('encrypted');
    expect(await statusOf('nothing')).toBe('broken');
    expect(await statusOf('a page tree that contains itself')).toBe('broken');
    expect(await statusOf('arrays a hundred thousand deep')).toBe('broken');
    expect(await statusOf('a gzip bomb')).toBe('too-large');
    expect((await reader.read(new Uint8Array(DOCUMENT_LIMITS.bytes + 1))).status).toBe('too-large');
  });

  test('ends a thread that stalls, and starts another', async () => {
    const hasty = new DocumentReader({ time: 1000 }, TYPESCRIPT_THREAD);
    const stalls = made('forms that draw forms ten times, nine deep');
    const [stalled, next] = await Promise.all([hasty.read(stalls), hasty.read(made('nothing'))]);
    expect([stalled.status, next.status]).toEqual(['timed-out', 'broken']);
    await hasty.close();
  });

  test('ends a thread that grows', async () => {
    const small = new DocumentReader({ memory: 40 }, TYPESCRIPT_THREAD);
    expect((await small.read(made('a bomb of 100,000 to 1'))).status).toBe('too-large');
    await small.close();
  });

  test('in place never rejects PostScript, whatever its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), async (text) => {
        expect((await read(latin1(`%!${text}`))).status).toBe('ok');
      }),
    );
  });
});
