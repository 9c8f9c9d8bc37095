/**
 * The tags of a page that can carry links, in order: a tokenizer that builds nothing for the rest.
 *
 * Idea      A page is mostly text and irrelevant tags. Text is skipped by a native search for `<`.
 *           An irrelevant tag is walked, because a quoted attribute may contain a `<`, but not
 *           recorded. Attributes are pairs of positions in the bytes; a string is made only for a
 *           value that is requested.
 * Requires  An encoding in which a byte below 0x80 between characters is that ASCII character: all
 *           but UTF-16 and ISO-2022-JP. `text` is the bytes as Latin-1, so that positions agree.
 * Ensures   Tags, attributes (the first of a repeated one), comments and raw-text elements as the
 *           tokenizer of the HTML standard sees them. What depends on the tree is approximated as
 *           docs/parse.md states.
 * Cost      One pass, about 2 ns per byte on a page of many tags; linear for any page.
 */
import { ENDS_NAME, isName, ROLE, TagAttributes } from './attributes.ts';
import { ForeignContent } from './foreign.ts';
import { commentEnd, rawTextEnd, scriptEnd } from './rawtext.ts';

/** The tags that `next` returns. */
export const TAG = {
  end: 0,
  a: 1,
  area: 2,
  base: 3,
  frame: 4,
  iframe: 5,
  link: 6,
  meta: 7,
  title: 8,
  /** Any other start tag; returned only on request. */
  other: 31,
} as const;
export type Tag = (typeof TAG)[keyof typeof TAG];

/** Tags that only the scanner needs. */
const SCRIPT = 20;
const STYLE = 21;
const TEXTAREA = 22;
const XMP = 23;
const NOEMBED = 24;
const NOFRAMES = 25;
const PLAINTEXT = 26;
const TEMPLATE = 27;
const SVG = 28;
const MATH = 29;
/** No start tag, or one that is of no use. */
const OTHER = 32;

const NAMES: readonly (readonly [name: string, tag: number])[] = [
  ['a', TAG.a],
  ['area', TAG.area],
  ['base', TAG.base],
  ['frame', TAG.frame],
  ['iframe', TAG.iframe],
  ['link', TAG.link],
  ['meta', TAG.meta],
  ['title', TAG.title],
  ['script', SCRIPT],
  ['style', STYLE],
  ['textarea', TEXTAREA],
  ['xmp', XMP],
  ['noembed', NOEMBED],
  ['noframes', NOFRAMES],
  ['plaintext', PLAINTEXT],
  ['template', TEMPLATE],
  ['svg', SVG],
  ['math', MATH],
];

/** The names by length and first letter, so that one look dismisses most tags. */
const LONGEST_NAME = 9;
const BY_SHAPE: (readonly (readonly [name: string, tag: number])[])[] = [];
for (const entry of NAMES) {
  const shape = shapeOf(entry[0].charCodeAt(0), entry[0].length);
  BY_SHAPE[shape] = [...(BY_SHAPE[shape] ?? []), entry];
}
const SHAPES = new Uint8Array((LONGEST_NAME + 1) * 32);
for (const shape in BY_SHAPE) SHAPES[shape] = 1;

const IS_LETTER = Uint8Array.from({ length: 256 }, (_, c) =>
  /[A-Za-z]/.test(String.fromCharCode(c)) ? 1 : 0,
);

const GREATER = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;

export class TagScanner {
  readonly #bytes: Uint8Array;
  readonly #text: string;
  readonly #foreign = new ForeignContent();
  readonly #attributes: TagAttributes;
  readonly #everyTag: boolean;
  /** The largest kind of tag that `next` returns. */
  readonly #last: number;
  #at = 0;
  #templates = 0;

  /** With `everyTag`: the name of the tag just returned, in lower case. */
  tagName = '';

  /**
   * Whether the `<a>` just returned is one of SVG, where `href` has an older spelling,
   * `xlink:href`.
   */
  inSvg = false;

  /** Start of the content of the raw-text element (`<title>`) just returned. */
  contentStart = 0;
  /** End of the content of the raw-text element (`<title>`) just returned. */
  contentEnd = 0;

  /** With `everyTag`, `next` returns every start tag that has attributes or raw content. */
  constructor(bytes: Uint8Array, text: string, everyTag = false) {
    this.#everyTag = everyTag;
    this.#last = everyTag ? TAG.other : TAG.title;
    this.#bytes = bytes;
    this.#text = text;
    this.#attributes = new TagAttributes(bytes, text);
  }

  /** Continues at a position of the HTML, inside as many templates. */
  resume(at: number, templates: number): void {
    this.#at = at;
    this.#templates = templates;
  }

  /** Templates that are open. */
  get templates(): number {
    return this.#templates;
  }

  /** Whether `<svg>` or `<math>` is open. */
  get inForeign(): boolean {
    return this.#foreign.active;
  }

