/**
 * The blocks of a page: one pass over its bytes, with a stack of the open elements and no tree.
 *
 * Idea      tags come from the attribute walk and the raw-text rules of src/parse. Text between
 *           tags goes into one buffer; a block-level tag ends the block. What an element tells
 *           about its text is inherited as bits on the stack.
 * Requires  bytes in UTF-8 (or ASCII), and the same bytes as Latin-1.
 * Ensures   never throws, for any bytes. Blocks in the order of the page.
 * Cost      linear for any input: the stack has at most `MAX_DEPTH` elements, and beyond that depth
 *           elements are only counted.
 */
import { ENDS_NAME, ROLE, TagAttributes } from '../parse/attributes.ts';
import { decodeReferences } from '../parse/entities.ts';
import { commentEnd, rawTextEnd, scriptEnd } from '../parse/rawtext.ts';
import { type Block, PLACE } from './block.ts';
import { elementAt, KIND, kindOf, NAMES, numberOf } from './elements.ts';
import { HIDDEN, isHiddenStyle, placeOfItem, placeOfName, placeOfRole } from './place-hints.ts';
import { TextBuffer } from './text-buffer.ts';
import { countUtf8Words } from './words.ts';

const MAX_DEPTH = 512;
const LINK = 1 << 21;
const PLACES = HIDDEN - 1;

const GREATER = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;

const A = numberOf('a');
const BR = numberOf('br');
const HTML = numberOf('html');
const BODY = numberOf('body');
const P = numberOf('p');
const LI = numberOf('li');
const DT = numberOf('dt');
const DD = numberOf('dd');
const TD = numberOf('td');
const TH = numberOf('th');
const TR = numberOf('tr');
const UL = numberOf('ul');
const OL = numberOf('ol');
const DL = numberOf('dl');
const TABLE = numberOf('table');
const META = numberOf('meta');
const TITLE = numberOf('title');
const SCRIPT = numberOf('script');
const PLAINTEXT = numberOf('plaintext');
const SVG = numberOf('svg');
const H1 = numberOf('h1');
const H6 = numberOf('h6');

/** The bits that an element adds by its name. */
const ADDS = new Int32Array(NAMES.length);
const adds = (names: string, bits: number): void => {
  for (const name of names.split(' ')) ADDS[numberOf(name)] |= bits;
};
adds('ul ol dl dir menu', PLACE.list);
adds('table', PLACE.table);
adds('pre listing plaintext', PLACE.pre);
adds('blockquote', PLACE.quote);
adds('figcaption caption', PLACE.caption);
NAMES.forEach((_, number) => {
  const kind = kindOf(number);
  if ((kind & KIND.hidden) !== 0) ADDS[number] |= HIDDEN;
  if ((kind & KIND.aside) !== 0) ADDS[number] |= PLACE.aside;
  if ((kind & KIND.main) !== 0) ADDS[number] |= PLACE.main;
});

/** Which open element a start tag ends, and which elements it does not look behind. */
const ENDS: readonly (readonly [starts: number[], ends: number[], within: number[]])[] = [
  [[LI], [LI], [UL, OL]],
  [[DT, DD], [DT, DD], [DL]],
  [
    [TD, TH],
    [TD, TH],
    [TR, TABLE],
  ],
  [[TR], [TR], [TABLE]],
];
const ENDED_BY: (readonly [ends: number[], within: number[]])[] = [];
for (const [starts, ends, within] of ENDS)
  for (const start of starts) ENDED_BY[start] = [ends, within];

/** A `<meta>` or a part of the page that tells about it, by its positions. */
interface MetaTag {
  /** `name`, `property`, `itemprop` or `http-equiv`, in lower case. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const MOST_METAS = 256;
const MOST_SCRIPTS = 16;

/** Memory that all scanners share, because a page is scanned without interruption. */
const sharedBuffer = new TextBuffer();
const sharedStack = {
  names: new Uint8Array(MAX_DEPTH),
  bits: new Int32Array(MAX_DEPTH),
  numbers: new Int32Array(MAX_DEPTH),
};

export class BlockScanner {
  readonly #bytes: Uint8Array;
  readonly #text: string;
  readonly #attributes: TagAttributes;
  readonly #buffer = sharedBuffer;
  readonly blocks: Block[] = [];
  readonly elements: { parents: number[]; names: number[]; hints: number[] } = {
    parents: [0],
    names: [0],
    hints: [0],
  };

  /** Positions of the content of the first `<title>`. */
  title: { start: number; end: number } | undefined;
  readonly metas: MetaTag[] = [];
  /** Positions of the contents of `<script type="application/ld+json">`. */
  readonly data: { start: number; end: number }[] = [];
  /** Positions of the value of `<html lang>`. */
  lang: { start: number; end: number } | undefined;

  // The open elements: names, inherited bits, and their numbers among `elements`.
  readonly #names = sharedStack.names;
  readonly #bits = sharedStack.bits;
  readonly #numbers = sharedStack.numbers;
  /** How many elements of each name are open. */
  readonly #open = new Int32Array(NAMES.length);
  #depth = 1;
  /** Open elements beyond `MAX_DEPTH`. */
  #beyond = 0;
  #linkWords = 0;
  #breaks = 0;
  #heading = 0;
  #nextAmpersand = -1;

