/**
 * Parses a JavaScript regular expression, as far as it describes a regular language.
 *
 * Requires  A source that `new RegExp` accepts without flags or with `i`: this parser does not
 *           check the syntax again. Annex B of ECMAScript (web browsers) counts, as in Node.
 * Ensures   The tree matches what the expression matches, or the parser throws NotRegular.
 *           Groups and lazy quantifiers leave no trace: they do not change what is matched.
 */
import {
  BLANKS,
  type CharacterSet,
  complementOf,
  DIGITS,
  ignoringCase,
  NOT_LINE_ENDS,
  unionOf,
  WORD,
} from './regexp-characters.ts';

export type RegexpNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly what: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexpNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexpNode[] }
  | {
      readonly kind: 'repeat';
      readonly node: RegexpNode;
      readonly min: number;
      readonly max: number;
    };

export type Assertion = 'start' | 'end' | 'word' | 'not-word';

/** The expression needs more than a linear-time matcher can do; `what` names it. */
export class NotRegular extends Error {
  override readonly name = 'NotRegular';
  readonly what: string;
  constructor(what: string) {
    super(what);
    this.what = what;
  }
}

/** Deeper groups would need too much stack. */
const MOST_NESTED = 200;

export function parseRegexp(source: string, ignoreCase: boolean): RegexpNode {
  return new Parser(source, ignoreCase).parse();
}

const LETTER_ESCAPES: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const CLASS_ESCAPES: Readonly<Record<string, CharacterSet>> = {
  d: DIGITS,
  D: complementOf(DIGITS),
  w: WORD,
  W: complementOf(WORD),
  s: BLANKS,
  S: complementOf(BLANKS),
};
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;

