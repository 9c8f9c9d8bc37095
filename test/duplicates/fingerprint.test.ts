import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fingerprint, fingerprintOf, similarity } from '../../src/duplicates/fingerprint.ts';
import { anyCharacter } from '../any-character.ts';
import { naiveMinima, naiveSignature, readPage, resemblance, shingles } from './naive.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const fingerprint = (text: string): Fingerprint => fingerprintOf(bytesOf(text));
const alike = (one: Fingerprint, other: Fingerprint): number =>
  similarity(one.sketch, 0, other.sketch, 0);

/** The pieces of pages, well-formed or not. */
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...'the cat sat on A1 mat 2026 x7y9 Ünïcode a'.split(' ')),
  },
  { weight: 6, arbitrary: fc.constantFrom(' ', '. ', ', ', '\n', '&amp;', '') },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        '<p>',
        '</p>',
        '<P class="a>b">',
        '<a href="/x">',
        '</a>',
        "<a href='it\"s'>",
        '<a href=x>',
        '<br/>',
      ],
      ...[
        '<script>',
        '</script>',
        '<STYLE>',
        '</Style >',
        '<noscript>',
        '</noscript>',
        '<template>',
        '</template>',
      ],
      ...[
        '<!-- c -->',
        '<!-->',
        '<!--',
        '-->',
        '<!doctype html>',
        '<?x y?>',
        '</>',
        '</ p>',
        '<',
        '>',
        '"',
        "'",
        '=',
      ],
      ...[
        '<abcdefghijklmnop q = "',
        "<a\n= '",
        'title = "<i>" ',
        '<p title=">',
        '\u00e4\u00b8\u00ad\u00e6\u0096\u0087',
      ],
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: anyCharacter, maxLength: 12 })
      .map((s) => bytesOf(s).toString('latin1')),
  },
  { weight: 1, arbitrary: fc.nat(90).map((n) => 'longword1'.repeat(n)) },
);
const page = fc.array(piece, { maxLength: 400, size: 'max' }).map((pieces) => pieces.join(''));

describe('the fingerprint of a page', () => {
  test('has the words and the signature of the naive reading, for any bytes', () => {
    fc.assert(
      fc.property(page, (text) => {
        const { words, outline } = readPage(bytesOf(text));
        const { words: count, signature } = fingerprint(text);
        expect(count).toBe(words.length);
        expect(signature).toBe(naiveSignature(outline));
      }),
      { numRuns: 400 },
    );
  });

  test('has the least hash of the shingles of each place in its sketch', () => {
    fc.assert(
      fc.property(page, (text) => {
        const { sketch } = fingerprint(text);
        for (const [place, least] of naiveMinima(readPage(bytesOf(text)).words).entries()) {
          if (least !== undefined)
            expect((sketch[place >>> 3] >>> ((place & 7) * 4)) & 15).toBe(least & 15);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('does not depend on earlier pages', () => {
    fc.assert(
      fc.property(page, page, (one, other) => {
        const before = fingerprint(one);
        fingerprint(other);
        expect(fingerprint(one)).toEqual(before);
      }),
    );
  });

  test('estimates the resemblance of texts', () => {
    const vocabulary = Array.from({ length: 500 }, (_, i) => `word${(i * 7919) % 4001}`);
    let worst = 0;
    for (let edits = 0; edits <= 300; edits += 10) {
      const words = Array.from({ length: 600 }, (_, i) => vocabulary[(i * i + 3 * i) % 500]);
      const edited = words.map((word, i) => ((i * 31) % 600 < edits ? `${word}x${i}` : word));
      const truth = resemblance(shingles(words, 3), shingles(edited, 3));
      const estimate = alike(fingerprint(words.join(' ')), fingerprint(edited.join(' ')));
      worst = Math.max(worst, Math.abs(truth - estimate));
    }
    expect(worst).toBeLessThan(0.15);
  });
});

describe('the signature', () => {
  const post = (date: string, sid: string): string =>
    `<html><body class="d${date}"><a href="/a?sid=${sid}">Home</a><p>Posted ${date}, read ${sid.length * 7} times</p></body></html>`;

  test('is the same if only numbers and attributes differ', () => {
    expect(fingerprint(post('2026-05-01', 'abc')).signature).toBe(
      fingerprint(post('1999-12-31', 'fedcba')).signature,
    );
  });

  test('differs if a word or a tag differs', () => {
    const one = fingerprint('<p>the cat sat</p>').signature;
    for (const other of [
      '<p>the cat sits</p>',
      '<b>the cat sat</b>',
      '<p>the <i>cat</i> sat</p>',
      'the cat sat',
    ]) {
      expect(fingerprint(other).signature).not.toBe(one);
    }
  });
});

describe('a page of few words', () => {
  test('is similar to itself, and not to another', () => {
    const missing = '<h1>Page Not Found</h1><p>Error 404</p>';
    expect(alike(fingerprint(missing), fingerprint(missing.replace('<h1>', '<h1 id=x>')))).toBe(1);
    expect(
      alike(fingerprint(missing), fingerprint('<h1>Good morning</h1><p>How are you</p>')),
    ).toBeLessThan(0.3);
  });

  test('is read with its links; a page of many words without', () => {
    const menu = '<a href="/a">apples and pears</a>';
    expect(fingerprint(menu).words).toBe(3);
    expect(fingerprint(`${menu}${'<p>word'.repeat(40)}`).words).toBe(40);
    expect(fingerprint('')).toMatchObject({ words: 0, distinct: 0 });
    expect(fingerprint('x '.repeat(50))).toMatchObject({ words: 50, distinct: 1 });
  });

  test('loses no more than 32 words to an unclosed link', () => {
    expect(fingerprint(`<a name=top>${'word '.repeat(100)}`).words).toBe(68);
  });
});

describe('reading', () => {
  test('takes time in proportion to the page, whatever is unclosed', () => {
    const worst = [
      '<',
      '<a ',
      "<a b='",
      '<!--',
      '<script>',
      '<p =',
      '"',
      '</',
      'a',
      '1',
      '\u00e4\u00b8',
      '<a " " \'',
      "= '",
    ];
    const timeOf = (text: string): number => {
      const body = bytesOf(text);
      let least = Infinity;
      for (let i = 0; i < 3; i++) {
        const before = process.cpuUsage();
        fingerprintOf(body);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, user + system);
      }
      return least;
    };
    // A quadratic reading of half a megabyte takes minutes.
    for (const unit of worst)
      expect(timeOf(unit.repeat(500_000 / unit.length))).toBeLessThan(200_000);
  });

  test('stops after 512 KiB', () => {
    expect(fingerprint('word '.repeat(200_000)).words).toBe(Math.ceil(524_288 / 5));
  });
});
