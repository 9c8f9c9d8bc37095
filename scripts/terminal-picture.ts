/**
 * A picture of a terminal: the text of a screen with its colours (`tmux capture-pane -e -p`) from
 * standard input becomes an SVG on standard output.
 *
 *   tmux capture-pane -t demo -e -p | npx tsx scripts/terminal-picture.ts TITLE > FILE.svg
 */
import { text as readText } from 'node:stream/consumers';

const CELL = { width: 8.43, height: 19 };
const MARGIN = { left: 20, top: 58, bottom: 26 };
const COLUMNS = 100;
const PLAIN = '#c8d3e0';
/** Foreground colours by their SGR codes. */
const COLOURS: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b98a9',
};

interface Span {
  readonly text: string;
  readonly style: string;
}

/** The text of a line in pieces of one style; `style` carries over from the line before. */
function spansOf(line: string, style: Style): Span[] {
  const spans: Span[] = [];
  for (const [, codes, text] of `\x1b[m${line}`.matchAll(/\x1b\[([\d;]*)m([^\x1b]*)/g)) {
    if (codes !== '') for (const code of codes.split(';')) style.apply(Number(code));
    if (text !== '') spans.push({ text, style: style.toString() });
  }
  return spans;
}

class Style {
  #bold = false;
  #faint = false;
  #colour: string | undefined;

  apply(code: number): void {
    if (code === 0) {
      this.#bold = false;
      this.#faint = false;
      this.#colour = undefined;
    } else if (code === 1) this.#bold = true;
    else if (code === 2) this.#faint = true;
    else if (code === 22) {
      this.#bold = false;
      this.#faint = false;
    } else if (code === 39) this.#colour = undefined;
    else if (COLOURS[code]) this.#colour = COLOURS[code];
  }

  toString(): string {
    const colour = this.#colour ?? (this.#faint ? '#8b98a9' : this.#bold ? '#ffffff' : undefined);
    return `${colour ? ` fill="${colour}"` : ''}${this.#bold ? ' font-weight="bold"' : ''}`;
  }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function picture(screen: string, title: string): string {
  const style = new Style();
  const lines = screen.trimEnd().split('\n');
  const width = Math.round(COLUMNS * CELL.width + 2 * MARGIN.left);
  const height = MARGIN.top + lines.length * CELL.height + MARGIN.bottom - CELL.height;
  const texts = lines.map((line, i) => {
    const spans = spansOf(line, style);
    if (spans.length === 0) return '';
    const length = spans.reduce((sum, { text }) => sum + [...text].length, 0) * CELL.width;
    const inner = spans
      .map(({ text, style }) => `<tspan${style}>${escaped(text)}</tspan>`)
      .join('');
    const y = MARGIN.top + i * CELL.height;
    return `<text x="${MARGIN.left}" y="${y}" xml:space="preserve" textLength="${length.toFixed(1)}">${inner}</text>`;
  });
  const dots = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
    (colour, i) => `<circle cx="${22 + 20 * i}" cy="20" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title><rect width="${width}" height="${height}" rx="8" fill="#1e2430"/>`,
    ...dots,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${PLAIN}">`,
    ...texts.filter((text) => text !== ''),
    '</g></svg>',
    '',
  ].join('\n');
}

process.stdout.write(picture(await readText(process.stdin), process.argv[2] ?? 'a terminal'));
