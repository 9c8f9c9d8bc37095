/**
 * Sitemaps (sitemaps.org 0.9): lists of a site's pages, and lists of such lists.
 *
 * Idea      Not an XML parser: one pass over the bytes from tag to tag. It knows `urlset`,
 *           `sitemapindex`, `url`, `sitemap`, `loc`, `lastmod` and the date of a news entry, with
 *           any prefix, and skips everything else. It tolerates errors: every entry that can be
 *           recognised counts.
 * Requires  The decoded body. Any bytes are accepted.
 * Ensures   No input makes it fail; at most `most` entries. It resolves only the entities of XML
 *           itself and numeric ones. Nothing is fetched, included or expanded.
 * Cost      Linear in the bytes, about 5 µs per entry on a busy core; memory for the entries.
 */
import { declaredOutside, decode, isAsciiCompatible } from './charset.ts';

export interface SitemapEntry {
  /** As written, with character references resolved. */
  readonly location: string;
  /** The date of the last change, or of publication as news: a date of ISO 8601, as written. */
  readonly changed: string | undefined;
}

export interface Sitemap {
  /** Whether the entries are pages or further sitemaps. */
  readonly kind: 'pages' | 'sitemaps';
  readonly entries: readonly SitemapEntry[];
  /** Whether there are more entries than requested. */
  readonly truncated: boolean;
  /** How many more. */
  readonly cut: number;
}

const OPEN = 0x3c;
const CLOSE = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
/** Longer texts cannot be locations. */
const LONGEST_TEXT = 16 * 1024;
const LONGEST_NAME = 64;
const COMMENT_END = Buffer.from('-->');
const CDATA_END = Buffer.from(']]>');

/** Undefined if the root element is not that of a sitemap. */
export function readSitemap(body: Uint8Array, most: number): Sitemap | undefined {
  const scanner = new SitemapScanner(asciiCompatible(body), most);
  return scanner.scan();
}

/** Converts UTF-16 to UTF-8; all other encodings contain ASCII. */
function asciiCompatible(body: Uint8Array): Buffer {
  const encoding = declaredOutside(body, undefined);
  if (encoding !== undefined && !isAsciiCompatible(encoding))
    return Buffer.from(decode(body, encoding));
  return Buffer.from(body.buffer, body.byteOffset, body.length);
}

const ROOTS: Readonly<Record<string, Sitemap['kind']>> = {
  urlset: 'pages',
  sitemapindex: 'sitemaps',
};
const ENTRIES = new Set(['url', 'sitemap']);

class SitemapScanner {
  readonly #bytes: Buffer;
  readonly #most: number;
  readonly #entries: SitemapEntry[] = [];
  #kind: Sitemap['kind'] | undefined;
  #cut = 0;
  /** Whether the first element is not that of a sitemap. */
  #isElse = false;
  /** The prefix of the protocol's elements, with its colon. */
  #prefix = '';
  #location = '';
  #changed = '';
  #published = '';
  /** The element whose text is being read. */
  #reading: string | undefined;
  #text = '';

  constructor(bytes: Buffer, most: number) {
    this.#bytes = bytes;
    this.#most = most;
  }

