/**
 * The main text of a page: the blocks that its author wrote for this page.
 *
 * Idea      1 A block is prose if it is long, has few words in links and, if it is of middle
 *             length, some function words or the end of a sentence.
 *           2 The prose of a page lies in one place. From the root, go to the child that holds most
 *             of the prose, until it is spread over several children.
 *           3 In that place keep the prose, the headings above it and short blocks between it.
 *           Names of elements, roles, classes and ids count for or against; a name against is
 *           ignored if half of the page's prose stands under it. What repeats on the site is left
 *           out first.
 * Requires  blocks and elements as the scanner gives them: a parent has a smaller number.
 * Ensures   depends on the page and `repeats` alone. Blocks in their order.
 * Cost      linear in blocks and elements.
 */
import { type Block, type PageBlocks, PLACE } from './block.ts';
import { numberOf } from './elements.ts';
import { hasStopWords } from './stop-words.ts';

interface MainTextOptions {
  /** Whether a block stands on many pages of its site (repeats.ts). */
  readonly repeats?: ((block: Block) => boolean) | undefined;
}

/**
 * The blocks of a page that may be main text, whatever repeats on its site, and the elements that
 * hold them. Of each block only numbers: texts are needed when the choice is made.
 */
export interface Candidates {
  readonly kinds: Uint8Array;
  readonly words: Int32Array;
  readonly linkWords: Int32Array;
  /** The element of each block. */
  readonly elements: Int32Array;
  /** The parent of each element; it has a smaller number. 0 is the page. */
  readonly parents: Int32Array;
  /** 1 for each element that is an `<article>`. */
  readonly articles: Uint8Array;
}

/** Words of a block that is prose by its length alone. */
const LONG = 25;
/** Words of a block that is prose if it also reads like it. */
const MIDDLE = 10;
/** The most of a block of prose that may be in links. */
const MOST_LINKED = 0.4;
/** A child with this share of the prose of its parent holds the text. */
const HOLDS = 0.85;
/** A name against is ignored on an element with this share of the prose. */
const TOO_MUCH = 0.5;
/** … or with this share, if another name on it is for. */
const MUCH = 0.2;
/** Fewer words of prose are no text: then shorter blocks count, too. */
const FEW = 20;
/** A page with so many words of prose, all of them repeated, is a copy of another page. */
const COPIED = 100;
/** The most blocks and words of prose below a heading that announces another page. */
const TEASER_BLOCKS = 2;
const TEASER_WORDS = 80;
/** A page whose own prose is less than this part of its announcements is a list of them. */
const OWN = 1 / 3;
/** An element with so much of the prose of the page is no list of links. */
const LIST_PROSE = 0.3;
/** Short blocks in a row that may stand between prose. */
const GAP = 8;
/** Headings in a row above a text. */
const MOST_HEADINGS = 2;

const ARTICLE = numberOf('article');
const AGAINST = PLACE.aside | PLACE.notice | PLACE.comment;

/** What a block is. */
const PROSE = 3;
const SHORT = 2;
const HEADING = 1;
const LINKS = 0;

/** The blocks of the main text, in order. */
export function mainBlocks(page: PageBlocks, { repeats }: MainTextOptions = {}): Block[] {
  const { candidates, places } = candidatesOf(page);
  const blockAt = (i: number) => page.blocks[places[i]];
  return mainChoice(candidates, repeats && ((i) => repeats(blockAt(i)))).map(blockAt);
}

/** What may be main text, as far as the page alone tells; `places` are those of its blocks. */
export function candidatesOf(page: PageBlocks): { candidates: Candidates; places: number[] } {
  const all = Uint8Array.from(page.blocks, kindOf);
  const bits = placesOf(page, all);
  const places: number[] = [];
  const dense = linkListsOf(page, all);
  const wanted = page.blocks.map(
    ({ element }) => (bits[element] & AGAINST) === 0 && dense[element] === 0,
  );
  const teasers = teasersOf(page, all, wanted);
  const end = commentsOf(page, all, wanted);
  for (let i = 0; i < end; i++)
    if (all[i] !== LINKS && wanted[i] && teasers[i] === 0) places.push(i);
  const blocks = places.map((i) => page.blocks[i]);
  const { numbers, parents, articles } = ancestorsOf(page, blocks);
  const candidates: Candidates = {
    kinds: Uint8Array.from(places, (i) => all[i]),
    words: Int32Array.from(blocks, ({ words }) => words),
    linkWords: Int32Array.from(blocks, ({ linkWords }) => linkWords),
    elements: Int32Array.from(blocks, ({ element }) => numbers[element]),
    parents,
    articles,
  };
  return { candidates, places };
}