class Parser {
  readonly #source: string;
  readonly #ignoreCase: boolean;
  /** Capturing groups in the whole source: `\3` is a back-reference if there are three. */
  readonly #groups: number;
  readonly #hasNames: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.#source = source;
    this.#ignoreCase = ignoreCase;
    // Escapes and classes are skipped, so that what is left of parentheses are groups.
    const bare = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, '');
    this.#groups = bare.match(/\((?!\?)|\(\?<(?![=!])/g)?.length ?? 0;
    this.#hasNames = /\(\?<(?![=!])/.test(bare);
  }

  parse(): RegexpNode {
    return this.#choice();
  }

  #choice(): RegexpNode {
    if (++this.#depth > MOST_NESTED) throw new NotRegular(`more than ${MOST_NESTED} nested groups`);
    const options = [this.#sequence()];
    while (this.#takes('|')) options.push(this.#sequence());
    this.#depth--;
    return options.length === 1 ? options[0] : { kind: 'choice', options };
  }

  #sequence(): RegexpNode {
    const parts: RegexpNode[] = [];
    while (this.#at < this.#source.length) {
      const next = this.#source[this.#at];
      if (next === '|' || next === ')') break;
      parts.push(this.#quantified(this.#term()));
    }
    return parts.length === 1 ? parts[0] : { kind: 'sequence', parts };
  }

  #term(): RegexpNode {
    const character = this.#source[this.#at++];
    switch (character) {
      case '^':
        return { kind: 'assertion', what: 'start' };
      case '$':
        return { kind: 'assertion', what: 'end' };
      case '(':
        return this.#group();
      case '.':
        return { kind: 'set', set: NOT_LINE_ENDS };
      case '[':
        return { kind: 'set', set: this.#class() };
      case '\\':
        return this.#escape();
      default:
        return this.#character(character.charCodeAt(0));
    }
  }

  #group(): RegexpNode {
    if (this.#takes('?')) {
      if (/^<?[=!]/.test(this.#source.slice(this.#at, this.#at + 2)))
        throw new NotRegular('look-around');
      if (this.#takes('<')) this.#at = this.#source.indexOf('>', this.#at) + 1;
      else if (!this.#takes(':')) throw new NotRegular('flags within the expression');
    }
    const node = this.#choice();
    this.#at++; // the closing parenthesis
    return node;
  }

  #quantified(node: RegexpNode): RegexpNode {
    QUANTIFIER.lastIndex = this.#at;
    const match = QUANTIFIER.exec(this.#source);
    if (match === null) return node;
    this.#at = QUANTIFIER.lastIndex;
    const [text, least, comma, most] = match;
    if (least === undefined) {
      const [min, max] = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[text[0]]!;
      return { kind: 'repeat', node, min, max };
    }
    const min = Number(least);
    const max = comma === undefined ? min : most === '' ? Infinity : Number(most);
    return { kind: 'repeat', node, min, max };
  }

  #escape(): RegexpNode {
    const letter = this.#source[this.#at];
    if (letter === 'b' || letter === 'B') {
      this.#at++;
      return { kind: 'assertion', what: letter === 'b' ? 'word' : 'not-word' };
    }
    if (letter === 'k' && this.#hasNames) throw new NotRegular('back-references');
    const digits = /^[1-9]\d*/.exec(this.#source.slice(this.#at))?.[0];
    if (digits !== undefined && Number(digits) <= this.#groups)
      throw new NotRegular('back-references');
    const set = CLASS_ESCAPES[letter];
    if (set === undefined) return this.#character(this.#escapedCode(false));
    this.#at++;
    return { kind: 'set', set };
  }

  /** The character after a backslash that is neither a class nor an assertion. */
  #escapedCode(inClass: boolean): number {
    const rest = this.#source.slice(this.#at, this.#at + 5);
    const [, hex] = /^x([\da-f]{2})/i.exec(rest) ?? /^u([\da-f]{4})/i.exec(rest) ?? [];
    if (hex !== undefined) return this.#skip(1 + hex.length, Number.parseInt(hex, 16));
    const octal = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(rest)?.[0];
    if (octal !== undefined) return this.#skip(octal.length, Number.parseInt(octal, 8));
    const control = (inClass ? /^c(\w)/ : /^c([a-z])/i).exec(rest)?.[1];
    if (control !== undefined) return this.#skip(2, control.charCodeAt(0) % 32);
    if (rest[0] === 'c') return 0x5c; // the backslash itself; the letter follows
    return this.#skip(1, LETTER_ESCAPES[rest[0]] ?? rest.charCodeAt(0));
  }

  #skip(length: number, code: number): number {
    this.#at += length;
    return code;
  }

  #class(): CharacterSet {
    const isNegated = this.#takes('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#takes(']')) {
      const from = this.#member();
      const isRange = this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']';
      if (!isRange) {
        ranges.push(...from);
        continue;
      }
      this.#at++;
      const to = this.#member();
      const [first, last] = [from, to].map((set) => (set.length === 1 ? set[0] : undefined));
      if (first && last && first[0] === first[1] && last[0] === last[1])
        ranges.push([first[0], last[0]]);
      else ranges.push(...from, ...to, [0x2d, 0x2d]); // a class is no end of a range
    }
    const set = this.#cased(unionOf(ranges));
    return isNegated ? complementOf(set) : set;
  }

  /** One character of a class, or all of an escape such as `\d`. */
  #member(): CharacterSet {
    const character = this.#source[this.#at++];
    if (character !== '\\') return single(character.charCodeAt(0));
    const letter = this.#source[this.#at];
    const set = CLASS_ESCAPES[letter];
    if (set !== undefined) {
      this.#at++;
      return set;
    }
    if (letter === 'b') return single(this.#skip(1, 8));
    return single(this.#escapedCode(true));
  }

  #character(code: number): RegexpNode {
    return { kind: 'set', set: this.#cased(single(code)) };
  }

  #cased(set: CharacterSet): CharacterSet {
    return this.#ignoreCase ? ignoringCase(set) : set;
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}

const single = (code: number): CharacterSet => [[code, code]];
