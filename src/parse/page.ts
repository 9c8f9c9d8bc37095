/**
 * Extracts the links of a page from its bytes, resolved and canonical.
 *
 * Idea      Two passes. The first finds the relevant tags and the page's `<base>` and `<meta
 *           charset>`, which apply to the whole page, also to what precedes them. It keeps
 *           positions only. The second makes strings of the values, and URLs of the strings.
 * Requires  The URL of the page, and its decoded body.
 * Ensures   The links that a conformant parser finds, in the order of their tags (docs/parse.md
 *           lists where we differ and why). Never throws, for any bytes. Links to at most
 *           `maxLinks` URLs, and at most twice as many links. `cut` counts what is left out.
 * Cost      About 3.5 µs per kilobyte for a page of many tags, in ASCII or UTF-8.
 */

import type { ParameterList } from '../url/parameters.ts';
import { pageSource, Resolver } from '../url/resolve.ts';
import {
  declaredOutside,
  decode,
  encodingOfContentType,
  encodingOfMeta,
  escapeQuery,
  guessEncoding,
  isAsciiCompatible,
  isPlainAscii,
} from './charset.ts';
import { linkText } from './link-text.ts';
import { refreshTarget } from './refresh.ts';
import { addDirectives, NO_DIRECTIVES, type RobotsDirectives } from './robots-directives.ts';
import { TAG, type Tag, TagScanner } from './tags.ts';
import { type Span, Values } from './values.ts';

export type LinkKind =
  | 'a'
  | 'area'
  | 'frame'
  | 'iframe'
  | 'canonical'
  | 'next'
  | 'prev'
  | 'alternate'
  | 'refresh';

export interface Link {
  /** In canonical form. */
  readonly url: string;
  readonly kind: LinkKind;
  /**
   * Whether the link itself asks not to be followed (`rel=nofollow`); `robots` has what the page
   * asks for all links.
   */
  readonly nofollow: boolean;
}

interface ShownLink extends Link {
  /** What an `<a>` shows, with white space collapsed; only with `texts`. */
  readonly text?: string;
}

interface PageContext {
  /** The absolute URL of the page. */
  readonly url: string;
  /** The `Content-Type` header. */
  readonly contentType?: string | undefined;
  /** The values of all `X-Robots-Tag` headers. */
  readonly robotsHeaders?: readonly string[] | undefined;
}

export interface ParseOptions {
  /** The most URLs to return links to; repeats and fragments do not count. Default 50,000. */
  readonly maxLinks?: number;
  /** Longer attributes are ignored. Default 16 KiB. */
  readonly maxAttributeLength?: number;
  /** The longest canonical URL. Default 2048. */
  readonly maxUrlLength?: number;
  /** Session and tracking parameters to drop from links. */
  readonly drop?: ParameterList;
  /** Whether links have their texts. Default false. */
  readonly texts?: boolean;
  /** Our name in `<meta name>` and in `X-Robots-Tag`, in lower case. Default `drumlin`. */
  readonly agent?: string;
}

export interface ParsedPage {
  readonly links: readonly ShownLink[];
  /** What the links are relative to: the first valid `<base href>`, or the page's URL. */
  readonly base: string;
  /** The first `<link rel=canonical>`. */
  readonly canonical: string | undefined;
  readonly robots: RobotsDirectives;
  /** The encoding of the bytes: a name of the Encoding Standard, or `ascii` if every byte is. */
  readonly charset: string;
  /** The text of the first `<title>` with collapsed white space; computed on demand. */
  readonly title: () => string | undefined;
  /** References that cannot be crawled: other schemes, malformed URLs, too long ones. */
  readonly refused: number;
  /** Whether links are left out because of `maxLinks`. */
  readonly truncated: boolean;
  /** References left out because of `maxLinks`; some of them may repeat others. */
  readonly cut: number;
}

const MAX_LINKS = 50_000;
/** References that are read, per link that may be returned: most of them have to be repeats. */
const REFERENCES_PER_LINK = 5;
const MAX_ATTRIBUTE_LENGTH = 16 * 1024;
const HASH = 0x23;
/** Up to this many references, each fragment of the page is a reference of its own. */
const ALL_FRAGMENTS = 1000;

export function parsePage(
  body: Uint8Array,
  context: PageContext,
  options: ParseOptions = {},
): ParsedPage {
  const outside = declaredOutside(body, context.contentType);
  if (outside !== undefined && !isAsciiCompatible(outside))
    return parseTranscoded(body, outside, context, options);
  const found = findTags(body, options);
  if (isPlainAscii(body)) return readTags(found, 'ascii', context, options);
  const encoding = outside ?? found.declared ?? guessEncoding(body);
  if (!isAsciiCompatible(encoding)) return parseTranscoded(body, encoding, context, options);
  return readTags(found, encoding, context, options);
}

/** UTF-16 and ISO-2022-JP cannot be scanned as bytes: such a page is first converted to UTF-8. */
function parseTranscoded(
  body: Uint8Array,
  encoding: string,
  context: PageContext,
  options: ParseOptions,
): ParsedPage {
  const found = findTags(Buffer.from(decode(body, encoding)), options);
  return { ...readTags(found, 'UTF-8', context, options), charset: encoding };
}

