/**
 * The attributes of one tag, as positions in the bytes of a page.
 *
 * Idea      One walk over the tag finds its `>` and the attributes before it; a string is made only
 *           for a value that is requested.
 * Requires  the bytes of a page and the same bytes as Latin-1, so that positions agree.
 * Ensures   the attributes that the tokenizer of the HTML standard sees, at most `MAX_ATTRIBUTES`.
 * Cost      one pass over the tag, no allocation.
 */

/** The roles of a character in a tag, as bits. */
const SPACE = 1;
export const ENDS_NAME = 2;
const ENDS_ATTRIBUTE_NAME = 4;
const ENDS_UNQUOTED = 8;
export const ROLE = new Uint8Array(256);
for (const c of '\t\n\f\r ')
  ROLE[c.charCodeAt(0)] = SPACE | ENDS_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED;
ROLE[0x2f] = ENDS_NAME | ENDS_ATTRIBUTE_NAME;
ROLE[0x3e] = ENDS_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED;
ROLE[0x3d] = ENDS_ATTRIBUTE_NAME;

const LOWER = Uint8Array.from({ length: 256 }, (_, c) => (c >= 0x41 && c <= 0x5a ? c | 0x20 : c));

const GREATER = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;

/** The most attributes of one tag to record; any further ones are ignored. */
const MAX_ATTRIBUTES = 64;
const SPAN = 4;
/**
 * The attributes of the last scanned tag: name and value, each from and to. All scanners share it,
 * because a page is scanned without interruption.
 */
const spans = new Int32Array(MAX_ATTRIBUTES * SPAN);

export class TagAttributes {
  readonly #bytes: Uint8Array;
  readonly #text: string;

  /** The number of attributes recorded. */
  count = 0;
  /** Whether the tag ends with `/>`. */
  selfClosing = false;
  /** The position after the tag. */
  end = 0;

  constructor(bytes: Uint8Array, text: string) {
    this.#bytes = bytes;
    this.#text = text;
  }

  /** The position of an attribute among those recorded, or -1. The name is in lower case. */
  find(name: string): number {
    for (let i = 0; i < this.count; i++) if (this.isNamed(i, name)) return i;
    return -1;
  }

  /** Whether an attribute has this name, which is in lower case. */
  isNamed(attribute: number, name: string): boolean {
    const start = spans[attribute * SPAN];
    return spans[attribute * SPAN + 1] - start === name.length && isName(this.#bytes, start, name);
  }

  /** The position of the first character of an attribute's name. */
  nameStart(attribute: number): number {
    return spans[attribute * SPAN];
  }

  valueStart(attribute: number): number {
    return spans[attribute * SPAN + 2];
  }

  valueEnd(attribute: number): number {
    return spans[attribute * SPAN + 3];
  }

  /**
   * Walks the attributes of a tag whose name ends at `at`, and its `>`. False if the page ends
   * first: then there is no such tag. Hot and long: one loop holds all attribute states of the
   * standard's tokenizer.
   */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop holds all states.
  walk(at: number, record: boolean): boolean {
    const bytes = this.#bytes;
    const length = bytes.length;
    let count = 0;
    let slash = -1;
    while (at < length) {
      const c = bytes[at];
      if (c === GREATER) {
        this.selfClosing = slash === at - 1; // in `<a href=x/>` the slash is part of the value
        this.count = count;
        this.end = at + 1;
        return true;
      }
      if ((ROLE[c] & SPACE) !== 0 || c === SLASH) {
        if (c === SLASH) slash = at;
        at++;
        continue;
      }

      // A name: at least one character, of any kind.
      const nameStart = at++;
      while (at < length && (ROLE[bytes[at]] & ENDS_ATTRIBUTE_NAME) === 0) at++;
      const nameEnd = at;
      while (at < length && (ROLE[bytes[at]] & SPACE) !== 0) at++;

      // A value, if an equals sign follows.
      let valueStart = nameEnd;
      let valueEnd = nameEnd;
      if (bytes[at] === EQUALS) {
        at++;
        while (at < length && (ROLE[bytes[at]] & SPACE) !== 0) at++;
        const quote = bytes[at];
        if (quote === QUOTE || quote === APOSTROPHE) {
          valueStart = at + 1;
          valueEnd = this.#text.indexOf(quote === QUOTE ? '"' : "'", valueStart);
          if (valueEnd < 0) break;
          at = valueEnd + 1;
        } else {
          valueStart = at;
          while (at < length && (ROLE[bytes[at]] & ENDS_UNQUOTED) === 0) at++;
          valueEnd = at;
        }
      }
      if (record && count < MAX_ATTRIBUTES) {
        const span = count++ * SPAN;
        spans[span] = nameStart;
        spans[span + 1] = nameEnd;
        spans[span + 2] = valueStart;
        spans[span + 3] = valueEnd;
      }
    }
    this.count = 0;
    this.end = length;
    return false;
  }
}

/**
 * Whether the bytes at `start` spell the name, which is in lower case; the length is known to
 * agree.
 */
export function isName(bytes: Uint8Array, start: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if (LOWER[bytes[start + i]] !== name.charCodeAt(i)) return false;
  }
  return true;
}
