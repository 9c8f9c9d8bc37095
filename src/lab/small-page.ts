/** The pages that traps invent: a title, some text, a list of links. */
import { type Answer, HTML_TYPE } from './answer.ts';
import { writerOf } from './page.ts';
import { poolOf } from './paths.ts';
import type { SmallResource } from './resource.ts';
import { shownTo, type Visitor } from './tricks/manner.ts';
import { hiddenText, markupOf, titleOf } from './tricks/markup.ts';
import type { Web } from './web.ts';
import { exp, Random, TAG } from './words/random.ts';
import { phraseOf, Reader } from './words/text.ts';

const SIZE_MEDIAN = 9000;
const SIZE_SIGMA = 0.8;
const MOST_BYTES = 200_000;
const PARAGRAPH = 900;

export function makeSmallPage(
  web: Web,
  { domain, key, heading, addresses }: SmallResource,
  seenBy: Visitor,
): Answer {
  const pool = poolOf(domain);
  const words = new Random(web.world.seed ^ TAG.wildcard, domain.index, key, 0);
  const manner = shownTo(domain.manner, seenBy);
  const reader = manner ? writerOf(domain, manner, 0, words) : new Reader(pool, words);
  const title = manner ? titleOf(pool, words, reader, manner) : phraseOf(pool, words);
  let html = `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>${title}</title></head><body>\n<h1>${title}${heading === undefined ? '' : ` ${heading}`}</h1>\n`;
  if (reader instanceof Reader) html += `<p>${reader.read(1500 + words.below(6000))}</p>\n`;
  else {
    // As long as the pages of any site.
    const bytes = Math.min(MOST_BYTES, SIZE_MEDIAN * exp(SIZE_SIGMA * words.normal()));
    const [open, close] = markupOf(domain.manner);
    for (let left = bytes; left > 0; left -= PARAGRAPH)
      html += open + reader.read(Math.min(left, PARAGRAPH)) + close;
    html += hiddenText(domain, key, reader, bytes);
  }
  html += '<ul>\n';
  for (const address of addresses)
    html += `<li><a href="${address.replaceAll('&', '&amp;')}">${phraseOf(pool, words)}</a>\n`;
  return { status: 200, headers: HTML_TYPE, body: `${html}</ul>\n</body></html>\n` };
}
