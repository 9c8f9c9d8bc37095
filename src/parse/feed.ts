/**
 * Feeds: the pages that an RSS or Atom file lists.
 *
 * Idea      Not an XML parser: one pass from tag to tag. In RSS a `<link>` or a `<guid>` holds the
 *           URL as text, in Atom a `<link>` has it as an attribute.
 * Requires  The decoded body. Any bytes are accepted.
 * Ensures   No input makes it fail; at most `most` references, as written. Linear in the bytes.
 */
import { declaredOutside, decode, encodingOfMeta } from './charset.ts';
import { xmlText } from './sitemap.ts';

interface Feed {
  /** What the references are relative to, as the file states it. */
  readonly base: string | undefined;
  readonly references: readonly string[];
  /** References beyond the limit. */
  readonly cut: number;
}

/** The root element must be among the first characters. */
const BEGINNING = 4096;
const ROOT =
  /^(?:\s|\ufeff|<\?[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>)*<(?:[\w.-]+:)?(rss|feed|RDF)\b([^>]*)/;
const MARK =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<(\/?)([\w.:-]+)((?:[^<>"']|"[^"]*"|'[^']*')*)>/g;
/** Kinds of Atom links that lead to pages: the entry itself, and further pages of the feed. */
const PAGES = new Set(['alternate', 'next', 'previous', 'next-archive', 'prev-archive']);

/** Undefined if the root element is not that of a feed. */
export function readFeed(
  body: Uint8Array,
  contentType: string | undefined,
  most: number,
): Feed | undefined {
  const text = textIn(body, contentType);
  const root = ROOT.exec(text.slice(0, BEGINNING));
  if (!root) return undefined;
  const references: string[] = [];
  let cut = 0;
  for (const reference of referencesIn(text)) {
    if (references.length < most) references.push(reference);
    else cut++;
  }
  return { base: attribute(root[2], 'xml:base'), references, cut };
}

function* referencesIn(text: string): Generator<string> {
  for (const { 1: closes, 2: name, 3: attributes, 0: mark, index } of text.matchAll(MARK)) {
    if (name === undefined || closes === '/') continue;
    const isLink = name === 'link' || name === 'atom:link';
    if (!isLink && name !== 'guid') continue;
    const href = attribute(attributes, 'href');
    if (isLink && href !== undefined) {
      if (PAGES.has(attribute(attributes, 'rel') ?? 'alternate')) yield href;
    } else if (!attributes.endsWith('/')) {
      const found = contentAt(text, index + mark.length);
      const isPage = name === 'link' || attribute(attributes, 'isPermaLink') !== 'false';
      if (isPage && /^(?:https?:\/\/|\/)/i.test(found)) yield found;
    }
  }
}

/** The text of an element that begins at `at`: plain, or in a CDATA section. */
function contentAt(text: string, at: number): string {
  const literal = /^\s*<!\[CDATA\[/.exec(text.slice(at, at + 64));
  if (literal) {
    const start = at + literal[0].length;
    return text.slice(start, Math.max(start, text.indexOf(']]>', start))).trim();
  }
  const end = text.indexOf('<', at);
  return end < 0 ? '' : xmlText(text.slice(at, end)).trim();
}

function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : xmlText(value);
}

function textIn(body: Uint8Array, contentType: string | undefined): string {
  const head = Buffer.from(body.subarray(0, 256)).toString('latin1');
  const label = /^[^>]*\bencoding\s*=\s*["']([\w.:-]+)/.exec(head)?.[1];
  const declared = label === undefined ? undefined : encodingOfMeta(label);
  return decode(body, declaredOutside(body, contentType) ?? declared ?? 'UTF-8');
}
