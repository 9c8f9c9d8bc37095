/**
 * The values of all signals of a text.
 *
 * Requires  a text with `\n` between lines.
 * Ensures   for each signal the value that its definition gives (docs/text.md); 0 where a share has
 *           nothing to divide by. Depends on the text alone.
 * Cost      about 6 ns a character.
 */
import { countForC4 } from './c4-lines.ts';
import { COUNT, countsOf } from './signal-counts.ts';
import { SIGNALS } from './signals.ts';

/** The values of `SIGNALS`, in their order. */
export function signalsOf(text: string): Float64Array {
  const { counts, listed } = countsOf(text);
  const c4 = countForC4(text, listed);
  const paragraphs = paragraphsOf(text);
  const tokens = counts[COUNT.tokens];
  const words = counts[COUNT.words];
  const characters = counts[COUNT.characters];
  const lines = counts[COUNT.lines];
  const lineEnds = counts[COUNT.lineEnds];
  const repeated = counts[COUNT.duplicateCharacters];
  const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const grams = counts.subarray(COUNT.grams);
  return Float64Array.of(
    words,
    characters,
    lines,
    ratio(counts[COUNT.wordCharacters], words),
    ratio(counts[COUNT.hashes], tokens),
    ratio(counts[COUNT.ellipses], tokens),
    ratio(counts[COUNT.bullets], lines),
    ratio(counts[COUNT.ellipsisLines], lines),
    ratio(counts[COUNT.alphabetic], tokens),
    counts[COUNT.stopWords],
    ratio(counts[COUNT.duplicateLines], lines),
    ratio(repeated, characters),
    ratio(paragraphs.duplicates, paragraphs.count),
    ratio(paragraphs.duplicateCharacters, characters),
    ...Array.from(grams, (part) => ratio(part, characters)),
    counts[COUNT.sentences],
    ratio(counts[COUNT.keptLines] + c4.keptLines, lines),
    counts[COUNT.keptSentences] + c4.keptSentences,
    c4.loremIpsum,
    c4.braces,
    c4.policies,
    c4.javascript,
    ratio(counts[COUNT.terminal], lines),
    ratio(counts[COUNT.short], lines),
    ratio(repeated, characters - lineEnds),
    ratio(lineEnds, tokens),
  );
}

/** The place of a signal among the values, by its name; -1 if there is none. */
export function signalIndex(name: string): number {
  return SIGNALS.findIndex((signal) => signal.name === name);
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
