/**
 * The judge: from the outcomes of requests to verdicts on pages.
 *
 *   test(page) ─► ask for its URL ─► redirect? ask for its target ─► 200 with another text?
 *              ask the host for a URL that cannot exist ─► verdict
 *
 * Idea      A verdict may need several requests: the page, the targets of its redirects, and once
 *           for each host a made-up URL, which shows what its "not found" looks like. Each URL is
 *           asked for once, for all pages. The judge is a function of the outcomes: given those
 *           of earlier runs first, it asks for none of them again.
 * Requires  each ask has one outcome, in any order.
 * Ensures   one verdict for each page tested. `moved` may later become `gone`, when the redirects
 *           of four pages end at the same URL: then these pages are judged again. A host without a
 *           name is asked for once: all its other pages have the same verdict without a request.
 * Cost      some 300 bytes for each outcome.
 */
import type { Ask, Outcome } from '../../crawl/planned/ask.ts';
import { SAME_TEXT, similarity } from '../../duplicates/fingerprint.ts';
import { questionBeside } from '../../duplicates/soft-errors.ts';
import { hostOf, originOf, pathOf } from '../../url/parts.ts';
import { type Judged, MANY_OTHERS, type TestName, verdictOf } from '../verdict.ts';

interface JudgeParts {
  readonly test: TestName;
  readonly maxRedirects: number;
  readonly ask: (ask: Ask) => void;
  /** Called with the verdict on a page, and again if it is revised. */
  readonly onVerdict: (page: number, judged: Judged) => void;
}

/** A page under test. */
interface Tested {
  readonly page: number;
  readonly url: string;
}

/** A host's answer to HEAD cannot be used. */
const REFUSES_HEAD = new Set([400, 405, 501]);
const BREAKS_AT_HEAD = new Set(['reset', 'empty-response', 'bad-response']);

export class Judge {
  readonly #parts: JudgeParts;
  readonly #results = new Map<string, Outcome>();
  readonly #asked = new Set<string>();
  /** Who waits for the outcome of a URL. */
  readonly #waiting = new Map<string, Tested[]>();
  /** The made-up URL of each origin. */
  readonly #questions = new Map<string, string>();
  /** Origins whose pages are requested with GET although the test is `head`. */
  readonly #getOnly = new Set<string>();
  /** Hosts without a name, with the fault. */
  readonly #nameless = new Map<string, Outcome>();
  /** Living ends of redirects, and the pages that lead there. */
  readonly #ends = new Map<string, Tested[]>();

  /** `known`: the outcomes of earlier runs. */
  constructor(parts: JudgeParts, known: readonly Outcome[] = []) {
    this.#parts = parts;
    for (const outcome of known) this.#keep(outcome);
  }

  /** Requests that were made, over all runs. */
  get requests(): number {
    return this.#results.size;
  }

  /** Tests a page. Its verdict may come before this returns. */
  test(page: number, url: string): void {
    this.#judge({ page, url });
  }

  heard(outcome: Outcome): void {
    this.#asked.delete(outcome.url);
    if (!this.#keep(outcome)) {
      this.#request(outcome.url);
      return;
    }
    const waiting = this.#waiting.get(outcome.url) ?? [];
    this.#waiting.delete(outcome.url);
    for (const tested of waiting) this.#judge(tested);
  }

  /** False if the outcome says nothing: the URL is to be requested with GET. */
  #keep(outcome: Outcome): boolean {
    const { url, method, status, fault = '' } = outcome;
    const refused = REFUSES_HEAD.has(status ?? 0) || BREAKS_AT_HEAD.has(fault);
    if (method === 'HEAD' && (refused || this.#getOnly.has(originOf(url)))) {
      this.#getOnly.add(originOf(url));
      return false;
    }
    this.#results.set(url, outcome);
    if (fault.startsWith('dns-')) this.#nameless.set(hostOf(url), outcome);
    return true;
  }