/**
 * Which elements are lists of links with words between: most of their words are in links, and most
 * of the prose of the page stands elsewhere.
 */
function linkListsOf(page: PageBlocks, kinds: Uint8Array): Uint8Array {
  const { parents } = page.elements;
  const count = parents.length;
  const [words, linked, prose] = [0, 1, 2].map(() => new Float64Array(count));
  page.blocks.forEach((block, i) => {
    words[block.element] += block.words;
    linked[block.element] += block.linkWords;
    if (kinds[i] === PROSE) prose[block.element] += block.words - block.linkWords;
  });
  for (let e = count - 1; e > 0; e--) {
    words[parents[e]] += words[e];
    linked[parents[e]] += linked[e];
    prose[parents[e]] += prose[e];
  }
  const lists = new Uint8Array(count);
  for (let e = 1; e < count; e++) {
    const isList = linked[e] > MOST_LINKED * words[e] && prose[e] < LIST_PROSE * prose[0];
    lists[e] = lists[parents[e]] === 1 || isList ? 1 : 0;
  }
  return lists;
}

/**
 * Which blocks announce other pages. A heading that is a link names another page, and the few words
 * below it belong to that page; so does a short block between two links. A page that has little
 * else is a list of announcements, and they are its text.
 */
function teasersOf(page: PageBlocks, kinds: Uint8Array, wanted: readonly boolean[]): Uint8Array {
  const { blocks } = page;
  const teasers = new Uint8Array(blocks.length);
  let [own, announced] = [0, 0];
  const words = (from: number, to: number) => {
    let [count, sum] = [0, 0];
    for (let i = from; i < to; i++) {
      if (kinds[i] !== PROSE || !wanted[i]) continue;
      count++;
      sum += blocks[i].words - blocks[i].linkWords;
    }
    return { count, sum };
  };
  for (let start = 0, next: number; start < blocks.length; start = next) {
    next = start + 1;
    while (next < blocks.length && blocks[next].heading === 0) next++;
    const { count, sum } = words(start, next);
    if (isLinked(blocks[start]) && count <= TEASER_BLOCKS && sum <= TEASER_WORDS) {
      teasers.fill(1, start, next);
      announced += sum;
    } else own += sum;
  }
  for (let i = 1; i < blocks.length; i++) {
    if (teasers[i] === 1 || kinds[i] !== PROSE || !wanted[i]) continue;
    const isBetween =
      isLinked(blocks[i - 1]) && (i + 1 === blocks.length || isLinked(blocks[i + 1]));
    if (!isBetween || blocks[i].words >= LONG) continue;
    teasers[i] = 1;
    own -= blocks[i].words - blocks[i].linkWords;
    announced += blocks[i].words - blocks[i].linkWords;
  }
  return own >= OWN * announced ? teasers : new Uint8Array(blocks.length);
}

/** What stands above the comments of readers: nothing but that, a number, or an invitation. */
const COMMENTS =
  /^[^\p{L}]*(?:(?:view |show |see |read )?(?:all |the |latest |recent |reader |user )*comments?|(?:leave|post|add|write|submit) (?:a |your )?(?:comment|reply|response)s?|join the (?:discussion|conversation)|kommentar(?:er?)?|commentaires?|comentarios?|comentários?|commenti|reacties|yorumlar|комментарии|коментарі|komentarze|komentáře|σχόλια|التعليقات|コメント|评论|評論|댓글)(?: \(?\d+\)?| on this (?:story|article|post|page)| so far)*[^\p{L}]*$/iu;
const LONGEST_NAME = 50;

/**
 * Where the comments of readers begin, or the page ends. Only behind a text: a page may be about
 * comments.
 */
function commentsOf(page: PageBlocks, kinds: Uint8Array, wanted: readonly boolean[]): number {
  let before = 0;
  for (const [i, block] of page.blocks.entries()) {
    if (kinds[i] === PROSE && wanted[i]) before += block.words - block.linkWords;
    // A link leads to comments; what stands above them is none.
    else if (before >= COPIED && !isLinked(block) && block.text.length <= LONGEST_NAME) {
      if (COMMENTS.test(block.text)) return i;
    }
  }
  return page.blocks.length;
}