/**
 * A tag with a URL, or a `<meta>`: its target, and what it states about it (`rel`, `http-equiv`,
 * `name`).
 */
interface Found {
  readonly tag: Tag;
  readonly value: Span;
  readonly about: Span | undefined;
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

function findTags(bytes: Uint8Array, options: ParseOptions): FoundTags {
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
  const charset = raw('charset');
  if (charset !== undefined) return encodingOfMeta(charset);
  if (raw('http-equiv')?.toLowerCase() !== 'content-type') return undefined;
  const declared = encodingOfContentType(raw('content') ?? '');
  return declared === undefined ? undefined : encodingOfMeta(declared);
}

function readTags(
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
  const base = baseUrl(found, values, context.url);
  const resolver = new Resolver(base, urlOptions(options));
  const source = pageSource(found.bytes, found.text);
  const links = new LinkList(found.references.length, options.maxLinks ?? MAX_LINKS);
  let canonical: string | undefined;
  let refused = 0;
  for (const { tag, value, about, end } of found.references) {
    const rel = about === undefined ? undefined : values.attribute(about);
    const kind = kindOf(tag, rel);
    if (kind === undefined || values.isTooLong(value)) continue;
    let url =
      kind === 'refresh' ? undefined : resolver.resolvePlain(source, value.start, value.end);
    if (url === undefined) {
      const text = values.attribute(value);
      const reference = kind === 'refresh' && text !== undefined ? refreshTarget(text) : text;
      if (reference === undefined || leadsNowhere(reference, kind, found)) continue;
      url = resolver.resolve(escapeQuery(reference, charset));
    }
    if (url === undefined) refused++;
    else {
      const nofollow = rel !== undefined && NOFOLLOW.test(rel);
      const hasText = options.texts && kind === 'a';
      links.add({ url, kind, nofollow, ...(hasText && { text: linkText(found, values, end) }) });
      if (kind === 'canonical') canonical ??= url;
    }
  }
  const cut = found.cut + links.cut;
  return {
    links: links.all,
    base,
    canonical,
    robots: robotsOf(found, values, context, options),
    charset,
    title: () => (found.title === undefined ? undefined : values.title(found.title)),
    refused,
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

/** A fragment of the page itself is not a link, and a frame without an address is empty. */
function leadsNowhere(reference: string, kind: LinkKind, found: FoundTags): boolean {
  if (reference === '') return kind === 'frame' || kind === 'iframe';
  return found.base === undefined && reference.charCodeAt(0) === 0x23;
}

const word = (name: string) => new RegExp(`(?:^|[\\t\\n\\f\\r ])${name}(?:$|[\\t\\n\\f\\r ])`, 'i');
const NOFOLLOW = word('nofollow');
const STYLESHEET = word('stylesheet');
const LINK_KINDS: readonly (readonly [RegExp, LinkKind])[] = [
  [word('canonical'), 'canonical'],
  [word('next'), 'next'],
  [word('prev(?:ious)?'), 'prev'],
  [word('alternate'), 'alternate'],
];

/** The kind of link of a tag; undefined for a `<link>` or a `<meta>` that is not a link. */
function kindOf(tag: Tag, about: string | undefined): LinkKind | undefined {
  switch (tag) {
    case TAG.a:
      return 'a';
    case TAG.area:
      return 'area';
    case TAG.frame:
      return 'frame';
    case TAG.iframe:
      return 'iframe';
    case TAG.meta:
      return about?.toLowerCase() === 'refresh' ? 'refresh' : undefined;
    default:
      return about === undefined ? undefined : linkKindOf(about);
  }
}

/** The kind of link of a `rel`; undefined for one that is not followed. */
export function linkKindOf(rel: string): LinkKind | undefined {
  if (STYLESHEET.test(rel)) return undefined;
  return LINK_KINDS.find(([pattern]) => pattern.test(rel))?.[1];
}

/**
 * The first `<base href>` counts, and only if it is valid; it may be relative to the page's URL.
 */
function baseUrl(found: FoundTags, values: Values, pageUrl: string): string {
  const href = found.base === undefined ? undefined : values.attribute(found.base);
  if (href === undefined || !URL.canParse(href, pageUrl)) return pageUrl;
  const url = new URL(href, pageUrl);
  return url.protocol === 'data:' || url.protocol === 'javascript:' ? pageUrl : url.href;
}

function urlOptions(options: ParseOptions) {
  return {
    ...(options.maxUrlLength === undefined ? {} : { maxLength: options.maxUrlLength }),
    ...(options.drop === undefined ? {} : { drop: options.drop }),
  };
}

function robotsOf(
  found: FoundTags,
  values: Values,
  context: PageContext,
  options: ParseOptions,
): RobotsDirectives {
  const agent = options.agent ?? 'drumlin';
  let directives = NO_DIRECTIVES;
  for (const line of context.robotsHeaders ?? [])
    directives = addDirectives(directives, line, agent);
  for (const { value, about } of found.named) {
    const name = about === undefined ? undefined : values.attribute(about)?.toLowerCase();
    if (name === 'robots' || name === agent) {
      directives = addDirectives(directives, values.attribute(value) ?? '', agent);
    }
  }
  return directives;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
