/**
 * The links of an HTML page: resolved, canonical and in order, from bytes in any charset.
 *
 * @example
 * ```ts
 * import { linksOf } from 'drumlin/links';
 *
 * const html = '<title>Hills</title> <a href="/drumlins?b=1#top">Drumlins</a>';
 * for (const { url, kind } of linksOf(html, 'https://example.org/hills/')) {
 *   console.log(kind, url); // a https://example.org/drumlins?b=1
 * }
 * ```
 *
 * @module links
 */
import { parsePage as parse } from '../parse/page.ts';
import { readSitemap } from '../parse/sitemap.ts';
import { ParameterList } from '../url/parameters.ts';

/** What kind of tag a link comes from: a tag, the `rel` of a `<link>`, or a `<meta>` refresh. */
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

/** A link of a page. */
export interface PageLink {
  /** The canonical URL that it leads to. */
  readonly url: string;
  /** The tag that it comes from. */
  readonly kind: LinkKind;
  /** Whether the link has `rel=nofollow`. */
  readonly nofollow: boolean;
}

/** What is known about a page beside its bytes, and limits for reading it. */
export interface PageOptions {
  /** The `Content-Type` header, which may name the charset. Default: none. */
  readonly contentType?: string;
  /** The values of all `X-Robots-Tag` headers. Default: none. */
  readonly robotsHeaders?: readonly string[];
  /** The name of the crawler in robots directives, in lower case. Default: `drumlin`. */
  readonly agent?: string;
  /** The most URLs to return links to; repeats and fragments do not count. Default: 50,000. */
  readonly maxLinks?: number;
  /** The longest canonical URL, in characters. Default: 2048. */
  readonly maxUrlLength?: number;
  /** Query parameters to drop from links: names, prefixes (`utm_*`). Default: none. */
  readonly dropParameters?: readonly string[];
}

/** Directives of a page to crawlers, from `<meta name="robots">` and `X-Robots-Tag`. */
export interface RobotsDirectives {
  /** The page asks not to be indexed. */
  readonly noindex: boolean;
  /** The page asks that none of its links is followed. */
  readonly nofollow: boolean;
}

/** An HTML page, parsed for links. */
export interface ParsedPage {
  /** All links in the order of their tags. */
  readonly links: readonly PageLink[];
  /** The URL that links are relative to: the first valid `<base href>`, or that of the page. */
  readonly base: string;
  /** The canonical URL that the page names for itself; undefined if it names none. */
  readonly canonical: string | undefined;
  /** The text of the first `<title>`, white space collapsed; undefined if there is none. */
  readonly title: string | undefined;
  /** What the page asks of crawlers. */
  readonly robots: RobotsDirectives;
  /** The charset of the page: a name of the Encoding Standard, or `ascii`. */
  readonly charset: string;
  /** The number of references that are no http or https URL, or too long. */
  readonly refused: number;
  /** Whether links are left out because of `maxLinks`. */
  readonly truncated: boolean;
  /** The number of references left out because of `maxLinks`; some may repeat others. */
  readonly cut: number;
}

/** A sitemap (sitemaps.org 0.9), or a list of sitemaps. */
export interface Sitemap {
  /** Whether the entries are pages or further sitemaps. */
  readonly kind: 'pages' | 'sitemaps';
  /** The entries in order. */
  readonly entries: readonly SitemapEntry[];
  /** Whether there are more entries than were asked for. */
  readonly truncated: boolean;
  /** How many more. */
  readonly cut: number;
}

/** An entry of a sitemap. */
export interface SitemapEntry {
  /** The URL as it is written, character references resolved. */
  readonly location: string;
  /** When the page was last changed: a date of ISO 8601; undefined if the entry has none. */
  readonly changed: string | undefined;
}

const MOST_ENTRIES = 50_000;

/**
 * The links of an HTML page. Never throws, whatever the bytes.
 *
 * @param html The body without content coding. Text counts as UTF-8.
 * @param url The absolute URL of the page.
 */
export function linksOf(
  html: string | Uint8Array,
  url: string,
  options: PageOptions = {},
): readonly PageLink[] {
  return parsePage(html, url, options).links;
}

/**
 * The links of an HTML page, with its title, charset and directives. Never throws, whatever the
 * bytes.
 *
 * @param html The body without content coding. Text counts as UTF-8.
 * @param url The absolute URL of the page.
 */
export function parsePage(
  html: string | Uint8Array,
  url: string,
  options: PageOptions = {},
): ParsedPage {
  const { contentType, robotsHeaders, dropParameters, agent, maxLinks, maxUrlLength } = options;
  const isText = typeof html === 'string';
  const context = {
    url,
    contentType: isText ? 'text/html; charset=utf-8' : contentType,
    robotsHeaders,
  };
  const { packed: _, ...page } = parse(isText ? Buffer.from(html) : html, context, {
    ...(agent !== undefined && { agent }),
    ...(maxLinks !== undefined && { maxLinks }),
    ...(maxUrlLength !== undefined && { maxUrlLength }),
    ...(dropParameters !== undefined && { drop: new ParameterList(dropParameters) }),
  });
  return { ...page, title: page.title() };
}

/**
 * Reads a sitemap. Never throws: what is broken is skipped.
 *
 * @param xml The body without content coding.
 * @param most The most entries to return. Default: 50,000, the limit of the protocol.
 * @returns The entries, or undefined if the file is not a sitemap.
 */
export function parseSitemap(xml: string | Uint8Array, most = MOST_ENTRIES): Sitemap | undefined {
  return readSitemap(typeof xml === 'string' ? Buffer.from(xml) : xml, most);
}
