/**
 * Pieces of text at places on a page, written as lines.
 *
 * Idea      A piece begins a new line if it stands higher or lower than the one before, and a new
 *           word if there is a gap between them. Gaps are known exactly after relative moves, and
 *           estimated from the width of typical letters after absolute ones.
 */
export class TextLines {
  readonly #most: number;
  readonly #pieces: string[] = [];
  #length = 0;
  #atStart = true;
  /** Where the last piece began, and where it ended. */
  #y = 0;
  #end = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#length >= this.#most;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  /** A piece at a place, in a size; returns where it ends, as far as is known. */
  show(text: string, x: number, y: number, size: number): number {
    const end = x + widthOf(text) * size;
    this.follow(text, x - this.#end > 0.16 * size || x < this.#end - 2 * size, y, size);
    this.#end = end;
    return end;
  }

  /** A piece after the last one, as a new word or not. */
  follow(text: string, isApart: boolean, y: number, size: number): void {
    if (text === '' || this.isFull) return;
    if (Math.abs(y - this.#y) > 0.5 * size) this.newLine();
    else if (isApart && !this.#atStart) this.#add(' ');
    this.#add(text);
    this.#atStart = false;
    this.#y = y;
  }

  newLine(): void {
    if (this.#atStart) return;
    this.#add('\n');
    this.#atStart = true;
  }

  #add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }
}

/** Roughly the width of a text in Times or Helvetica, in units of its size. */
export function widthOf(text: string): number {
  let width = 0;
  for (let i = 0; i < text.length; i++) width += WIDTHS[text.charCodeAt(i) & 0xff];
  return width;
}

const WIDTHS = Float64Array.from({ length: 256 }, (_, code) => {
  const c = String.fromCharCode(code);
  if (" iljtfrI.,;:'!|()[]/".includes(c)) return 0.3;
  if ('mwMW@%'.includes(c)) return 0.8;
  return /[A-Z]/.test(c) ? 0.67 : 0.48;
});
