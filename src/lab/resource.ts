/**
 * What stands at an address, before anything of it is written: which page of the site, which small
 * page that a trap makes up, or an answer that is there already.
 *
 * Two things are made of it: the bytes that a server sends (`Web.answer`), and the links alone
 * (`glimpseOf`), for whoever crawls millions of pages and reads none.
 */
import type { Answer } from './answer.ts';
import type { Domain } from './domain.ts';

export type Resource = PageResource | SmallResource | OtherResource;

export interface PageResource {
  readonly is: 'page';
  readonly domain: Domain;
  readonly page: number;
  /** The target that was asked for, when links are to bear session ids that depend on it. */
  readonly session?: string;
  /** Asked for by another address than its own. */
  readonly alias?: boolean;
}

/** Some text and some links, all decided by `key`. */
export interface SmallResource {
  readonly is: 'small';
  readonly domain: Domain;
  readonly key: number;
  /** Written over its text, where there is something to say that no other page of the key has. */
  readonly heading?: string;
  /** As they stand on the page: absolute, or relative to it. */
  readonly addresses: readonly string[];
}

/** Redirects, refusals, and what is no HTML: nothing in it is followed but `location`. */
export interface OtherResource {
  readonly is: 'other';
  readonly domain: Domain;
  readonly answer: Answer;
}
