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
/** Short blocks in a row that may stand between prose. */
const GAP = 8;

const ARTICLE = numberOf('article');
const AGAINST = PLACE.aside | PLACE.notice | PLACE.comment;

/** What a block is. */
const PROSE = 3;
const SHORT = 2;
const HEADING = 1;
const LINKS = 0;

/** The blocks of the main text, in order. */
export function mainBlocks(page: PageBlocks, options: MainTextOptions = {}): Block[] {
  const kinds = Uint8Array.from(page.blocks, kindOf);
  const places = placesOf(page, kinds);
  const wanted = candidates(page, kinds, places, options.repeats);
  let prose = proseOf(page, kinds, wanted);
  if (total(prose) < FEW) {
    page.blocks.forEach((block, i) => {
      if (kinds[i] === SHORT && block.words >= 3) kinds[i] = PROSE;
    });
    prose = proseOf(page, kinds, wanted);
  }
  const place = textPlace(page, prose);
  const inside = descendants(page, place);
  const within = page.blocks.map((block, i) => wanted[i] === 1 && inside[block.element] === 1);
  return kept(page.blocks, kinds, within);
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
  if (block.words === 0) return LINKS;
  if (block.linkWords > MOST_LINKED * block.words) return block.heading > 0 ? HEADING : LINKS;
  if (block.heading > 0) return HEADING;
  const size = sizeOf(block) - block.linkWords;
  if (size >= LONG) return PROSE;
  if (size < MIDDLE) return SHORT;
  return endsSentence(block.text) || hasStopWords(block.text) ? PROSE : SHORT;
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
  let comments = 0;
  for (let e = 1; e < count; e++) {
    places[e] = places[parents[e]] | (hints[e] & PLACE.comment);
    if (places[e] !== 0) comments += own[e];
  }
  const all = prose[0];
  const rest = all - comments;
  const commentsCount = rest < Math.min(FEW * 2, all / 10);
  places[0] = 0;
  for (let e = 1; e < count; e++) {
    let bits = hints[e];
    if ((bits & PLACE.comment) !== 0 && commentsCount) bits &= ~PLACE.comment;
    const most = (bits & (PLACE.content | PLACE.main)) !== 0 ? MUCH : TOO_MUCH;
    if ((bits & AGAINST) !== 0 && prose[e] > most * (commentsCount ? all : rest))
      bits &= (bits & PLACE.comment) !== 0 ? ~0 : ~AGAINST;
    places[e] = places[parents[e]] | bits;
  }
  return places;
}

/**
 * Which blocks may be main text at all: not against, not repeated. If all prose of the page repeats,
 * the page is a copy of others, and what repeats stays.
 */
function candidates(
  page: PageBlocks,
  kinds: Uint8Array,
  places: Int32Array,
  repeats: ((block: Block) => boolean) | undefined,
): Uint8Array {
  const wanted = Uint8Array.from(page.blocks, (block) =>
    block.words === 0 || (places[block.element] & AGAINST) !== 0 ? 0 : 1,
  );
  if (repeats === undefined) return wanted;
  const novel = Uint8Array.from(page.blocks, (block, i) =>
    wanted[i] === 1 && !repeats(block) ? 1 : 0,
  );
  const isCopy =
    total(proseOf(page, kinds, novel)) < FEW && total(proseOf(page, kinds, wanted)) >= COPIED;
  return isCopy ? wanted : novel;
}

/** The words of prose in each element itself. */
function proseOf(page: PageBlocks, kinds: Uint8Array, wanted: Uint8Array): Float64Array {
  const prose = new Float64Array(page.elements.parents.length);
  page.blocks.forEach((block, i) => {
    if (kinds[i] === PROSE && wanted[i] === 1)
      prose[block.element] += block.words - block.linkWords;
  });
  return prose;
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The element that holds the text: the deepest whose prose is not mostly in one child. */
function textPlace(page: PageBlocks, own: Float64Array): number {
  const { parents } = page.elements;
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
    if (page.elements.names[place] === ARTICLE) break;
  }
  return place;
}

/** Which elements are in `place`, itself included. */
function descendants(page: PageBlocks, place: number): Uint8Array {
  const { parents } = page.elements;
  const inside = new Uint8Array(parents.length);
  inside[place] = 1;
  for (let e = place + 1; e < parents.length; e++) inside[e] = inside[parents[e]];
  return inside;
}

/** Prose, headings above it, and short blocks between prose. */
function kept(blocks: readonly Block[], kinds: Uint8Array, within: readonly boolean[]): Block[] {
  const result: Block[] = [];
  let waiting: Block[] = [];
  let begun = false;
  blocks.forEach((block, i) => {
    if (!within[i]) return;
    if (kinds[i] === PROSE) {
      const headings = waiting.filter((other) => other.heading > 0);
      const short = begun && waiting.length <= GAP ? waiting : headings.slice(-2);
      result.push(...short, block);
      waiting = [];
      begun = true;
    } else if (kinds[i] !== LINKS) waiting.push(block);
  });
  return result;
}
