/**
 * PostScript as tokens: numbers, strings, names and procedures.
 *
 * Ensures   Reads any bytes to their end, each once, with little stack. Data between the comments
 *           of the document structuring conventions that announce fonts and binary data is skipped.
 */

export type Token =
  | number
  | boolean
  | { readonly is: 'text'; readonly text: string }
  /** An executable name. */
  | { readonly is: 'name'; readonly name: string }
  /** A name after a slash. */
  | { readonly is: 'literal'; readonly name: string }
  | { readonly is: 'procedure'; readonly body: readonly Token[] }
  | { readonly is: 'font'; readonly size: number }
  | { readonly is: 'mark' };

/** What `mark` and `[` push. */
export const MARK: Token = { is: 'mark' };

/** A string of PostScript has at most so many characters; more is binary data. */
const LONGEST_STRING = 65_535;
const LONGEST_NAME = 200;
const DEEPEST = 40;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SKIPPED: ReadonlyArray<readonly [begin: string, end: string]> = [
  ['%%BeginFont', '%%EndFont'],
  ['%%BeginResource: font', '%%EndResource'],
  ['%%BeginData', '%%EndData'],
  ['%%BeginBinary', '%%EndBinary'],
];
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

export class Tokens {
  readonly #source: string;
  readonly #skipped: typeof SKIPPED;
  #at = 0;

  /** `skipped` are further sections to skip. */
  constructor(source: string, skipped: typeof SKIPPED = []) {
    this.#source = source;
    this.#skipped = [...SKIPPED, ...skipped];
  }

  /** The next token; undefined at the end. */
  next(depth = 0): Token | undefined {
    for (;;) {
      const c = this.#source[this.#at];
      if (c === undefined) return undefined;
      if (c === '%') this.#skipComment();
      else if (c === '(') return { is: 'text', text: this.#string() };
      else if (c === '<') {
        const token = this.#angle();
        if (token !== undefined) return token;
      } else if (c === '{') return this.#procedure(depth);
      else if (c === '}' || c === '>' || c === ')' || isBlank(c)) this.#at++;
      else return this.#word();
    }
  }

  /** Continues behind the next place of a word; at the end if there is none. */
  skipTo(word: string): void {
    const found = this.#source.indexOf(word, this.#at);
    this.#at = found < 0 ? this.#source.length : found + word.length;
  }

  #skipComment(): void {
    const section = this.#skipped.find(([begin]) => this.#source.startsWith(begin, this.#at));
    if (section) this.skipTo(section[1]);
    while (this.#at < this.#source.length && !isLineEnd(this.#source[this.#at])) this.#at++;
  }

  #string(): string {
    const source = this.#source;
    const last = Math.min(source.length, this.#at + LONGEST_STRING);
    let out = '';
    let open = 0;
    for (let at = this.#at + 1; at < last; at++) {
      const c = source[at];
      if (c === ')' && open-- === 0) {
        this.#at = at + 1;
        return out;
      }
      if (c === '(') open++;
      if (c !== '\\') {
        out += c;
        continue;
      }
      const octal = /^[0-7]{1,3}/.exec(source.slice(at + 1, at + 4))?.[0];
      const next = source[++at] ?? '';
      if (octal !== undefined) {
        out += String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
        at += octal.length - 1;
      } else if (!isLineEnd(next)) out += ESCAPES[next] ?? next;
    }
    this.#at = last;
    return '';
  }

  /** A string in hexadecimal digits; nothing for the brackets of a dictionary. */
  #angle(): Token | undefined {
    const source = this.#source;
    this.#at++;
    if (source[this.#at] === '<' || source[this.#at] === '~') {
      this.#at++;
      return undefined;
    }
    const end = source.indexOf('>', this.#at);
    if (end < 0 || end - this.#at > 2 * LONGEST_STRING) return undefined;
    const digits = source.slice(this.#at, end);
    this.#at = end + 1;
    return { is: 'text', text: Buffer.from(digits.replace(/\s+/g, ''), 'hex').toString('latin1') };
  }

  #procedure(depth: number): Token {
    const body: Token[] = [];
    this.#at++;
    for (;;) {
      this.#skipBlanks();
      const c = this.#source[this.#at];
      if (c === undefined || depth >= DEEPEST) break;
      if (c === '}') {
        this.#at++;
        break;
      }
      const token = this.next(depth + 1);
      if (token === undefined) break;
      body.push(token);
    }
    return { is: 'procedure', body };
  }

  #skipBlanks(): void {
    for (;;) {
      const c = this.#source[this.#at];
      if (c === '%') this.#skipComment();
      else if (c !== undefined && isBlank(c)) this.#at++;
      else return;
    }
  }

  #word(): Token {
    const source = this.#source;
    const start = this.#at++;
    const first = source[start];
    if (first !== '[' && first !== ']') {
      while (this.#at < source.length && !ends(source[this.#at])) this.#at++;
    }
    const word = source.slice(start, Math.min(this.#at, start + LONGEST_NAME));
    if (first === '/') return { is: 'literal', name: word.slice(1) };
    return NUMBER.test(word) ? Number(word) : { is: 'name', name: word };
  }
}

const isLineEnd = (c: string): boolean => c === '\n' || c === '\r';
const isBlank = (c: string): boolean => c <= ' ';
const ENDS = new Set('()<>[]{}/%');
const ends = (c: string): boolean => isBlank(c) || ENDS.has(c);
