/**
 * Text from servers, archives and other files, made harmless for a terminal: control characters and
 * invisible ones (format characters, line separators) are shown as `\u{1b}`.
 */

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** The same, but line ends and tabs stay. */
const INVISIBLE_IN_LINES = /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One field of a line: line ends are shown, too. */
export const printable = (text: string): string => text.replace(INVISIBLE, shown);

/** Whole lines. */
export const printableLines = (text: string): string => text.replace(INVISIBLE_IN_LINES, shown);

/** A value as one line of JSON, which leaves some control characters as they are. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(INVISIBLE, unitEscapes)}\n`;

function shown(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** A character beyond U+FFFF has two code units, and JSON an escape for each. */
function unitEscapes(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}