  constructor(bytes: Uint8Array, text: string) {
    this.#bytes = bytes;
    this.#text = text;
    this.#attributes = new TagAttributes(bytes, text);
    this.#names[0] = this.#bits[0] = this.#numbers[0] = 0;
  }

  scan(): void {
    const bytes = this.#bytes;
    const text = this.#text;
    let at = 0;
    while (at < text.length) {
      const open = text.indexOf('<', at);
      const textEnd = open < 0 ? text.length : open;
      if (textEnd > at) this.#addText(at, textEnd);
      if (open < 0) break;
      const first = bytes[open + 1];
      const closing = first === SLASH;
      const start = closing ? open + 2 : open + 1;
      if (!isLetter(bytes[start])) {
        at = this.#markup(open, first);
        continue;
      }
      let end = start + 1;
      while (end < bytes.length && (ROLE[bytes[end]] & ENDS_NAME) === 0) end++;
      if (bytes[end] === GREATER) {
        this.#attributes.count = 0;
        this.#attributes.selfClosing = false;
        at = end + 1;
      } else {
        const complete = this.#attributes.walk(end, !closing);
        at = this.#attributes.end;
        if (!complete) break;
      }
      const element = elementAt(bytes, start, end);
      if (closing) this.#endTag(element);
      else at = this.#startTag(element, at);
    }
    this.#endBlock();
  }

  /** Where to continue after a `<` that begins no tag. */
  #markup(open: number, first: number): number {
    const text = this.#text;
    if (first === BANG) {
      if (text.startsWith('--', open + 2)) return commentEnd(text, open);
    } else if (first !== QUESTION && first !== SLASH) {
      this.#addText(open, open + 1);
      return open + 1;
    }
    const end = text.indexOf('>', open + 2);
    return end < 0 ? text.length : end + 1;
  }

