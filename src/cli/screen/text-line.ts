/**
 * Lines for a terminal, before they are written: pieces of text, each with a tone. What is shown is decided here without a thought for
 * escape codes; a line is never wider than it may be, so that it can be drawn over.
 */

/** Colours by what they mean. */
export type Tone = 'plain' | 'title' | 'faint' | 'good' | 'warn' | 'bad' | 'bar';

export interface Piece {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Piece[];

export const piece = (text: string, tone: Tone = 'plain'): Piece => ({
  text: printable(text),
  tone,
});

/** Cells that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

export const lineWidth = (line: Line): number =>
  line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** Cut to so many cells, with a mark where something is missing. */
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

/** Filled with blanks to so many cells. */
export function padLine(line: Line, columns: number): Line {
  const missing = columns - lineWidth(line);
  return missing > 0 ? [...line, piece(' '.repeat(missing))] : line;
}

/** Two texts at the two ends of a line; the second goes when there is no room for both. */
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

/** https://no-color.org: any value but none. */
export const wantsColours = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  !environment.NO_COLOR && environment.TERM !== 'dumb';

/** Names come from elsewhere: nothing of them may move the cursor. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** What East Asian fonts and pictures take two cells for; combining marks take none. */
function cellsOf(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (/\p{Mn}/u.test(character)) return 0;
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u.test(
    character,
  )
    ? 2
    : 1;
}