  scan(): Sitemap | undefined {
    const bytes = this.#bytes;
    let at = 0;
    for (;;) {
      const tag = bytes.indexOf(OPEN, at);
      const end = tag < 0 ? bytes.length : tag;
      if (this.#reading !== undefined) this.#read(at, end, true);
      if (tag < 0) break;
      at = this.#markup(tag);
      if (at < 0 || (this.#kind === undefined && this.#isElse)) break;
    }
    if (this.#kind === undefined) return undefined;
    this.#endElement();
    this.#endEntry();
    const cut = this.#cut;
    return { kind: this.#kind, entries: this.#entries, truncated: cut > 0, cut };
  }

  /**
   * Handles the markup that begins with this bracket; returns its end, or -1 if it does not end.
   */
  #markup(at: number): number {
    const bytes = this.#bytes;
    const next = bytes[at + 1];
    if (next === BANG) {
      if (bytes[at + 2] === 0x2d && bytes[at + 3] === 0x2d)
        return after(bytes.indexOf(COMMENT_END, at + 4), 3);
      if (bytes.toString('latin1', at + 2, at + 9) === '[CDATA[') return this.#literal(at + 9);
      return after(bytes.indexOf(CLOSE, at), 1);
    }
    const close = bytes.indexOf(CLOSE, at);
    if (close < 0 || next === QUESTION) return after(close, 1);
    const ends = next === SLASH;
    const name = this.#nameAt(ends ? at + 2 : at + 1, close);
    if (ends) this.#ends(name);
    else this.#begins(name, bytes[close - 1] === SLASH);
    return close + 1;
  }

  #literal(at: number): number {
    const end = this.#bytes.indexOf(CDATA_END, at);
    if (this.#reading !== undefined) this.#read(at, end < 0 ? this.#bytes.length : end, false);
    return after(end, 3);
  }

  #nameAt(at: number, limit: number): string {
    let end = at;
    const last = Math.min(limit, at + LONGEST_NAME);
    while (end < last && this.#bytes[end] > 0x20 && this.#bytes[end] !== SLASH) end++;
    return this.#bytes.toString('latin1', at, end);
  }

  #begins(name: string, isEmpty: boolean): void {
    if (this.#kind === undefined) {
      const colon = name.indexOf(':') + 1;
      this.#kind = Object.hasOwn(ROOTS, name.slice(colon)) ? ROOTS[name.slice(colon)] : undefined;
      this.#isElse = this.#kind === undefined;
      this.#prefix = name.slice(0, colon);
      return;
    }
    this.#endElement();
    const own = this.#own(name);
    if (ENTRIES.has(own)) this.#endEntry();
    else if (
      !isEmpty &&
      (own === 'loc' || own === 'lastmod' || name.endsWith(':publication_date'))
    ) {
      this.#reading = own || 'published';
      this.#text = '';
    }
  }

  #ends(name: string): void {
    this.#endElement();
    if (ENTRIES.has(this.#own(name))) this.#endEntry();
  }

  /** The name without the prefix of the protocol; '' for other names, such as `image:loc`. */
  #own(name: string): string {
    if (!name.startsWith(this.#prefix)) return '';
    const own = name.slice(this.#prefix.length);
    return own.includes(':') ? '' : own;
  }

  #read(from: number, to: number, hasReferences: boolean): void {
    const room = LONGEST_TEXT - this.#text.length;
    const text = this.#bytes.toString('utf8', from, Math.min(to, from + room));
    this.#text += hasReferences ? xmlText(text) : text;
  }

  #endElement(): void {
    if (this.#reading === 'loc') this.#location ||= this.#text.trim();
    else if (this.#reading === 'lastmod') this.#changed ||= this.#text.trim();
    else if (this.#reading === 'published') this.#published ||= this.#text.trim();
    this.#reading = undefined;
  }

  #endEntry(): void {
    const changed = [this.#changed, this.#published].find((text) => DATE.test(text));
    if (this.#location !== '') {
      if (this.#entries.length < this.#most)
        this.#entries.push({ location: this.#location, changed });
      else this.#cut++;
    }
    this.#location = '';
    this.#changed = '';
    this.#published = '';
  }
}

const after = (at: number, length: number): number => (at < 0 ? -1 : at + length);

/** A year, a month, a day, or a time with its zone (W3C's profile of ISO 8601). */
const DATE =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?$/;

const REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/g;
const NAMED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

/** Text with the entities of XML itself and numeric ones resolved. */
export const xmlText = (text: string): string => text.replace(REFERENCE, resolved);

function resolved(reference: string): string {
  const named = NAMED[reference];
  if (named !== undefined) return named;
  const code =
    reference[2] === 'x'
      ? Number.parseInt(reference.slice(3), 16)
      : Number.parseInt(reference.slice(2), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
