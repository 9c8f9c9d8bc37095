/**
 * Lines for a terminal: pieces of text, each with a tone. Layout works on these, free of escape
 * codes; `paint` adds the codes at the end. A clipped line is never wider than the terminal, so it
 * can be redrawn.
 */

/** Colours, named by their meaning. */
type Tone = 'plain' | 'title' | 'faint' | 'good' | 'warn' | 'bad' | 'bar';

export interface Piece {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Piece[];

export const piece = (text: string, tone: Tone = 'plain'): Piece => ({
  text: printable(text),
  tone,
});

/** The terminal cells that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

export const lineWidth = (line: Line): number =>
  line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** Shortens a line to `columns` cells; `…` marks the missing text. */
export function clip(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  const kept: Piece[] = [];
  let room = columns - 1;
  for (const { text, tone } of line) {
    let end = 0;
    for (const character of text) {
      if (cellsOf(character) > room) return [...kept, { text: `${text.slice(0, end)}…`, tone }];
      room -= cellsOf(character);
      end += character.length;
    }
    kept.push({ text, tone });
  }
  return kept;
}

/** Pads a line with blanks to `columns` cells. */
export function padLine(line: Line, columns: number): Line {
  const missing = columns - lineWidth(line);
  return missing > 0 ? [...line, piece(' '.repeat(missing))] : line;
}

/** Puts two texts at the two ends of a line; drops the second if there is no room for both. */
export function apart(left: Line, right: Line, columns: number): Line {
  const gap = columns - lineWidth(left) - lineWidth(right);
  return gap < 2 ? clip(left, columns) : [...left, piece(' '.repeat(gap)), ...right];
}

const CODES: Readonly<Record<Tone, string>> = {
  plain: '',
  title: '1',
  faint: '2',
  good: '32',
  warn: '33',
  bad: '1;31',
  bar: '36',
};

export function paint(line: Line, colours: boolean): string {
  if (!colours) return line.map(({ text }) => text).join('');
  return line
    .map(({ text, tone }) => (CODES[tone] ? `\x1b[${CODES[tone]}m${text}\x1b[0m` : text))
    .join('');
}

/** Colours are off if NO_COLOR has a value (https://no-color.org), or in a dumb terminal. */
export const wantsColours = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  !environment.NO_COLOR && environment.TERM !== 'dumb';

/** Replaces control characters: names come from other sites and must not move the cursor. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** East Asian characters and emoji take two cells, combining marks none. */
function cellsOf(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (/\p{Mn}/u.test(character)) return 0;
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u.test(
    character,
  )
    ? 2
    : 1;
}
