/**
 * The main text of a page: which of its blocks its author wrote for this page.
 *
 * First form: blocks outside menus with few link words.
 */
import { type Block, type PageBlocks, PLACE } from './block.ts';

export interface MainTextOptions {
  /** Whether a block stands on many pages of its site (repeats.ts). */
  readonly repeats?: ((block: Block) => boolean) | undefined;
}

/** The blocks of the main text, in order. */
export function mainBlocks(page: PageBlocks, options: MainTextOptions = {}): Block[] {
  const { repeats } = options;
  return page.blocks.filter(
    (block) =>
      block.words > 0 &&
      (block.place & (PLACE.aside | PLACE.notice | PLACE.comment)) === 0 &&
      2 * block.linkWords < block.words &&
      !repeats?.(block),
  );
}

/** Blocks as text: one block a line (and the lines within blocks). */
export function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => block.text).join('\n');
}
