/**
 * From a tag with an address to a link: which kind it is, whether it is to be followed, and its
 * URL.
 */
import type { ParameterList } from '../url/parameters.ts';
import type { Resolver } from '../url/resolve.ts';
import { encodingOfContentType, encodingOfMeta, escapeQuery } from './charset.ts';
import type { Link, LinkKind, PageContext, ParseOptions } from './parsed-page.ts';
import { refreshTarget } from './refresh.ts';
import { addDirectives, NO_DIRECTIVES, type RobotsDirectives } from './robots-directives.ts';
import { TAG, type Tag } from './tags.ts';
import type { Span, Values } from './values.ts';

/** A tag with an address, and what it states about it (`rel`, `http-equiv`, `name`). */
export interface Reference {
  readonly tag: Tag;
  readonly value: Span;
  readonly about: Span | undefined;
}

interface ReaderParts {
  readonly values: Values;
  readonly resolver: Resolver;
  readonly charset: string;
  /** The page has a `<base href>`, valid or not. */
  readonly hasBase: boolean;
  /** The URL of a plain reference, if that can be told from the page; else undefined. */
  readonly plainUrl: (value: Span) => string | undefined;
}

export class ReferenceReader {
  readonly #parts: ReaderParts;
  /** References that cannot be crawled. */
  refused = 0;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** The link of a reference; undefined if it is none. */
  read({ tag, value, about }: Reference): Link | undefined {
    const { values, plainUrl } = this.#parts;
    const rel = about === undefined ? undefined : values.attribute(about);
    const kind = kindOf(tag, rel);
    if (kind === undefined || values.isTooLong(value)) return undefined;
    let url = kind === 'refresh' ? undefined : plainUrl(value);
    if (url === undefined) {
      const text = values.attribute(value);
      const reference = kind === 'refresh' && text !== undefined ? refreshTarget(text) : text;
      if (reference === undefined || this.#leadsNowhere(reference, kind)) return undefined;
      url = this.#resolve(reference);
    }
    if (url === undefined) {
      this.refused++;
      return undefined;
    }
    return { url, kind, nofollow: rel !== undefined && NOFOLLOW.test(rel) };
  }

  #resolve(reference: string): string | undefined {
    const { resolver, charset } = this.#parts;
    return resolver.resolve(escapeQuery(reference, charset));
  }

  /** A fragment of the page itself is not a link, and a frame without an address is empty. */
  #leadsNowhere(reference: string, kind: LinkKind): boolean {
    if (reference === '') return kind === 'frame' || kind === 'iframe';
    return !this.#parts.hasBase && reference.charCodeAt(0) === 0x23;
  }
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
export function baseUrl(href: string | undefined, pageUrl: string): string {
  if (href === undefined) return pageUrl;
  try {
    // No `URL.canParse`: once it is compiled, Node 20 refuses letters beyond ASCII.
    const url = new URL(href, pageUrl);
    return url.protocol === 'data:' || url.protocol === 'javascript:' ? pageUrl : url.href;
  } catch {
    return pageUrl;
  }
}

/** The encoding that a `<meta>` declares, by its attributes as they are written. */
export function encodingDeclared(
  charset: string | undefined,
  httpEquiv: string | undefined,
  content: string | undefined,
): string | undefined {
  if (charset !== undefined) return encodingOfMeta(charset);
  if (httpEquiv?.toLowerCase() !== 'content-type') return undefined;
  const declared = encodingOfContentType(content ?? '');
  return declared === undefined ? undefined : encodingOfMeta(declared);
}

/** How links are made canonical. */
export function urlOptions(options: ParseOptions): {
  readonly maxLength?: number;
  readonly drop?: ParameterList;
} {
  return {
    ...(options.maxUrlLength === undefined ? {} : { maxLength: options.maxUrlLength }),
    ...(options.drop === undefined ? {} : { drop: options.drop }),
  };
}

/** What headers and `<meta name>` tags ask of crawlers. */
export function robotsOf(
  named: Iterable<Omit<Reference, 'tag'>>,
  values: Values,
  context: PageContext,
  options: ParseOptions,
): RobotsDirectives {
  const agent = options.agent ?? 'drumlin';
  let directives = NO_DIRECTIVES;
  for (const line of context.robotsHeaders ?? [])
    directives = addDirectives(directives, line, agent);
  for (const { value, about } of named) {
    const name = about === undefined ? undefined : values.attribute(about)?.toLowerCase();
    if (name === 'robots' || name === agent) {
      directives = addDirectives(directives, values.attribute(value) ?? '', agent);
    }
  }
  return directives;
}
