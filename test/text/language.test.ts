import { inflateRawSync } from 'node:zlib';
import { eld } from 'eld/extrasmall';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tablesOfPackage } from '../../scripts/languages.ts';
import { makePage } from '../../src/lab/page.ts';
import { NO_PORTS, webOf } from '../../src/lab/server/lab.ts';
import { LANGUAGE_TABLES } from '../../src/text/language-tables.ts';
import { Ngrams } from '../../src/text/ngrams.ts';
import { openTextReader } from '../../src/text/text-reader.ts';

const ngrams = new Ngrams();

function expectAsEld(text: string): void {
  const theirs = eld.detect(text);
  const score = theirs.getScores()[theirs.language] ?? 0;
  expect(ngrams.detect(text), JSON.stringify(text)).toEqual({ code: theirs.language, score });
}

test('the tables are those of the package, as "npm run languages" writes them', async () => {
  expect(inflateRawSync(LANGUAGE_TABLES).equals(await tablesOfPackage())).toBe(true);
});

/** Scripts of one to four bytes a character, capitals, apostrophes, digits and halves of pairs. */
const characters = fc.oneof(
  fc.constantFrom(..."aeinrstEINRST \u2019'`-.,7ßéÉŁłıİñΣσςαΑЖжшіїאבגاتنอกขアン漢字한국어ა"),
  fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
);

test('language and score are those of eld, for any characters', () => {
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 500 }), (list) => expectAsEld(list.join(''))),
    { numRuns: 600 },
  );
});

test('language and score are those of eld, for very long words and texts', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'b', 'é', 'ж', '漢'),
    minLength: 60,
    maxLength: 120,
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) =>
      expectAsEld([...words, ...words].join(' ')),
    ),
    { numRuns: 300 },
  );
  expectAsEld('und so weiter '.repeat(400));
});

test('language and score are those of eld, for the texts of lab pages', async () => {
  const web = webOf({ scenario: 'mixed', domains: 30 }, NO_PORTS);
  const reader = await openTextReader();
  for (let i = 0; i < 30; i++) {
    const { body } = makePage(web, web.domains.at(i % 30), i >> 3);
    const { text } = reader.read(Buffer.from(body, 'latin1'));
    for (const from of [0, text.length >> 1]) expectAsEld(text.slice(from, from + 700));
  }
});
