/** The pages that traps invent: a title, some text, a list of links. */
import { type Answer, HTML_TYPE } from './answer.ts';
import { poolOf } from './paths.ts';
import type { SmallResource } from './resource.ts';
import type { Web } from './web.ts';
import { Random, TAG } from './words/random.ts';
import { phraseOf, Reader } from './words/text.ts';

export function makeSmallPage(
  web: Web,
  { domain, key, heading, addresses }: SmallResource,
): Answer {
  const pool = poolOf(domain);
  const words = new Random(web.world.seed ^ TAG.wildcard, domain.index, key, 0);
  const title = phraseOf(pool, words);
  let html = `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>${title}</title></head><body>\n<h1>${title}${heading === undefined ? '' : ` ${heading}`}</h1>\n`;
  html += `<p>${new Reader(pool, words).read(1500 + words.below(6000))}</p>\n<ul>\n`;
  for (const address of addresses)
    html += `<li><a href="${address.replaceAll('&', '&amp;')}">${phraseOf(pool, words)}</a>\n`;
  return { status: 200, headers: HTML_TYPE, body: `${html}</ul>\n</body></html>\n` };
}