  #addText(start: number, end: number): void {
    const bits = this.#bits[this.#depth - 1];
    if ((bits & HIDDEN) !== 0) return;
    const bytes = this.#bytes;
    if (this.#nextAmpersand < start) {
      const found = this.#text.indexOf('&', start);
      this.#nextAmpersand = found < 0 ? this.#text.length : found;
    }
    if (this.#nextAmpersand < end) {
      const raw = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
      const source = Buffer.from(decodeReferences(raw.toString('utf8'), 'text'));
      this.#addBytes(source, 0, source.length, bits);
    } else this.#addBytes(bytes, start, end, bits);
  }

  #addBytes(bytes: Uint8Array, start: number, end: number, bits: number): void {
    const lines = (bits & PLACE.pre) !== 0;
    if (!lines && isBlank(bytes, start, end)) {
      this.#buffer.space();
      return;
    }
    this.#breaks = 0;
    this.#buffer.add(bytes, start, end, lines);
    if ((bits & LINK) !== 0) this.#linkWords += countUtf8Words(bytes, start, end);
  }

  #startTag(element: number, at: number): number {
    const kind = kindOf(element);
    if (element === BR) {
      if (this.#breaks++ > 0) this.#endBlock();
      else this.#buffer.breakLine();
      return at;
    }
    if ((kind & KIND.block) !== 0) {
      this.#endBlock();
      this.#endImplied(element, kind);
    } else if (element === A && this.#open[A] > 0) this.#close(A);
    if (element === META) this.#meta();
    if ((kind & KIND.raw) !== 0) return this.#rawText(element, at);
    if ((kind & KIND.empty) !== 0) return at;
    if (this.#attributes.selfClosing && (element === SVG || this.#open[SVG] > 0)) return at;
    this.#push(element, kind);
    return at;
  }

  #push(element: number, kind: number): void {
    if (this.#depth >= MAX_DEPTH) {
      this.#beyond++;
      return;
    }
    const parent = this.#depth - 1;
    let number = this.#numbers[parent];
    const isBlock = (kind & KIND.block) !== 0;
    // The body of a page is shown even if its head was never closed.
    const inherited = element === BODY ? this.#bits[parent] & ~HIDDEN : this.#bits[parent];
    let own = ADDS[element];
    if (element === A && this.#attributes.find('href') >= 0) own |= LINK;
    if (this.#attributes.count > 0) own |= this.#hints(element, isBlock);
    if (isBlock) {
      this.elements.parents.push(number);
      this.elements.names.push(element);
      this.elements.hints.push(own & PLACES);
      number = this.elements.parents.length - 1;
    }
    const bits = inherited | own;
    this.#names[this.#depth] = element;
    this.#bits[this.#depth] = bits;
    this.#numbers[this.#depth] = number;
    this.#depth++;
    this.#open[element]++;
    if (element >= H1 && element <= H6) this.#heading = element - H1 + 1;
  }

  /** What the attributes of the current tag tell about its text. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop knows all attributes.
  #hints(element: number, isBlock: boolean): number {
    const attributes = this.#attributes;
    let bits = 0;
    for (let i = 0; i < attributes.count; i++) {
      switch (this.#bytes[attributes.nameStart(i)] | 0x20) {
        case 0x61: // a
          if (attributes.isNamed(i, 'aria-hidden') && this.#value(i) === 'true') bits |= HIDDEN;
          break;
        case 0x63: // c
          if (isBlock && attributes.isNamed(i, 'class') && !isRoot(element))
            bits |= placeOfName(this.#value(i));
          break;
        case 0x68: // h
          if (attributes.isNamed(i, 'hidden')) bits |= HIDDEN;
          break;
        case 0x69: // i
          if (isBlock && attributes.isNamed(i, 'id') && !isRoot(element))
            bits |= placeOfName(this.#value(i));
          else if (attributes.isNamed(i, 'itemprop')) bits |= placeOfItem(this.#value(i));
          break;
        case 0x6c: // l
          if (element === HTML && attributes.isNamed(i, 'lang'))
            this.lang ??= { start: attributes.valueStart(i), end: attributes.valueEnd(i) };
          break;
        case 0x72: // r
          if (attributes.isNamed(i, 'role')) bits |= placeOfRole(this.#value(i));
          break;
        case 0x73: // s
          if (attributes.isNamed(i, 'style') && isHiddenStyle(this.#value(i))) bits |= HIDDEN;
          break;
      }
    }
    return bits;
  }

  #value(attribute: number): string {
    return this.#text.slice(
      this.#attributes.valueStart(attribute),
      this.#attributes.valueEnd(attribute),
    );
  }

  /** Ends the elements that a block-level start tag ends without an end tag. */
  #endImplied(element: number, kind: number): void {
    if ((kind & KIND.endsParagraph) !== 0 && this.#open[P] > 0) this.#close(P);
    const ended = ENDED_BY[element];
    if (ended === undefined) return;
    const [ends, within] = ended;
    if (ends.every((name) => this.#open[name] === 0)) return;
    for (let at = this.#depth - 1; at > 0; at--) {
      const name = this.#names[at];
      if (within.includes(name)) return;
      if (ends.includes(name)) {
        this.#popTo(at);
        return;
      }
    }
  }

  #endTag(element: number): void {
    if ((kindOf(element) & KIND.block) !== 0) this.#endBlock();
    if (element === BR) this.#buffer.breakLine();
    if (this.#beyond > 0) this.#beyond--;
    else if (this.#open[element] > 0 && element !== BODY && element !== HTML) this.#close(element);
  }

  /** Closes the innermost open element of a name and all in it. Requires that there is one. */
  #close(element: number): void {
    let at = this.#depth - 1;
    while (this.#names[at] !== element) at--;
    this.#popTo(at);
  }

  #popTo(depth: number): void {
    for (let at = depth; at < this.#depth; at++) {
      const name = this.#names[at];
      this.#open[name]--;
      if (name >= H1 && name <= H6) this.#heading = 0;
    }
    this.#depth = depth;
  }

  #endBlock(): void {
    this.#breaks = 0;
    if (!this.#buffer.isEmpty) {
      const bits = this.#bits[this.#depth - 1];
      const { words, hash } = this.#buffer;
      const text = this.#buffer.take();
      this.blocks.push({
        text,
        words,
        hash,
        linkWords: Math.min(words, this.#linkWords),
        heading: this.#heading,
        place: bits & PLACES,
        element: this.#numbers[this.#depth - 1],
      });
    }
    this.#linkWords = 0;
  }

  /** Skips content that is no markup; keeps what a title or data in JSON tell. */
  #rawText(element: number, at: number): number {
    const text = this.#text;
    if (element === PLAINTEXT) {
      this.#endBlock();
      this.#addText(at, text.length);
      return text.length;
    }
    const isData = element === SCRIPT && this.#isData();
    const found = element === SCRIPT ? scriptEnd(text, at) : rawTextEnd(text, at, NAMES[element]);
    const end = found < 0 ? text.length : found;
    if (element === TITLE && this.#open[SVG] === 0) this.title ??= { start: at, end };
    if (isData && this.data.length < MOST_SCRIPTS) this.data.push({ start: at, end });
    return end;
  }

  #isData(): boolean {
    const type = this.#attributes.find('type');
    return type >= 0 && /^\s*application\/ld\+json/i.test(this.#value(type));
  }

  #meta(): void {
    const attributes = this.#attributes;
    const content = attributes.find('content');
    if (content < 0 || this.metas.length >= MOST_METAS) return;
    for (const key of ['property', 'name', 'itemprop']) {
      const about = attributes.find(key);
      if (about < 0) continue;
      const name = this.#value(about).slice(0, 64).trim().toLowerCase();
      this.metas.push({
        name,
        start: attributes.valueStart(content),
        end: attributes.valueEnd(content),
      });
    }
  }
}

function isRoot(element: number): boolean {
  return element === HTML || element === BODY;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] > 0x20) return false;
  return true;
}
