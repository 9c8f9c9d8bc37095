/**
 * What is at an address, before it is written: a page of the site, a small page that a trap
 * invents, or a complete answer.
 *
 * It is used in two ways: for the bytes that a server sends (`Web.answer`), and for the links alone
 * (`glimpseOf`), for simulations that crawl millions of pages and read none.
 */
import type { Answer } from './answer.ts';
import type { Domain } from './domain.ts';

export type Resource = PageResource | SmallResource | OtherResource;

export interface PageResource {
  readonly is: 'page';
  readonly domain: Domain;
  readonly page: number;
  /** The requested target, if links have session ids that depend on it. */
  readonly session?: string;
  /** Requested by an address other than its own. */
  readonly alias?: boolean;
}

/** Some text and some links, all decided by `key`. */
export interface SmallResource {
  readonly is: 'small';
  readonly domain: Domain;
  readonly key: number;
  /** A heading above the text, if it differs from other pages with this key. */
  readonly heading?: string;
  /** Links as on the page: absolute, or relative to it. */
  readonly addresses: readonly string[];
}

/** Redirects, refusals, and answers that are not HTML: only `location` is followed. */
interface OtherResource {
  readonly is: 'other';
  readonly domain: Domain;
  readonly answer: Answer;
}
