/** A fetched page as a user of the library meets it. */
import type { HeaderView } from '../fetch/exchange.ts';
import type { LinkKind } from '../parse/page.ts';

export interface Link {
  /** Canonical. */
  readonly url: string;
  readonly kind: LinkKind | 'redirect';
  /** The link itself asks not to be followed. */
  readonly nofollow: boolean;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: HeaderView;
  /** The body with transfer and content codings removed. */
  readonly body: Uint8Array;
  /** Links of an HTML page, canonical, in the order of the page; a redirect's target is its only link. */
  readonly links: readonly Link[];
  /** Links followed from a seed to here. */
  readonly depth: number;
}