  #judge(tested: Tested): void {
    const needed = this.#tryToDecide(tested);
    if (needed !== undefined) this.#wait(tested, needed);
  }

  /**
   * Decides about a page; or returns the URL whose outcome is needed first. `revises`: the verdicts
   * on other pages may change with it.
   */
  #tryToDecide(tested: Tested, revises = true): string | undefined {
    const first = this.#outcomeOf(tested.url);
    if (!first) return tested.url;
    const { end, next } = this.#follow(tested.url);
    if (next !== undefined) return next;
    let isSoft = false;
    if (end?.page === 'other') {
      const answer = this.#follow(this.#questionFor(end.url));
      if (answer.next !== undefined) return answer.next;
      if (end.method === 'HEAD' && answer.end?.status === 200) {
        // Its status alone says nothing: the text is needed.
        this.#getOnly.add(originOf(end.url));
        this.#results.delete(end.url);
        return end.url;
      }
      isSoft = answer.end !== undefined && isAlike(end, answer.end);
    }
    this.#decide(tested, first, end, isSoft, revises);
    return undefined;
  }

  #decide(
    tested: Tested,
    first: Outcome,
    end: Outcome | undefined,
    isSoft: boolean,
    revises: boolean,
  ): void {
    const moved = first.target !== undefined && end !== undefined;
    const others = moved ? this.#othersAt(end.url, tested) : [];
    const verdict = verdictOf({
      ...{ first, end, isSoft },
      wasFront: isFront(tested.url),
      endIsFront: moved && isFront(end.url),
      others: others.length,
    });
    const last = end ?? first;
    const { status, fault, time } = last;
    const address = moved ? end.url : undefined;
    this.#parts.onVerdict(tested.page, { verdict, status, fault, time, address });
    if (!revises || others.length !== MANY_OTHERS) return;
    // The page is one too many: those that had moved there have not.
    for (const other of others) this.#tryToDecide(other, false);
  }

  /** The other pages whose redirects end at a URL. */
  #othersAt(url: string, tested: Tested): Tested[] {
    const pages = this.#ends.get(url) ?? [];
    this.#ends.set(url, pages);
    if (!pages.some(({ page }) => page === tested.page)) pages.push(tested);
    return pages.filter(({ page }) => page !== tested.page);
  }

  /**
   * Follows redirects from a URL to their end. `next`: the first URL on the way that has no outcome
   * yet. Without an end they run in a circle, or are too many.
   */
  #follow(from: string): { readonly end?: Outcome; readonly next?: string } {
    let outcome = this.#outcomeOf(from);
    if (!outcome) return { next: from };
    const seen = new Set([from]);
    while (outcome.target !== undefined) {
      const { target }: { target?: string } = outcome;
      if (seen.has(target as string) || seen.size > this.#parts.maxRedirects) return {};
      seen.add(target as string);
      outcome = this.#outcomeOf(target as string);
      if (!outcome) return { next: target as string };
    }
    return { end: outcome };
  }

  #outcomeOf(url: string): Outcome | undefined {
    return this.#results.get(url) ?? this.#withoutHost(url);
  }

  #withoutHost(url: string): Outcome | undefined {
    const nameless = this.#nameless.get(hostOf(url));
    return nameless && { ...nameless, url };
  }

  /** Always the same one for an origin. */
  #questionFor(url: string): string {
    const origin = originOf(url);
    const question = this.#questions.get(origin) ?? questionBeside(`${origin}/`);
    this.#questions.set(origin, question);
    return question;
  }

  #wait(tested: Tested, url: string): void {
    const waiting = this.#waiting.get(url);
    if (waiting) waiting.push(tested);
    else this.#waiting.set(url, [tested]);
    this.#request(url);
  }

  #request(url: string): void {
    if (this.#asked.has(url)) return;
    this.#asked.add(url);
    const { test, ask } = this.#parts;
    const origin = originOf(url);
    // What a made-up URL shows is its text.
    const isQuestion = this.#questions.get(origin) === url;
    const method = test === 'head' && !isQuestion && !this.#getOnly.has(origin) ? 'HEAD' : 'GET';
    ask({ url, method, conditional: test !== 'get' });
  }
}

const isFront = (url: string): boolean => /^\/(?:index\.[a-z]+)?$/i.test(pathOf(url));

/** Two pages with the same text, or the same page. */
function isAlike(one: Outcome, other: Outcome): boolean {
  if (other.status !== 200) return false;
  if (one.url === other.url || (one.digest !== undefined && one.digest === other.digest))
    return true;
  if (one.sketch === undefined || other.sketch === undefined) return false;
  return similarity(wordsOf(one.sketch), 0, wordsOf(other.sketch), 0) >= SAME_TEXT;
}

function wordsOf(sketch: string): Uint32Array {
  const bytes = Uint8Array.from(Buffer.from(sketch, 'hex'));
  return new Uint32Array(bytes.buffer, 0, bytes.length / 4);
}