  /** Advances to the next relevant tag outside templates; then `attribute` finds its attributes. */
  next(): Tag {
    const bytes = this.#bytes;
    const text = this.#text;
    const foreign = this.#foreign;
    let at = this.#at;
    while (true) {
      const open = text.indexOf('<', at);
      if (open < 0) break;
      const first = bytes[open + 1];
      const start = first === SLASH ? open + 2 : open + 1;
      if (IS_LETTER[bytes[start]] !== 1) {
        at = this.#markup(open, first);
        continue;
      }
      let end = start + 1;
      while (end < bytes.length && (ROLE[bytes[end]] & ENDS_NAME) === 0) end++;
      const closing = first === SLASH;
      // Most tags have no attributes and no effect: they are skipped here.
      if (bytes[end] === GREATER && !foreign.active) {
        if (closing ? this.#templates === 0 : SHAPES[shapeOf(bytes[start], end - start)] === 0) {
          at = end + 1;
          continue;
        }
      }
      const tag = closing ? this.#endTag(start, end) : this.#startTag(start, end);
      if (tag <= this.#last && this.#templates === 0)
        return tag <= TAG.title ? (tag as Tag) : TAG.other;
      at = this.#at;
    }
    this.#at = text.length;
    return TAG.end;
  }

  /**
   * The position of an attribute of the current tag among those recorded, or -1. The name is in
   * lower case.
   */
  attribute(name: string): number {
    return this.#attributes.find(name);
  }

  /** Where the tag just returned ends. */
  get tagEnd(): number {
    return this.#at;
  }

  valueStart(attribute: number): number {
    return this.#attributes.valueStart(attribute);
  }

  valueEnd(attribute: number): number {
    return this.#attributes.valueEnd(attribute);
  }

  /** Handles a start tag with the name `start..end` and its raw content; returns its kind. */
  #startTag(start: number, end: number): number {
    this.inSvg = false;
    if (this.#foreign.active) return this.#foreignStartTag(start, end);
    const tag = this.#classify(start, end);
    if (this.#everyTag) this.tagName = this.#text.slice(start, end).toLowerCase();
    if (!this.#walk(end, tag !== OTHER || this.#everyTag)) return OTHER;
    return tag === OTHER ? this.#rest() : this.#enter(tag);
  }

  /** What a tag is that is of no use for links. */
  #rest(): number {
    return this.#everyTag ? TAG.other : OTHER;
  }

  /** The effect of an HTML start tag on what follows it. */
  #enter(tag: number): number {
    switch (tag) {
      case SCRIPT:
        this.#skipContent(scriptEnd(this.#text, this.#at));
        break;
      case TAG.title:
        this.#skipContent(rawTextEnd(this.#text, this.#at, 'title'));
        break;
      case TAG.iframe:
      case STYLE:
      case TEXTAREA:
      case XMP:
      case NOEMBED:
      case NOFRAMES:
        this.#skipContent(rawTextEnd(this.#text, this.#at, nameOf(tag)));
        break;
      case PLAINTEXT:
        this.#at = this.#text.length;
        break;
      case TEMPLATE:
        this.#templates++;
        break;
      case SVG:
        this.#foreign.enter('svg', this.#attributes.selfClosing);
        break;
      case MATH:
        this.#foreign.enter('math', this.#attributes.selfClosing);
        break;
    }
    return tag;
  }

  #foreignStartTag(start: number, end: number): number {
    if (!this.#walk(end, true)) return OTHER;
    const name = this.#text.slice(start, end).toLowerCase();
    const foreign = this.#foreign.start(name, this.#attributes.selfClosing, (attribute) =>
      this.#rawValue(attribute),
    );
    if (this.#everyTag) this.tagName = name;
    if (!foreign) return this.#html(start, end);
    this.inSvg = this.#foreign.inSvg;
    return name === 'a' && this.inSvg ? TAG.a : this.#rest();
  }

  #html(start: number, end: number): number {
    const tag = this.#classify(start, end);
    return tag === OTHER ? this.#rest() : this.#enter(tag);
  }

  #rawValue(name: string): string | undefined {
    const attribute = this.attribute(name);
    return attribute < 0
      ? undefined
      : this.#text.slice(this.valueStart(attribute), this.valueEnd(attribute));
  }

  #endTag(start: number, end: number): number {
    if (!this.#walk(end, false)) return OTHER;
    const closesTemplate = this.#templates > 0 && this.#classify(start, end) === TEMPLATE;
    if (this.#foreign.active) {
      if (closesTemplate) this.#foreign.leave();
      else this.#foreign.end(this.#text.slice(start, end).toLowerCase());
    }
    if (closesTemplate) this.#templates--;
    return OTHER;
  }

  /**
   * Where to continue after a `<` that begins no tag: a comment, a declaration, or a plain
   * character.
   */
  #markup(open: number, first: number): number {
    const text = this.#text;
    if (first !== BANG)
      return first === QUESTION || first === SLASH ? this.#after('>', open + 2) : open + 1;
    if (text.startsWith('--', open + 2)) return commentEnd(text, open);
    if (!this.#foreign.readsHtml && text.startsWith('[CDATA[', open + 2))
      return this.#after(']]>', open + 9);
    return this.#after('>', open + 2);
  }

  #after(mark: string, from: number): number {
    const found = this.#text.indexOf(mark, from);
    return found < 0 ? this.#text.length : found + mark.length;
  }

  /** Skips raw content whose end tag is at `end`, or the rest of the page if there is none. */
  #skipContent(end: number): void {
    this.contentStart = this.#at;
    this.contentEnd = end < 0 ? this.#text.length : end;
    this.#at = this.contentEnd;
  }

  /** Walks the tag whose name ends at `at`; false if the page ends first. */
  #walk(at: number, record: boolean): boolean {
    const complete = this.#attributes.walk(at, record);
    this.#at = this.#attributes.end;
    return complete;
  }

  #classify(start: number, end: number): number {
    const shape = shapeOf(this.#bytes[start], end - start);
    if (SHAPES[shape] === 0) return OTHER;
    // No callback and no regular expression: they would allocate for every link.
    for (const entry of BY_SHAPE[shape]) if (isName(this.#bytes, start, entry[0])) return entry[1];
    return OTHER;
  }
}

/**
 * One number for the length and the first letter of a name, in either case; 0 for names longer than
 * all of ours.
 */
function shapeOf(first: number, length: number): number {
  return length > LONGEST_NAME ? 0 : length * 32 + (first & 31);
}

function nameOf(tag: number): string {
  return NAMES.find((entry) => entry[1] === tag)?.[0] ?? '';
}
