/**
 * The inquiry into the robots.txt of an origin (RFC 9309): what to request next, and what follows
 * each outcome. It does no I/O: the agent (`robots-keeper.ts`) and the simulator both use it.
 *
 *   url ─► (request) ─┬─ redirect, at most five ─► another request
 *                     ├─ failure, as often as the retry table says ─► another request
 *                     ├─ failure after the last retry ─► UNREACHABLE, for an hour
 *                     └─ any other response ─► rules, for a day
 *
 * Ensures   how far it has come is kept with the host, so that each request may have its own turn.
 *           While there are no rules, the Crawl-delay of the last ones still holds.
 */
import type { Millis } from '../../base/units.ts';
import { HOLDS, type Host, type RobotsEntry } from '../../frontier/host.ts';
import type { RetryCause } from '../../politeness/retries-and-pauses.ts';
import { type RobotsRules, UNREACHABLE } from '../../robots/parse-robots.ts';

const MAX_REDIRECTS = 5;

export class RobotsInquiry {
  readonly #host: Host;
  readonly #origin: string;
  readonly #before: RobotsEntry | undefined;
  readonly #progress: RobotsEntry['inquiry'];

  /** Begins an inquiry, or resumes the one that the host has. */
  constructor(host: Host, origin: string) {
    this.#host = host;
    this.#origin = origin;
    this.#before = host.robots.get(origin);
    this.#progress =
      this.#before && !this.#before.rules
        ? this.#before.inquiry
        : { url: `${origin}/robots.txt`, hops: 0, failures: 0 };
  }

  /** The file to request next. */
  get url(): string {
    return this.#progress.url;
  }

  /** Notes where the file has moved; false when the redirect is not followed. */
  redirected(target: string | undefined): boolean {
    const { url, hops } = this.#progress;
    if (target === undefined || target === url || hops >= MAX_REDIRECTS) return false;
    this.#continueWith({ url: target, hops: hops + 1, failures: 0 });
    return true;
  }

  /**
   * Notes a failure that is retried, not before `until`; false when none of so many retries is
   * left.
   */
  retries(retries: number, excused: boolean, until: Millis): boolean {
    const { failures } = this.#progress;
    if (failures >= retries && !excused) return false;
    const progress = { ...this.#progress, failures: Math.min(failures + 1, retries) };
    this.#continueWith(progress, until);
    return true;
  }

  /** Ends the inquiry with the rules of a response. */
  learned(rules: RobotsRules, crawlDelay: Millis, now: Millis): void {
    this.#keep({ rules, expiresAt: now + HOLDS.rules, crawlDelay, inquiry: this.#progress });
  }

  /** Ends the inquiry without a response. */
  gaveUp(now: Millis): void {
    const expiresAt = now + HOLDS.unreachable;
    this.#keep({ rules: UNREACHABLE, expiresAt, crawlDelay: 0, inquiry: this.#progress });
  }

  #continueWith(inquiry: RobotsEntry['inquiry'], until: Millis = 0): void {
    const crawlDelay = this.#before?.crawlDelay ?? 0;
    this.#keep({ rules: undefined, expiresAt: until, crawlDelay, inquiry });
  }

  #keep(entry: RobotsEntry): void {
    this.#host.robots.set(this.#origin, entry);
  }
}

/** The rules of an origin while they hold; undefined when they must be requested. */
export function freshRules(host: Host, origin: string, now: Millis): RobotsRules | undefined {
  const known = host.robots.get(origin);
  return known && known.expiresAt > now ? known.rules : undefined;
}

/** What a request for robots.txt cost the host whose turn it is. */
export interface RobotsCost {
  /** False when no request could be made now. */
  readonly requested: boolean;
  readonly pause: Millis;
  /** What went wrong, if anything did. */
  readonly cause?: RetryCause;
  /** The error of the system or the server. */
  readonly why?: string;
}

/** When the rules of an origin may be requested. */
export function inquiryAt(host: Host, origin: string): Millis {
  const known = host.robots.get(origin);
  return known && !known.rules ? known.expiresAt : 0;
}
