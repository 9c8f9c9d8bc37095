/**
 * The messages of a planned crawl: the coordinator asks for URLs, agents report what came of each.
 *
 *   coordinator ── asks ──► the agents of their domains
 *               ◄─ outcomes, one for each ask ──
 *
 * Idea      Links are not followed, so the coordinator alone decides what is requested and when.
 *           Agents remember outcomes, not plans: the plan follows from the outcomes, so what was
 *           asked and has no outcome after a crash is simply asked again.
 */
import type { Millis } from '../../base/units.ts';

/** A URL to request once; at most one ask for a URL is open at a time. */
export interface Ask {
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
  /** Name the validators of an earlier capture, so that the server may answer with 304. */
  readonly conditional: boolean;
}

/** What came of an ask. It has a status or a fault. */
export interface Outcome {
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
  readonly time: Millis;
  readonly status?: number;
  /**
   * Why there is no response: a fault of the retry table, `disallowed` (robots.txt), or the reason
   * why the URL was skipped.
   */
  readonly fault?: string;
  /**
   * The page compared with its earlier capture. `confirmed`: a 304 that we asked for. `same`: 200
   * with the same payload, or to HEAD with the same validators. `other`: any other 200.
   */
  readonly page?: 'confirmed' | 'same' | 'other';
  /** Where it redirects to, in canonical form. */
  readonly target?: string;
  /** Of a 200 that is `other`: the digest of the payload. */
  readonly digest?: string;
  /** Of an HTML page that is `other`: its sketch, in hexadecimal; absent if it has little text. */
  readonly sketch?: string;
}

/** The coordinator of a planned crawl. */
export interface Asker {
  /**
   * Called once, before anything is asked, with the outcomes of earlier runs. `send` gives asks to
   * the agents; `end` ends the crawl.
   */
  begin(
    known: readonly Outcome[],
    send: (asks: readonly Ask[]) => void,
    end: () => void,
  ): void | Promise<void>;
  /** Called with every new outcome. */
  heard(outcome: Outcome): void;
}
