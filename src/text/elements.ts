/**
 * What the elements of HTML mean for text: which end a line, which hide their content, which open a
 * heading or a list.
 *
 * Cost      a look-up by the bytes of a name: one hash and one comparison, no allocation.
 */
import { isName } from '../parse/attributes.ts';

/** What an element does, as bits. */
export const KIND = {
  /** Begins and ends a line of text. */
  block: 1,
  /** Has no content and no end tag. */
  empty: 2,
  /** Its content is not shown. */
  hidden: 4,
  /** Its content is not markup. */
  raw: 8,
  /** A start tag ends an open `<p>`. */
  endsParagraph: 16,
  /** Its text is navigation, a form, a side note or about a picture. */
  aside: 32,
  /** Its text is the main text. */
  main: 64,
} as const;

const { block, empty, hidden, raw, endsParagraph, aside, main } = KIND;
const paragraphLike = block | endsParagraph;

/** The elements that the scanner knows, with their kinds. */
const KINDS: readonly (readonly [names: string, kind: number])[] = [
  ['address blockquote center dir div dl fieldset figure h1 h2 h3 h4 h5 h6 hgroup', paragraphLike],
  ['ol p pre section table ul details summary listing', paragraphLike],
  ['article main', paragraphLike | main],
  ['aside figcaption footer form header menu nav search', paragraphLike | aside],
  ['hr', paragraphLike | empty],
  ['li dt dd', paragraphLike],
  ['body caption html legend optgroup tbody td tfoot th thead tr', block],
  ['a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark math', 0],
  ['nobr q ruby rb rt s samp small span strike strong sub sup time tt u var', 0],
  ['br img wbr area base col embed input link meta param source track keygen frame', empty],
  ['head select datalist noscript object audio video canvas template dialog map rp svg', hidden],
  ['button', hidden],
  ['script style textarea xmp noembed noframes iframe title', raw | hidden],
  ['plaintext', raw],
];

/** The names by number; 0 stands for all other elements. */
export const NAMES: readonly string[] = ['?', ...KINDS.flatMap(([names]) => names.split(' '))];
const KIND_OF: readonly number[] = [
  0,
  ...KINDS.flatMap(([names, kind]) => names.split(' ').map(() => kind)),
];
const LONGEST = Math.max(...NAMES.map((name) => name.length));

const SLOTS = 1024;
const SLOT = new Uint8Array(SLOTS);
NAMES.forEach((name, number) => {
  if (number === 0) return;
  let at = hashOf(Buffer.from(name), 0, name.length);
  while (SLOT[at] !== 0) at = (at + 1) & (SLOTS - 1);
  SLOT[at] = number;
});

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] | 0x20)) | 0;
  return (hash ^ (hash >>> 10)) & (SLOTS - 1);
}

/** The number of the element whose name is `start..end`, in any case; 0 if it is unknown. */
export function elementAt(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > LONGEST) return 0;
  for (let at = hashOf(bytes, start, end); ; at = (at + 1) & (SLOTS - 1)) {
    const number = SLOT[at];
    if (number === 0) return 0;
    const name = NAMES[number];
    if (name.length === end - start && isName(bytes, start, name)) return number;
  }
}

/** The kind of an element, by its number. */
export function kindOf(element: number): number {
  return KIND_OF[element];
}

/** The number of a known element. */
export function numberOf(name: string): number {
  return NAMES.indexOf(name);
}
