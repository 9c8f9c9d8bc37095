/**
 * The markup around the text of a page, which honest sites and spammers share, and the text that
 * spammers hide in it.
 */
import { hash, type Random, TAG } from '../words/random.ts';
import { type Pool, phraseOf, type Reader } from '../words/text.ts';
import { carriesSpam, type Manner } from './manner.ts';
import { Writer } from './writer.ts';

/** What opens and closes a paragraph, by layout. */
const LAYOUTS: readonly (readonly [open: string, close: string])[] = [
  ['<p>', ''],
  ['<p class="text">', '</p>\n'],
  ['<div class="entry"><p>', '</p></div>\n'],
  ['<tr><td class="cell">', '</td></tr>\n'],
  ['<section class="block block-wide"><div class="inner"><p>', '</p></div></section>\n'],
];

export function markupOf(manner: Manner | undefined): readonly [open: string, close: string] {
  return LAYOUTS[manner?.layout ?? 0];
}

/** Of a title: some phrases of its topic, and what a trick adds. */
export function titleOf(
  pool: Pool,
  words: Random,
  writer: Writer | Reader,
  manner: Manner | undefined,
): string {
  let title = phraseOf(pool, words);
  for (let more = (manner?.titlePhrases ?? 2) - 1; more > 0; more--)
    title += ` ${phraseOf(pool, words)}`;
  return writer instanceof Writer ? title + writer.titleWords() : title;
}

interface Site {
  readonly world: { readonly seed: number };
  readonly index: number;
  readonly manner: Manner | undefined;
}

const MAX_HIDDEN = 12_000;
/** Hidden text of a compromised page, in bytes. */
const CARRIED = 1400;

/** Text that visitors do not see; '' if there is none. `text` is how many bytes they see. */
export function hiddenText(site: Site, page: number, writer: Writer, text: number): string {
  const { manner, index } = site;
  const { seed } = site.world;
  const bytes =
    manner?.trick === 'hidden'
      ? Math.min(MAX_HIDDEN, manner.strength * text)
      : carriesSpam(seed, index, page, manner)
        ? CARRIED
        : 0;
  if (bytes === 0) return '';
  const way = WAYS[hash(seed, TAG.layout, index) % WAYS.length];
  return `<div style="${way}">${writer.stuffing(bytes)}</div>\n`;
}

const WAYS = ['display:none', 'color:#fff;background:#fff', 'position:absolute;left:-9999px'];
