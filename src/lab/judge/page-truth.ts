/**
 * What became of a page: the truth that a refresh is judged by.
 *
 * A page is alive if its address still answers with a page, or redirects to one that is not the
 * home of its site (unless it was a home itself). It is dead if its host is gone, if it is refused
 * or missing, and if the server only says "not found" with status 200. It changed if the bytes of
 * its body are not what they were.
 */
import { hostOf, pathOf } from '../../url/parts.ts';
import { softNotFound } from '../page-faults.ts';
import type { Resource } from '../resource.ts';
import type { Web } from '../web.ts';

interface PageTruth {
  readonly url: string;
  readonly alive: boolean;
  /** `200`, `404`, `301 <where to>`, `soft 404`, `no host`. */
  readonly answer: string;
  /** Whether a living page has another body than before. */
  readonly changed: boolean;
}

const HOPS = 10;
const SOFT = softNotFound().body;

/** The truth of a URL of the web `then`, in the same web at a later step. */
export function pageTruth(then: Web, now: Web, url: string): PageTruth {
  const first = resourceAt(now, url);
  if (first === undefined) return { url, alive: false, answer: 'no host', changed: false };
  const end = followed(now, url);
  const alive = end !== undefined && (end === url || pathOf(url) === '/' || pathOf(end) !== '/');
  return { url, alive, answer: worded(first), changed: alive && hasChanged(then, now, url, end) };
}

/** The truth of all pages of a finite web. */
export function* pageTruths(then: Web, now: Web): Generator<PageTruth> {
  for (const url of then.allUrls()) yield pageTruth(then, now, url);
}

export const PAGE_TRUTH_HEADING = 'url\talive\tanswer\tchanged';

/** A line of a table with that heading. */
export function truthCells({ url, alive, answer, changed }: PageTruth): string {
  return [url, alive ? 'alive' : 'dead', answer, changed ? 'changed' : '-'].join('\t');
}

function worded(resource: Resource): string {
  if (resource.is !== 'other') return '200';
  const { status, location, body } = resource.answer;
  if (location !== undefined) return `${status} ${location}`;
  return body === SOFT ? 'soft 404' : `${status}`;
}

function resourceAt(web: Web, url: string): Resource | undefined {
  return web.resourceAt(hostOf(url), pathOf(url), url.startsWith('https:'));
}

/** The address at which a living page answers in the end; undefined if none does. */
function followed(web: Web, url: string): string | undefined {
  let at = url;
  for (let hop = 0; hop < HOPS; hop++) {
    const resource = resourceAt(web, at);
    if (!resource) return undefined;
    if (resource.is !== 'other') return at;
    const { status, location, body } = resource.answer;
    if (location === undefined) return status === 200 && body !== SOFT ? at : undefined;
    at = new URL(location, at).href;
  }
  return undefined;
}

function hasChanged(then: Web, now: Web, url: string, end: string): boolean {
  const bodyOf = (web: Web, at: string) =>
    web.answer(hostOf(at), pathOf(at), at.startsWith('https:'))?.body;
  return bodyOf(then, url) !== bodyOf(now, end);
}
