/**
 * Answers to requests of rendered pages that the next page of a site asks for again: scripts,
 * styles, fonts, images.
 *
 * Idea      By URL, and bodies by digest: a hundred sites with one framework hold it once. An
 *           answer from here is not stored again: the archive has it since it was fetched.
 * Ensures   At most `most` bytes; what was used the longest ago goes first. An answer is given for
 *           `FRESH`, and never if its server said `no-store`. What scripts ask for as data is never
 *           kept.
 */
import { createHash } from 'node:crypto';
import type { Bytes, Millis } from '../../base/units.ts';
import type { PageRequest, PageResponse } from '../../render/interception.ts';

const FRESH: Millis = 600_000;
const KINDS = new Set(['Script', 'Stylesheet', 'Font', 'Image', 'Media', 'Other']);
/** A larger body would push out too many others. */
const LARGEST: Bytes = 8 * 2 ** 20;
/** Of an answer, beside its URL, headers and body. */
const ENTRY: Bytes = 200;

/** A request as it is made. */
type CachedRequest = Pick<PageRequest, 'url' | 'kind' | 'method' | 'headers'> & {
  /** Without what is the user's. */
  readonly isAnonymous: boolean;
};

interface Kept {
  readonly response: PageResponse;
  readonly digest: string;
  /** What it takes beside the body. */
  readonly own: Bytes;
  readonly until: Millis;
}

export class AnswerCache {
  readonly #most: Bytes;
  /** By URL, the one used last at the end. */
  readonly #answers = new Map<string, Kept>();
  /** By digest: the body, and how many answers have it. */
  readonly #bodies = new Map<string, { readonly body: Uint8Array; answers: number }>();
  #size: Bytes = 0;

  constructor(most: Bytes) {
    this.#most = most;
  }

  get size(): Bytes {
    return this.#size;
  }

  get(request: CachedRequest, now: Millis): PageResponse | undefined {
    const key = keyOf(request);
    const kept = this.#answers.get(key);
    if (!kept) return undefined;
    this.#answers.delete(key);
    if (kept.until <= now) {
      this.#drop(kept);
      return undefined;
    }
    this.#answers.set(key, kept);
    return kept.response;
  }

  put(request: CachedRequest, response: PageResponse, now: Millis): void {
    if (!isKept(request, response)) return;
    const key = keyOf(request);
    const before = this.#answers.get(key);
    this.#answers.delete(key);
    const digest = createHash('sha1').update(response.body).digest('base64');
    const same = this.#bodies.get(digest) ?? { body: response.body, answers: 0 };
    if (same.answers++ === 0) {
      this.#bodies.set(digest, same);
      this.#size += same.body.length;
    }
    if (before) this.#drop(before);
    const shared = { ...response, body: same.body };
    const own = ENTRY + key.length + response.headers.flat().join('').length;
    this.#size += own;
    this.#answers.set(key, { response: shared, digest, own, until: now + FRESH });
    for (const [oldest, kept] of this.#answers) {
      if (this.#size <= this.#most) return;
      this.#answers.delete(oldest);
      this.#drop(kept);
    }
  }

  #drop({ digest, own }: Kept): void {
    this.#size -= own;
    const same = this.#bodies.get(digest);
    if (!same || --same.answers > 0) return;
    this.#bodies.delete(digest);
    this.#size -= same.body.length;
  }
}

/**
 * A server may answer each origin with another permission to read it. What it answers to the user's
 * login is not for pages of other sites.
 */
function keyOf({ url, headers, isAnonymous }: CachedRequest): string {
  const origin = headers.find(([name]) => name.toLowerCase() === 'origin')?.[1] ?? '';
  return `${isAnonymous ? '' : '+'}${origin} ${url}`;
}

function isKept(request: CachedRequest, { status, headers, body }: PageResponse): boolean {
  if (request.method !== 'GET' || status !== 200 || !KINDS.has(request.kind)) return false;
  const control = headers.find(([name]) => name.toLowerCase() === 'cache-control')?.[1] ?? '';
  return body.length <= LARGEST && !/no-store/i.test(control);
}
