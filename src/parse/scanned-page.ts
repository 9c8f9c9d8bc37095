/**
 * The links of a page in two passes of TypeScript: what they are is defined here.
 *
 * The first pass finds the relevant tags and the page's `<base>` and `<meta charset>`, which apply
 * to the whole page, also to what precedes them. It keeps positions only. The second makes strings
 * of the values, and URLs of the strings. `packed-page.ts` does the same faster, for pages that are
 * not too large; this is for the others, and for the texts of links.
 */
import { pageSource, Resolver } from '../url/resolve.ts';
import { linkText } from './link-text.ts';
import {
  MAX_ATTRIBUTE_LENGTH,
  MAX_LINKS,
  type PageContext,
  type ParsedPage,
  type ParseOptions,
  type ShownLink,
} from './parsed-page.ts';
import {
  baseUrl,
  encodingDeclared,
  type Reference,
  ReferenceReader,
  robotsOf,
  urlOptions,
} from './reference-reader.ts';
import { TAG, type Tag, TagScanner } from './tags.ts';
import { type Span, Values } from './values.ts';

/** References that are read, per link that may be returned: most of them have to be repeats. */
const REFERENCES_PER_LINK = 5;
const HASH = 0x23;
/** Up to this many references, each fragment of the page is a reference of its own. */
const ALL_FRAGMENTS = 1000;

interface Found extends Reference {
  /** Where the tag ends. */
  readonly end: number;
}

/** The result of the first pass. */
interface FoundTags {
  readonly bytes: Uint8Array;
  /** The bytes as Latin-1. */
  readonly text: string;
  readonly references: Found[];
  readonly named: Found[];
  base: Span | undefined;
  title: Span | undefined;
  /** The encoding that the first `<meta>` with a known one declares. */
  declared: string | undefined;
  /** Whether an `<a>` without `rel` begins with `#`: it leads to the page itself, or its base. */
  hasFragment: boolean;
  /** References beyond the most that are read. */
  cut: number;
}

export function findTags(bytes: Uint8Array, options: ParseOptions): FoundTags {
  const text = latin1(bytes);
  const scanner = new TagScanner(bytes, text);
  const found: FoundTags = {
    bytes,
    text,
    references: [],
    named: [],
    base: undefined,
    title: undefined,
    declared: undefined,
    hasFragment: false,
    cut: 0,
  };
  const most = REFERENCES_PER_LINK * (options.maxLinks ?? MAX_LINKS);
  for (let tag = scanner.next(); tag !== TAG.end; tag = scanner.next()) {
    if (tag === TAG.base) found.base ??= span(scanner, 'href');
    else if (tag === TAG.title)
      found.title ??= { start: scanner.contentStart, end: scanner.contentEnd };
    else {
      if (tag === TAG.meta) found.declared ??= declaredByMeta(scanner, text);
      keep(tag, scanner, found, most);
    }
  }
  return found;
}

/** Keeps a tag for the second pass, if there is room: `most` references, and as many names. */
function keep(tag: Tag, scanner: TagScanner, found: FoundTags, most: number): void {
  if (tag === TAG.meta) {
    const value = span(scanner, 'content');
    if (value === undefined) return;
    const about = span(scanner, 'http-equiv');
    if (about !== undefined && found.references.length < most)
      found.references.push({ tag, value, about, end: scanner.tagEnd });
    const name = span(scanner, 'name');
    if (name !== undefined && found.named.length < most)
      found.named.push({ tag, value, about: name, end: scanner.tagEnd });
    return;
  }
  const inFrame = tag === TAG.frame || tag === TAG.iframe;
  const value =
    span(scanner, inFrame ? 'src' : 'href') ??
    (scanner.inSvg ? span(scanner, 'xlink:href') : undefined);
  if (value === undefined) return;
  const about = inFrame ? undefined : span(scanner, 'rel');
  // All fragments of the page lead to one URL, so one of them is enough on a page of very many.
  const isFragment = found.text.charCodeAt(value.start) === HASH;
  if (isFragment && found.hasFragment && found.references.length >= ALL_FRAGMENTS) return;
  if (isFragment && tag === TAG.a && about === undefined) found.hasFragment = true;
  if (found.references.length < most)
    found.references.push({ tag, value, about, end: scanner.tagEnd });
  else found.cut++;
}

function span(scanner: TagScanner, name: string): Span | undefined {
  const attribute = scanner.attribute(name);
  if (attribute < 0) return undefined;
  return { start: scanner.valueStart(attribute), end: scanner.valueEnd(attribute) };
}

function declaredByMeta(scanner: TagScanner, text: string): string | undefined {
  const raw = (name: string) => {
    const value = span(scanner, name);
    return value === undefined ? undefined : text.slice(value.start, value.end);
  };
  return encodingDeclared(raw('charset'), raw('http-equiv'), raw('content'));
}

export function readTags(
  found: FoundTags,
  charset: string,
  context: PageContext,
  options: ParseOptions,
): ParsedPage {
  const values = new Values(
    found.bytes,
    found.text,
    charset,
    options.maxAttributeLength ?? MAX_ATTRIBUTE_LENGTH,
  );
  const href = found.base === undefined ? undefined : values.attribute(found.base);
  const base = baseUrl(href, context.url);
  const resolver = new Resolver(base, urlOptions(options));
  const source = pageSource(found.bytes, found.text);
  const reader = new ReferenceReader({
    values,
    resolver,
    charset,
    hasBase: found.base !== undefined,
    plainUrl: ({ start, end }) => resolver.resolvePlain(source, start, end),
  });
  const links = new LinkList(found.references.length, options.maxLinks ?? MAX_LINKS);
  let canonical: string | undefined;
  for (const reference of found.references) {
    const link = reader.read(reference);
    if (link === undefined) continue;
    const hasText = options.texts && link.kind === 'a';
    links.add(hasText ? { ...link, text: linkText(found, values, reference.end) } : link);
    if (link.kind === 'canonical') canonical ??= link.url;
  }
  const cut = found.cut + links.cut;
  return {
    links: links.all,
    packed: undefined,
    base,
    canonical,
    robots: robotsOf(found.named, values, context, options),
    charset,
    title: () => (found.title === undefined ? undefined : values.title(found.title)),
    refused: reader.refused,
    truncated: cut > 0,
    cut,
  };
}

/**
 * The links of a page: to at most `most` URLs. A repeat is kept while there are fewer than `most`
 * links. URLs are compared only on a page that may have too many.
 */
class LinkList {
  readonly all: ShownLink[] = [];
  cut = 0;
  readonly #most: number;
  readonly #urls: Set<string> | undefined;

  constructor(references: number, most: number) {
    this.#most = most;
    this.#urls = references > most ? new Set() : undefined;
  }

  add(link: ShownLink): void {
    const urls = this.#urls;
    // A link to follow is no repeat of one that is not to be followed.
    const key = urls && link.nofollow ? `${link.url} nofollow` : link.url;
    if (urls?.has(key)) {
      if (this.all.length < this.#most) this.all.push(link);
    } else if (urls && urls.size >= this.#most) this.cut++;
    else {
      urls?.add(key);
      this.all.push(link);
    }
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