function isLinked({ words, linkWords }: Block): boolean {
  return linkWords > MOST_LINKED * words;
}

/** Lines that all are prose: what a text that exists already consists of. */
export function proseLines(lines: readonly Block[]): Candidates {
  return {
    kinds: new Uint8Array(lines.length).fill(PROSE),
    words: Int32Array.from(lines, ({ words }) => words),
    linkWords: new Int32Array(lines.length),
    elements: new Int32Array(lines.length),
    parents: Int32Array.of(0),
    articles: Uint8Array.of(0),
  };
}

/** The elements that hold some blocks, numbered anew in their order. */
function ancestorsOf(page: PageBlocks, blocks: readonly Block[]) {
  const { parents, names } = page.elements;
  const numbers = new Int32Array(parents.length).fill(-1);
  numbers[0] = 0;
  const held: number[] = [0];
  for (const { element } of blocks) {
    for (let e = element; numbers[e] < 0; e = parents[e]) {
      numbers[e] = 0;
      held.push(e);
    }
  }
  held.sort((a, b) => a - b);
  held.forEach((element, number) => {
    numbers[element] = number;
  });
  return {
    numbers,
    parents: Int32Array.from(held, (element) => numbers[parents[element]]),
    articles: Uint8Array.from(held, (element) => (names[element] === ARTICLE ? 1 : 0)),
  };
}

/** Which candidates are the main text, in order. `repeats`: does a candidate repeat on its site? */
export function mainChoice(page: Candidates, repeats?: (candidate: number) => boolean): number[] {
  const wanted = novelOnes(page, repeats);
  let { kinds } = page;
  let prose = proseOf(page, kinds, wanted);
  if (total(prose) < FEW) {
    kinds = kinds.map((kind, i) => (kind === SHORT && page.words[i] >= 3 ? PROSE : kind));
    prose = proseOf(page, kinds, wanted);
  }
  const place = textPlace(page, prose);
  const inside = descendants(page, place);
  const isInside = (i: number) => wanted[i] === 1 && inside[page.elements[i]] === 1;
  const main = kept(kinds, isInside);
  return [...headingsAbove(page, kinds, wanted, place), ...main];
}

/** Blocks as text: one block a line (and the lines within blocks). */
export function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => block.text).join('\n');
}

/** The size of a block in words; characters that are words count half. */
function sizeOf({ words, text }: Block): number {
  return 2 * words > text.length ? words / 2 : words;
}

function kindOf(block: Block): number {
  if (block.words === 0 || isCopyright(block)) return LINKS;
  if (block.linkWords > MOST_LINKED * block.words) return block.heading > 0 ? HEADING : LINKS;
  if (block.heading > 0) return HEADING;
  const size = sizeOf(block) - block.linkWords;
  if (size >= LONG) return PROSE;
  if (size < MIDDLE) return SHORT;
  return endsSentence(block.text) || hasStopWords(block.text) ? PROSE : SHORT;
}

const COPYRIGHT =
  /^\W*(?:©|\(c\) |copyright\b)|all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos reservados|todos os direitos reservados|tutti i diritti riservati|все права защищены/i;
/** A longer block may be about copyright. */
const LONGEST_COPYRIGHT = 50;

/** Whether a block says only whose the text is. */
function isCopyright({ words, text }: Block): boolean {
  return words <= LONGEST_COPYRIGHT && COPYRIGHT.test(text);
}

