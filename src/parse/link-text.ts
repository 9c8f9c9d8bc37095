/**
 * The text of a link: what its `<a>` shows.
 *
 * Idea      The text up to the next `<a>` or `</a>`, without tags and comments. An image counts by
 *           its `alt`. A tag that is not about letters separates words.
 * Ensures   White space is collapsed. Never reads more than `MOST_BYTES`, never gives more than
 *           `MOST_CHARACTERS`: a link that is never closed is no text.
 */
import { ENDS_NAME, ROLE, TagAttributes } from './attributes.ts';
import { commentEnd } from './rawtext.ts';
import type { Values } from './values.ts';

interface Source {
  readonly bytes: Uint8Array;
  /** The bytes as Latin-1. */
  readonly text: string;
}

const MOST_BYTES = 4096;
const MOST_CHARACTERS = 200;
/** Tags within a word. */
const LETTERS = new Set(
  'abbr b bdi bdo cite code em font i mark q s small span strong sub sup tt u'.split(' '),
);
/** What they hold is not shown. */
const HIDDEN = new Set('script style template noscript svg math'.split(' '));

export function linkText(source: Source, values: Values, start: number): string {
  const { bytes, text } = source;
  const last = Math.min(text.length, start + MOST_BYTES);
  let found = '';
  let at = start;
  while (at < last && found.length < MOST_CHARACTERS) {
    const next = text.indexOf('<', at);
    const open = next < 0 || next > last ? last : next;
    if (open > at) found += values.text({ start: at, end: open });
    if (open === last) break;
    if (text.startsWith('<!--', open)) {
      at = commentEnd(text, open);
      continue;
    }
    const from = text[open + 1] === '/' ? open + 2 : open + 1;
    let end = from;
    while (end < last && (ROLE[bytes[end]] & ENDS_NAME) === 0) end++;
    const name = text.slice(from, end).toLowerCase();
    if (name === '') {
      found += '<';
      at = open + 1;
      continue;
    }
    if (name === 'a' || HIDDEN.has(name)) break;
    const attributes = new TagAttributes(bytes, text);
    attributes.walk(end, name === 'img');
    at = attributes.end;
    if (!LETTERS.has(name)) found += ' ';
    const alt = name === 'img' ? attributes.find('alt') : -1;
    if (alt >= 0) {
      const span = { start: attributes.valueStart(alt), end: attributes.valueEnd(alt) };
      found += `${values.attribute(span) ?? ''} `;
    }
  }
  return found.replace(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS).trimEnd();
}
