import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLine, printable, printableLines } from '../../../src/cli/screen/printable.ts';
import { anyCharacter } from '../../any-character.ts';

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(fc.constantFrom('\x1b[2J', '\x9b', '\r', '\n', '\t', '\u2028', '\u{e0041}', 'a'))
    .map((parts) => parts.join('')),
);

test('no control character is left, for any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(printableLines(text).replace(/\r?\n|\t/g, '')).not.toMatch(
        /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u,
      );
      expect(jsonLine({ text }).slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
    }),
  );
});

test('text without them stays as it is, and so do the ends of lines', () => {
  expect(printable('https://exämple.org/ü 日本')).toBe('https://exämple.org/ü 日本');
  expect(printableLines('a\tb\r\nc\n')).toBe('a\tb\r\nc\n');
  expect(printableLines('a\rb')).toBe('a\\u{d}b');
});
