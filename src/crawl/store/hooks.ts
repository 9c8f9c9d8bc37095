/**
 * What a program decides while a crawl runs: before each request, after each response, and in the
 * browser.
 */
import type { RenderHooks } from '../../render/hooks.ts';
import type { Page } from './page.ts';

/** A request that is about to be made. */
export interface OutgoingRequest {
  readonly url: string;
  /** Links followed from a seed to the URL. */
  readonly depth: number;
  /** Redirects followed in a row to the URL. */
  readonly redirects: number;
  /** It is part of how a page looks, and no page itself. */
  readonly isRequisite: boolean;
}

/** What to change about a request. */
export interface RequestChange {
  /** Do not make it: the URL is counted as skipped, and no delay follows. */
  readonly skip?: boolean;
  /** Header lines to send, too. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What to do with a response. What is left out is as filters and settings decide. */
export interface ResponseDecision {
  /** False: it is neither stored nor passed on. */
  readonly keep?: boolean;
  /** False: its links are not followed. */
  readonly follow?: boolean;
  /** `first`: its links come before all others of their hosts, and wait for no budget. */
  readonly priority?: 'first';
}

// biome-ignore lint/suspicious/noConfusingVoidType: nothing may be returned.
type Answer<T> = T | undefined | void | Promise<T | undefined | void>;

/** The functions of a program; agents wait for their promises. */
export interface RequestHooks extends RenderHooks {
  readonly beforeRequest?: ((request: OutgoingRequest) => Answer<RequestChange>) | undefined;
  readonly onResponse?: ((page: Page) => Answer<ResponseDecision>) | undefined;
}
