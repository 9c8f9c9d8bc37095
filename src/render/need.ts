/**
 * Does a page need its scripts to show what it has? Decided from the fetched bytes, in one pass.
 *
 * Idea      A page that scripts build is fetched as a shell: scripts, and hardly any text or links.
 *           Many shells also name the element into which they build, or tell visitors without
 *           scripts to switch them on. A page with text and links enough is shown as it is,
 *           whatever scripts it has.
 * Requires  The decoded body, in an encoding in which tags are ASCII.
 * Ensures   Linear in the length of the page, whatever is in it; nothing beyond `MOST_READ` is
 *           read.
 */
import type { Bytes } from '../base/units.ts';

const MOST_READ: Bytes = 256 * 1024;

/** Below this many characters of text, and of links, a page with scripts is a shell. */
const BARE = { text: 250, links: 4 };
/** The same for a page that shows a mount point, or asks for JavaScript. */
const HINTED = { text: 1200, links: 15 };

/** An empty element for a framework to build in; names that their tools give it. */
const MOUNT =
  /<(?:div|main|section|body)\b[^<>]{0,300}?\bid\s*=\s*["']?(?:root|app|__next|__nuxt|__layout|___gatsby|svelte|q-app|react-root|main-app|single-spa-application)["'\s>][^<>]{0,300}?>\s*(?:<\/|<!--|$)|<app-root\b|<[^<>]{1,100}\s(?:ng-app|data-reactroot|data-server-rendered)\b|id\s*=\s*["']?__NEXT_DATA__/i;
const ASKS_FOR_SCRIPTS = /java\s?script/i;

const CONTENT_ENDS: Readonly<Record<string, string>> = {
  script: '</script',
  style: '</style',
  noscript: '</noscript',
  title: '</title',
  template: '</template',
  textarea: '</textarea',
};

interface Seen {
  /** Characters of text, white space collapsed. */
  readonly text: number;
  readonly scripts: number;
  /** A `<noscript>` asks for JavaScript. */
  readonly asks: boolean;
}

/** Whether the page is likely to show more when its scripts have run. */
export function needsScripts(body: Uint8Array, links: number): boolean {
  if (links >= HINTED.links) return false; // whatever else is in it
  const length = Math.min(body.length, MOST_READ);
  const page = Buffer.from(body.buffer, body.byteOffset, length).toString('latin1');
  const { text, scripts, asks } = look(page);
  if (scripts === 0) return false;
  if (text < BARE.text && links < BARE.links) return true;
  const isThin = text < HINTED.text && links < HINTED.links;
  return isThin && (asks || MOUNT.test(page));
}

/** Characters of text that a page shows. */
export function textLength(body: Uint8Array): number {
  const length = Math.min(body.length, MOST_READ);
  return look(Buffer.from(body.buffer, body.byteOffset, length).toString('latin1')).text;
}

/** One pass over the tags. */
function look(page: string): Seen {
  const lower = page.toLowerCase();
  let [text, scripts, asks, at] = [0, 0, false, 0];
  while (at < page.length) {
    const tag = page.indexOf('<', at);
    text += wordsIn(page, at, tag < 0 ? page.length : tag);
    if (tag < 0) break;
    if (lower.startsWith('<!--', tag)) {
      at = after(lower.indexOf('-->', tag + 4), 3, page);
      continue;
    }
    const name = nameAt(lower, tag + 1);
    const end = after(page.indexOf('>', tag), 1, page);
    at = end;
    const close = CONTENT_ENDS[name];
    if (close === undefined) continue;
    const until = lower.indexOf(close, end);
    const content = until < 0 ? page.length : until;
    if (name === 'script' && !isData(lower.slice(tag, Math.min(end, tag + 500)))) scripts++;
    if (
      name === 'noscript' &&
      ASKS_FOR_SCRIPTS.test(page.slice(end, Math.min(content, end + 2000)))
    )
      asks = true;
    at = content;
  }
  return { text, scripts, asks };
}

const after = (found: number, length: number, page: string): number =>
  found < 0 ? page.length : found + length;

function nameAt(lower: string, at: number): string {
  let end = at;
  while (end < at + 10 && lower.charCodeAt(end) >= 0x61 && lower.charCodeAt(end) <= 0x7a) end++;
  return lower.slice(at, end);
}

/** A script that holds data, such as JSON-LD, builds nothing. */
const isData = (tag: string): boolean => /\stype\s*=\s*["']?[^"'\s>]*json/.test(tag);

/** Characters that are no white space, between two places. */
function wordsIn(page: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (page.charCodeAt(i) > 0x20) count++;
  return count;
}
