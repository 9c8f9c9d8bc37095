/** A block of a page: the text between two block-level tags, and where it stands. */

/** What is known of the place of a block, as bits. */
export const PLACE = {
  /** In `<main>`, `<article>`, `role=main`, `itemprop=articleBody` … */
  main: 1,
  /** In a menu, a header, a footer, a form or a side column, by element, role, class or id. */
  aside: 2,
  /** In a cookie notice, a dialogue, an advertisement, by class or id. */
  notice: 4,
  /** In a list. */
  list: 8,
  /** In a table. */
  table: 16,
  /** In `<pre>`: its lines are those of the page. */
  pre: 32,
  /** In `<blockquote>`. */
  quote: 64,
  /** The caption of a figure or a table. */
  caption: 128,
  /** Below an article: comments of readers, by class or id. */
  comment: 256,
  /** In an element whose class or id names content: `content`, `article`, `post`, `entry` … */
  content: 512,
} as const;

export interface Block {
  /** The text: references resolved, white space collapsed. Lines end at `<br>` and in `<pre>`. */
  readonly text: string;
  /** Its number of words (words.ts). */
  readonly words: number;
  /** 32 bits: the same for the same text. */
  readonly hash: number;
  /** How many of them are in links. */
  readonly linkWords: number;
  /** 1 to 6 in a heading, otherwise 0. */
  readonly heading: number;
  /** Bits of `PLACE`. */
  readonly place: number;
  /** The element that it stands in, a number of the page's `elements`. */
  readonly element: number;
}

/** The elements of a page that hold blocks, each with the number of its parent; 0 is the page. */
interface Elements {
  /** The parent of each element; it has a smaller number. */
  readonly parents: ArrayLike<number>;
  /** The name of each element as a number (elements.ts). */
  readonly names: ArrayLike<number>;
  /** What each element tells about its own text, as bits of `PLACE`; parents add theirs. */
  readonly hints: ArrayLike<number>;
}

/** What the page states about itself. */
export interface PageFacts {
  readonly title: string | undefined;
  readonly author: string | undefined;
  /**
   * When it was published: `YYYY-MM-DD`, with `THH:MM:SS` and an offset where the page has them.
   */
  readonly published: string | undefined;
  readonly description: string | undefined;
  /** `<html lang>`, as written. */
  readonly declaredLanguage: string | undefined;
}

/** A page as blocks, in the order of the page. */
export interface PageBlocks extends PageFacts {
  readonly blocks: readonly Block[];
  readonly elements: Elements;
  /** The encoding of the bytes: a name of the Encoding Standard, or `ascii`. */
  readonly charset: string;
  /** Whether the bytes are text at all: false for images, archives and the like. */
  readonly isText: boolean;
  /** Whether bytes beyond the limit were left out. */
  readonly truncated: boolean;
}
