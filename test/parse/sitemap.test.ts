/** Sitemaps as sites write them, valid or not. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSitemap, type SitemapEntry } from '../../src/parse/sitemap.ts';
import { mutate, randomFrom } from '../fuzz/mutation.ts';

const MOST = 1000;
const read = (text: string | Buffer, most = MOST) => readSitemap(Buffer.from(text), most);
const locations = (text: string | Buffer) => read(text)?.entries.map(({ location }) => location);
const urlset = (inner: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`;

const NEWS = `<?xml version="1.0"?>
<!DOCTYPE urlset>
<!-- made by <hand> -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc> https://example.org/a?b=1&amp;c=2 </loc>
    <lastmod>2024-05-01T10:00:00+02:00</lastmod><changefreq>daily</changefreq>
    <image:image><image:loc>https://example.org/a.jpg</image:loc></image:image>
  </url>
  <url>
    <loc><![CDATA[https://example.org/b?x=1&y=<2>]]></loc>
    <news:news><news:publication><news:name>T</news:name></news:publication>
      <news:publication_date>2024-05-02</news:publication_date><news:title>A &lt; B</news:title></news:news>
  </url>
  <url><lastmod>yesterday</lastmod><loc>https://example.org/&#x63;</loc></url>
</urlset>`;

describe('a sitemap', () => {
  test('has its locations and their dates; images, news and comments are not locations', () => {
    expect(read(NEWS)).toEqual({
      kind: 'pages',
      truncated: false,
      cut: 0,
      entries: [
        { location: 'https://example.org/a?b=1&c=2', changed: '2024-05-01T10:00:00+02:00' },
        { location: 'https://example.org/b?x=1&y=<2>', changed: '2024-05-02' },
        { location: 'https://example.org/c', changed: undefined },
      ],
    });
  });

  test('may be an index of others, and its elements may have a prefix', () => {
    expect(
      read(
        '<s:sitemapindex xmlns:s="x"><s:sitemap><s:loc>http://a.test/1.xml</s:loc></s:sitemap><sitemap><loc>no</loc></sitemap>',
      ),
    ).toEqual({
      kind: 'sitemaps',
      truncated: false,
      cut: 0,
      entries: [{ location: 'http://a.test/1.xml', changed: undefined }],
    });
  });

  test('may be in UTF-16, and have a byte order mark', () => {
    const text = urlset('<url><loc>http://a.test/é</loc></url>');
    expect(locations(`\ufeff${text}`)).toEqual(['http://a.test/é']);
    expect(locations(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(['http://a.test/é']);
  });

  test('is read as far as possible if it is broken', () => {
    expect(locations(urlset('<url><loc>a<url><loc>b</loc></url><url><loc>c'))).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(locations(urlset('<url><loc>a</loc></url> & < <url><loc>b</loc>'))).toEqual(['a', 'b']);
    expect(locations(urlset('<url><loc>a & b &nope; &#0; &#x110000;</loc></url>'))).toEqual([
      'a & b &nope; \ufffd \ufffd',
    ]);
    expect(locations(urlset('<url><loc/></url><url><loc></loc></url><url></url>'))).toEqual([]);
    expect(locations(urlset('<url><loc>a</loc><loc>b</loc></url>'))).toEqual(['a']);
    expect(locations(urlset('<url><loc>a</loc></url><!-- <url><loc>b</loc></url>'))).toEqual(['a']);
    expect(locations(urlset('<url><loc>a<!-- x -->b</loc></url>'))).toEqual(['ab']);
    expect(locations(urlset('<url><loc><![CDATA[a'))).toEqual(['a</urlset>']);
  });

  test.each([
    '',
    '<',
    '<html><loc>x</loc></html>',
    'urlset',
    '<?xml?>',
    '<!-- <urlset> -->',
    '{"urlset":1}',
    '<rss><loc>x</loc>',
    '<constructor>',
  ])('%j is not a sitemap', (text) => {
    expect(read(text)).toBeUndefined();
  });

  test('has no more entries than requested, and is marked as truncated', () => {
    const many = urlset('<url><loc>x</loc></url>'.repeat(50));
    expect(read(many, 50)).toMatchObject({ truncated: false });
    expect(read(many, 49)).toMatchObject({ truncated: true });
    expect(read(many, 49)?.entries).toHaveLength(49);
  });

  test('expands no entities', () => {
    const bomb = `<!DOCTYPE urlset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${urlset('<url><loc>&b;</loc></url>')}`;
    expect(locations(bomb)).toEqual(['&b;']);
    expect(
      locations(`<!DOCTYPE x SYSTEM "file:///etc/passwd">${urlset('<url><loc>&x;</loc></url>')}`),
    ).toEqual(['&x;']);
  });

  test('that is valid reads back as it was written, for any content', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((s) => s.replace(/[\0-\x1f\x7f]/g, '').trim())
      .filter(Boolean);
    const date = fc.constantFrom(
      undefined,
      '2024',
      '2024-01',
      '2024-01-31',
      '2024-01-31T23:59Z',
      '2024-01-31T23:59:59.123+01:00',
    );
    const entry: fc.Arbitrary<SitemapEntry> = fc.record({ location: text, changed: date });
    const escaped = (s: string) =>
      s.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const inner = entries.map(
          ({ location, changed }) =>
            `<url><loc>${escaped(location)}</loc>${changed ? `<lastmod>${changed}</lastmod>` : ''}</url>`,
        );
        expect(read(urlset(inner.join('\n')))?.entries).toEqual(entries);
      }),
      { numRuns: 300 },
    );
  });

  test('neither fails nor takes long, for any bytes', () => {
    const words = [
      '<url>',
      '<loc>',
      '</loc>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<',
      '>',
      '&#',
      ';',
      '<?',
      '<!',
    ].map((w) => Buffer.from(w));
    const random = randomFrom(3);
    for (let round = 0; round < 5000; round++) {
      const entries = read(mutate([Buffer.from(NEWS)], words, random))?.entries ?? [];
      expect(entries.some(({ location }) => location === '')).toBe(false);
    }
    const pieces = [
      '<',
      '<loc>',
      '<url><loc>',
      '<!--',
      '<!-- -->',
      '<![CDATA[',
      '<loc>&amp;',
      '<loc><![CDATA[]]>',
      '<x "',
      '</',
      '<url',
      '&',
      '<?x?>',
    ];
    for (const piece of pieces) {
      const time = (bytes: number) => {
        const text = Buffer.from(`<urlset>${piece.repeat(bytes / piece.length)}`);
        const before = process.cpuUsage();
        readSitemap(text, 50_000);
        return process.cpuUsage(before).user / 1000;
      };
      time(2 ** 18);
      // A quadratic scan of 2 MB would take minutes.
      expect(time(2 ** 21), piece).toBeLessThan(3000);
    }
  });
});