const SENTENCE_END = /[.!?…。！？؟।"”»’)]\s*$/;

function endsSentence(text: string): boolean {
  return SENTENCE_END.test(text.slice(-2));
}

/** The bits of each element with those of its parents, without names that say too much. */
function placesOf(page: PageBlocks, kinds: Uint8Array): Int32Array {
  const { parents, hints } = page.elements;
  const count = parents.length;
  const prose = new Float64Array(count);
  const own = new Float64Array(count);
  page.blocks.forEach((block, i) => {
    if (kinds[i] === PROSE) own[block.element] += block.words - block.linkWords;
  });
  prose.set(own);
  for (let e = count - 1; e > 0; e--) prose[parents[e]] += prose[e];
  const places = new Int32Array(count);
  const all = prose[0];
  // A name on an element that holds nearly everything is about the page, not about comments.
  const isComment = (e: number) =>
    (hints[e] & PLACE.comment) !== 0 && all - prose[e] >= Math.min(FEW, all / 10);
  let comments = 0;
  for (let e = 1; e < count; e++) {
    places[e] = places[parents[e]] | (isComment(e) ? PLACE.comment : 0);
    if (places[e] !== 0) comments += own[e];
  }
  const rest = all - comments;
  const commentsCount = rest < Math.min(FEW, all / 10);
  places[0] = 0;
  for (let e = 1; e < count; e++) {
    let bits = hints[e];
    if (commentsCount || !isComment(e)) bits &= ~PLACE.comment;
    const most = (bits & (PLACE.content | PLACE.main)) !== 0 ? MUCH : TOO_MUCH;
    if ((bits & AGAINST) !== 0 && prose[e] > most * (commentsCount ? all : rest))
      bits &= (bits & PLACE.comment) !== 0 ? ~0 : ~AGAINST;
    places[e] = places[parents[e]] | bits;
  }
  return places;
}

/**
 * Which candidates do not repeat. If all prose of the page repeats, the page is a copy of others,
 * and what repeats stays.
 */
function novelOnes(page: Candidates, repeats: ((candidate: number) => boolean) | undefined) {
  const all = new Uint8Array(page.kinds.length).fill(1);
  if (repeats === undefined) return all;
  const novel = all.map((_, i) => (repeats(i) ? 0 : 1));
  const isCopy =
    total(proseOf(page, page.kinds, novel)) < FEW &&
    total(proseOf(page, page.kinds, all)) >= COPIED;
  return isCopy ? all : novel;
}

/** The words of prose in each element itself. */
function proseOf(page: Candidates, kinds: Uint8Array, wanted: Uint8Array): Float64Array {
  const prose = new Float64Array(page.parents.length);
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === PROSE && wanted[i] === 1)
      prose[page.elements[i]] += page.words[i] - page.linkWords[i];
  }
  return prose;
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The element that holds the text: the deepest whose prose is not mostly in one child. */
function textPlace({ parents, articles }: Candidates, own: Float64Array): number {
  const count = parents.length;
  const prose = own.slice();
  const best = new Int32Array(count);
  for (let e = count - 1; e > 0; e--) {
    const parent = parents[e];
    prose[parent] += prose[e];
    // Children come later than their parents, so all of `e` is known.
    if (best[parent] === 0 || prose[e] >= prose[best[parent]]) best[parent] = e;
  }
  let place = 0;
  for (let child = best[0]; child !== 0; child = best[place]) {
    if (prose[child] < HOLDS * prose[place] || prose[child] === 0) break;
    if (2 * own[child] > prose[child]) break; // a paragraph: the heading stands beside it
    place = child;
    if (articles[place] === 1) break;
  }
  return place;
}

/**
 * The headings that stand directly above the place of the text, as often the title does: their
 * parent holds that place, and no text is between.
 */
function headingsAbove(
  page: Candidates,
  kinds: Uint8Array,
  wanted: Uint8Array,
  place: number,
): number[] {
  const { parents, elements } = page;
  const around = new Uint8Array(parents.length);
  for (let e = place; around[e] === 0; e = parents[e]) around[e] = 1;
  // Elements are numbered as they begin: what stands before the place has a smaller number.
  let at = 0;
  while (at < elements.length && elements[at] < place) at++;
  const headings: number[] = [];
  while (--at >= 0 && headings.length < MOST_HEADINGS) {
    if (wanted[at] === 0) continue;
    if (kinds[at] !== HEADING || around[parents[elements[at]]] === 0) break;
    headings.unshift(at);
  }
  return headings;
}

/** Which elements are in `place`, itself included. */
function descendants({ parents }: Candidates, place: number): Uint8Array {
  const inside = new Uint8Array(parents.length);
  inside[place] = 1;
  for (let e = place + 1; e < parents.length; e++) inside[e] = inside[parents[e]];
  return inside;
}

/** Prose, headings above it, and short blocks between prose. */
function kept(kinds: Uint8Array, isWithin: (candidate: number) => boolean): number[] {
  const result: number[] = [];
  let waiting: number[] = [];
  let begun = false;
  for (let i = 0; i < kinds.length; i++) {
    if (!isWithin(i)) continue;
    if (kinds[i] === PROSE) {
      const headings = waiting.filter((other) => kinds[other] === HEADING);
      const short = begun && waiting.length <= GAP ? waiting : headings.slice(-MOST_HEADINGS);
      result.push(...short, i);
      waiting = [];
      begun = true;
    } else waiting.push(i);
  }
  return result;
}
