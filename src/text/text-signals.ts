/**
 * The values of all signals of a text.
 *
 * Requires  a text with `\n` between lines.
 * Ensures   for each signal the value that its definition gives (docs/text.md); 0 where a share has
 *           nothing to divide by. Depends on the text alone.
 * Cost      about 20 ns a character.
 */
import { gramCharacters } from './grams.ts';
import { lineSignalsOf } from './line-signals.ts';
import { SIGNALS } from './signals.ts';
import { tokensOf } from './tokens.ts';
import { bitsIn, countCharacters, unitsOf } from './units.ts';

/** The values of `SIGNALS`, in their order. */
export function signalsOf(text: string): Float64Array {
  const units = unitsOf(text);
  const tokens = tokensOf(units);
  const bits = bitsIn(units);
  const lines = lineSignalsOf(text, units, bits < 0x100);
  const characters = bits < 0xd800 ? units.length : countCharacters(units, 0, units.length);
  const paragraphs = paragraphsOf(text);
  const lineEnds = count(text, '\n');
  const grams = gramCharacters(tokens);
  const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  return Float64Array.of(
    tokens.words,
    characters,
    lines.lines,
    ratio(tokens.wordCharacters, tokens.words),
    ratio(count(text, '#'), tokens.count),
    ratio(count(text, '...') + count(text, '…'), tokens.count),
    ratio(lines.bullets, lines.lines),
    ratio(lines.ellipses, lines.lines),
    ratio(tokens.alphabetic, tokens.count),
    tokens.stopWords,
    ratio(lines.duplicates, lines.lines),
    ratio(lines.duplicateCharacters, characters),
    ratio(paragraphs.duplicates, paragraphs.count),
    ratio(paragraphs.duplicateCharacters, characters),
    ...grams.map((part) => ratio(part, characters)),
    lines.sentences,
    ratio(lines.keptLines, lines.lines),
    lines.keptSentences,
    lines.loremIpsum,
    lines.braces,
    lines.policies,
    lines.javascript,
    ratio(lines.terminal, lines.lines),
    ratio(lines.short, lines.lines),
    ratio(lines.duplicateCharacters, characters - lineEnds),
    ratio(lineEnds, tokens.count),
  );
}

/** The place of a signal among the values, by its name; -1 if there is none. */
export function signalIndex(name: string): number {
  return SIGNALS.findIndex((signal) => signal.name === name);
}

/** How often a text has a piece, without overlap. */
function count(text: string, piece: string): number {
  let found = 0;
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) found++;
  return found;
}

function paragraphsOf(text: string): {
  count: number;
  duplicates: number;
  duplicateCharacters: number;
} {
  const trimmed = text.trim();
  if (!trimmed.includes('\n\n'))
    return { count: trimmed === '' ? 0 : 1, duplicates: 0, duplicateCharacters: 0 };
  const seen = new Set<string>();
  let [duplicates, duplicateCharacters] = [0, 0];
  const paragraphs = trimmed.split(/\n{2,}/);
  for (const paragraph of paragraphs) {
    if (seen.has(paragraph)) {
      duplicates++;
      duplicateCharacters += [...paragraph].length;
    } else seen.add(paragraph);
  }
  return { count: paragraphs.length, duplicates, duplicateCharacters };
}
