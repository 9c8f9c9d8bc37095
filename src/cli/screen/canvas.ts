/**
 * Lines of a terminal that are redrawn in place.
 *
 * Ensures   Each picture is one write that replaces the picture before, even if a resized terminal
 *           has wrapped its lines; later output comes below. The cursor is hidden while pictures
 *           are drawn, and shown again on every exit that the process can catch.
 */
import { type Line, lineWidth, paint } from './text-line.ts';

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/**
 * Synchronised output: a terminal that knows it shows the text between at once; others ignore it.
 */
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

export class Canvas {
  readonly #screen: Screen;
  readonly #colours: boolean;
  /** Widths of the lines of the last picture. */
  #drawn: readonly number[] = [];
  #hidden = false;
  readonly #redraw: () => void;
  readonly #leave = () => this.#showCursor();
  /** Ctrl-Z: shows the cursor for the shell; after `fg` a new picture is drawn below. */
  readonly #pause = () => {
    this.#showCursor();
    this.#drawn = [];
    process.kill(process.pid, 'SIGSTOP');
  };

  /** Calls `redraw` when the terminal changes its size. */
  constructor(screen: Screen, colours: boolean, redraw: () => void) {
    this.#screen = screen;
    this.#colours = colours;
    this.#redraw = redraw;
    screen.on?.('resize', redraw);
    process.on('exit', this.#leave);
    process.on('SIGTSTP', this.#pause);
  }

  /** The size of the terminal; 80 × 24 if it reports 0. */
  get size(): { columns: number; rows: number } {
    return { columns: this.#screen.columns || 80, rows: this.#screen.rows || 24 };
  }

  draw(lines: readonly Line[]): void {
    const up = rowsOf(this.#drawn, this.size.columns);
    const text = lines.map((line) => `${paint(line, this.#colours)}\x1b[K\n`).join('');
    const hide = this.#hidden ? '' : HIDE_CURSOR;
    this.#hidden = true;
    this.#screen.write(`${BEGIN}${hide}${up > 0 ? `\x1b[${up}A\r` : ''}${text}\x1b[J${END}`);
    this.#drawn = lines.map(lineWidth);
  }

  end(): void {
    this.#showCursor();
    this.#screen.off?.('resize', this.#redraw);
    process.off('exit', this.#leave);
    process.off('SIGTSTP', this.#pause);
  }

  #showCursor(): void {
    if (this.#hidden) this.#screen.write(SHOW_CURSOR);
    this.#hidden = false;
  }
}

/** The rows that lines of these widths take in a terminal of `columns` columns. */
function rowsOf(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
