/**
 * The pages that dvips writes.
 *
 *   639 523 a Fa(W)-8 b(e)28 b(present)g(a)h(study)
 *
 * Its operators (tex.lpro): `p` shows a string; `b` shows it and moves on by a number; `c` to `k`
 * move by the same number, changed by -4 to 4; `l` to `t` move by -4 to 4; `w` and `x` move right
 * and down; `a` and `y` go to a place. Moves are in dots, so words are told apart exactly.
 */
import type { Token, Tokens } from './postscript-tokens.ts';
import type { TextLines } from './text-lines.ts';

/** A gap of so many points separates words; kerning moves less. */
const GAP = 1.1;
/** The size of a letter in points, by which lines are told apart. */
const SIZE = 9;
/** Ligatures and dotless letters in the encoding of TeX's text fonts. */
const TEX: Readonly<Record<string, string>> = {
  '\x0b': 'ff',
  '\x0c': 'fi',
  '\x0d': 'fl',
  '\x0e': 'ffi',
  '\x0f': 'ffl',
  '\x10': 'i',
  '\x11': 'j',
  '\x19': 'ß',
  '\x1a': 'æ',
  '\x1b': 'œ',
  '\x1c': 'ø',
  '\\': '“',
  '{': '–',
  '|': '—',
};
const STEPS = new Map(
  ['c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((name, i) => [name, i - 4]),
);
const SMALL_STEPS = new Map(
  ['l', 'm', 'n', 'o', 'q', 'r', 's', 't'].map((name, i) => [name, i < 4 ? i - 4 : i - 3]),
);

export class DvipsPages {
  readonly addresses: readonly string[] = [];
  readonly #tokens: Tokens;
  readonly #lines: TextLines;
  /** Dots of a point. */
  readonly #dots: number;
  #numbers: number[] = [];
  #text: string | undefined;
  #y = 0;
  #delta = 0;
  /** How far the place moved since the last piece; Infinity after a jump. */
  #gap = 0;
  #pages = 0;

  constructor(tokens: Tokens, lines: TextLines, source: string) {
    this.#tokens = tokens;
    this.#lines = lines;
    this.#dots = Number(/dpi=(\d{2,4})|Resolution (\d{2,4})/.exec(source)?.[1] ?? 300) / 72;
  }

  get pages(): number {
    return this.#pages;
  }

  run(): void {
    for (;;) {
      const token = this.#tokens.next();
      if (token === undefined || this.#lines.isFull) return;
      this.#take(token);
    }
  }

  #take(token: Token): void {
    if (typeof token === 'number') {
      this.#numbers.push(token);
      if (this.#numbers.length > 64) this.#numbers = this.#numbers.slice(-8);
    } else if (typeof token === 'object' && token.is === 'text') this.#text = token.text;
    else if (typeof token === 'object' && token.is === 'name') this.#run(token.name);
  }

  #run(name: string): void {
    const step = STEPS.get(name);
    const small = SMALL_STEPS.get(name);
    if (step !== undefined) this.#showAndMove(this.#delta + step);
    else if (small !== undefined) this.#show(small);
    else if (name === 'b') this.#showAndMove(this.#pop());
    else if (name === 'p') this.#show(0);
    else if (name === 'w') this.#gap += this.#pop();
    else if (name === 'x') this.#y += this.#pop();
    else if (name === 'a') this.#jump();
    else if (name === 'y') {
      this.#show(0);
      this.#jump();
    } else if (name === 'eop') {
      this.#pages++;
      this.#lines.newLine();
    } else if (name === 'eexec') this.#tokens.skipTo('cleartomark');
  }

  #pop(): number {
    return this.#numbers.pop() ?? 0;
  }

  #jump(): void {
    this.#y = this.#pop();
    this.#pop();
    this.#gap = Number.POSITIVE_INFINITY;
  }

  /** Shows, moves on, and remembers how far. */
  #showAndMove(delta: number): void {
    this.#delta = delta;
    this.#show(delta);
  }

  #show(move: number): void {
    const text = this.#text;
    this.#text = undefined;
    if (text === undefined) return;
    const letters = text.replace(/[\x0b-\x11\x19-\x1c\\{|]/g, (c) => TEX[c] ?? '');
    this.#lines.follow(letters, this.#gap > GAP * this.#dots, this.#y, SIZE * this.#dots);
    this.#gap = move;
  }
}
