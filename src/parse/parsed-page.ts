/** What is read from a page: its links, and what it says about itself. */
import type { PackedUrls } from '../url/packed-urls.ts';
import type { ParameterList } from '../url/parameters.ts';
import type { RobotsDirectives } from './robots-directives.ts';

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

export interface ShownLink extends Link {
  /** What an `<a>` shows, with white space collapsed; only with `texts`. */
  readonly text?: string;
}

export interface PageContext {
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
  /** Whether packed links have their origins. Default false. */
  readonly origins?: boolean;
  /** Our name in `<meta name>` and in `X-Robots-Tag`, in lower case. Default `drumlin`. */
  readonly agent?: string;
}

export interface ParsedPage {
  readonly links: readonly ShownLink[];
  /** The same links without objects, if they were found that way. */
  readonly packed: PackedLinks | undefined;
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

/** The most URLs to return links to. */
export const MAX_LINKS = 50_000;
/** Longer attributes are ignored. */
export const MAX_ATTRIBUTE_LENGTH = 16 * 1024;

/** The kinds by number; those of tags have the numbers of `TAG`. */
const KINDS: readonly LinkKind[] = [
  'a', // no tag has number 0
  'a',
  'area',
  'a', // `<base>` is no link
  'frame',
  'iframe',
  'canonical',
  'next',
  'prev',
  'alternate',
  'refresh',
];

/** Added to the number of the kind. */
const NOFOLLOW = 16;

export const kindNumber = (kind: LinkKind): number => KINDS.lastIndexOf(kind);

/**
 * The links of a page: their URLs in one text, kind and `nofollow` as one number each. Objects are
 * made only for code that asks for them.
 */
export class PackedLinks {
  readonly urls: PackedUrls;
  /**
   * The home pages of the origins that links lead to, each once: what they say about sites needs no
   * more. Only where they are wanted, and not if they are too many.
   */
  readonly origins: PackedUrls | undefined;
  readonly #marks: readonly number[];
  #all: readonly Link[] | undefined;

  /** A mark is the number of the kind, and 16 more for a link that asks not to be followed. */
  constructor(urls: PackedUrls, marks: readonly number[], origins?: PackedUrls) {
    this.urls = urls;
    this.origins = origins;
    this.#marks = marks;
  }

  /** As objects; made once. */
  get all(): readonly Link[] {
    this.#all ??= this.#marks.map((mark, i) => ({
      url: this.urls.at(i),
      kind: KINDS[mark & (NOFOLLOW - 1)],
      nofollow: mark >= NOFOLLOW,
    }));
    return this.#all;
  }

  /** Whether any link asks not to be followed. */
  get hasNofollow(): boolean {
    for (const mark of this.#marks) if (mark >= NOFOLLOW) return true;
    return false;
  }

  /** The first URL of a kind. */
  firstOf(kind: LinkKind): string | undefined {
    const wanted = kindNumber(kind);
    const i = this.#marks.findIndex((mark) => (mark & (NOFOLLOW - 1)) === wanted);
    return i < 0 ? undefined : this.urls.at(i);
  }
}
