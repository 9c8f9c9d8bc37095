/**
 * Pages that are like others: near-duplicates, URLs whose parameters do not choose the page, and
 * pages for "not found" with status 200 (soft 404s).
 *
 *   page  ─► judge ─► stored or skipped ─► committed: remembered, learned from, logged
 *   links ─► rewritten by what was learned ─► admission
 *   a queued URL ─► instead: skipped, and another URL discovered in its place
 *
 * Ensures   `judge` changes nothing. What a page changes is changed by `committed`, in the step of
 *           its commit, so that a checkpoint has both or neither. Redirects and seeds are never
 *           rewritten: they are meant as they are.
 */

import type { CrawlConfig } from '../../config/settings.ts';
import { type Fingerprint, SAME_TEXT } from '../../duplicates/fingerprint.ts';
import type { LikenessMemory } from '../../duplicates/likeness-folder.ts';
import type { SimilarPage } from '../../duplicates/similar-pages.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import { originOf } from '../../url/parts.ts';
import type { Counters } from '../record/counters.ts';
import type { EventLog } from '../record/log.ts';

/**
 * Pages with fewer shingles are not compared: frames, lists of one word, pages filled by scripts.
 */
const LEAST_SHINGLES = 5;

/** What `judge` finds about a page of status 200. */
export interface Judgement {
  readonly fingerprint: Fingerprint;
  /** An earlier page that it is like. */
  readonly near: SimilarPage | undefined;
  /** It is the host's page for "not found". */
  readonly isSoft: boolean;
  /** Why it is not stored; undefined when it is stored. */
  readonly refusal: 'near-duplicate' | 'soft-404' | 'soft-404-question' | undefined;
  /** Its links may be followed. */
  readonly follows: boolean;
}

interface LikenessParts {
  readonly config: Pick<CrawlConfig, 'nearDuplicates' | 'similarity' | 'learnTraps' | 'softErrors'>;
  readonly memory: LikenessMemory;
  readonly counters: Counters;
  readonly log: EventLog;
}

export class Likeness {
  readonly #parts: LikenessParts;

  constructor(parts: LikenessParts) {
    this.#parts = parts;
  }

  /** Judges an HTML page of status 200 by its fingerprint. */
  judge(url: string, fingerprint: Fingerprint): Judgement {
    const { config, memory } = this.#parts;
    const near =
      fingerprint.distinct < LEAST_SHINGLES
        ? undefined
        : memory.pages.find(fingerprint, config.similarity);
    const isSoft = config.softErrors !== 'off' && memory.softErrors.isSoft(url, fingerprint);
    if (memory.softErrors.isQuestion(url)) {
      return { fingerprint, near, isSoft, refusal: 'soft-404-question', follows: false };
    }
    if (isSoft && config.softErrors === 'skip') {
      return { fingerprint, near, isSoft, refusal: 'soft-404', follows: false };
    }
    const action = near === undefined ? 'store' : config.nearDuplicates;
    const refusal = action === 'skip' ? 'near-duplicate' : undefined;
    return {
      fingerprint,
      near,
      isSoft,
      refusal,
      follows: action !== 'skip' && action !== 'no-follow',
    };
  }

  /**
   * The page is committed. Returns a URL to fetch next, if its answer would show whether the host
   * has a page for "not found".
   */
  committed(url: string, { fingerprint, near, isSoft, refusal }: Judgement): string | undefined {
    const { config, memory, counters, log } = this.#parts;
    if (refusal !== undefined) counters.countSkipped(refusal);
    if (refusal === 'soft-404-question') {
      if (memory.softErrors.answered(url, fingerprint)) log.event('soft-404', { url });
      return undefined;
    }
    if (isSoft) {
      counters.countAlike('soft-404');
      return undefined;
    }
    const page = memory.add(fingerprint, url);
    if (near !== undefined && config.nearDuplicates !== 'off') {
      counters.countAlike('near-duplicate');
      log.event('near-duplicate', {
        url,
        of: near.url,
        similarity: Math.round(near.similarity * 100) / 100,
      });
    }
    const { learned, isRelated } = memory.learner.learn(url, fingerprint, page, near);
    for (const { rule, change, why, examples } of learned) {
      const facts = { host: originOf(url), rule, why, examples };
      if (change === 'learned') log.event('trap-learned', facts);
      else log.event('trap-withdrawn', facts);
    }
    if (config.softErrors === 'off' || near === undefined || isRelated) return undefined;
    const isSameHost = near.similarity >= SAME_TEXT && originOf(near.url) === originOf(url);
    return isSameHost ? memory.softErrors.suspect(url, fingerprint) : undefined;
  }

  /** The response is committed, and is no page of status 200. */
  missed(url: string): void {
    this.#parts.memory.softErrors.answered(url, undefined);
  }

  /** Whether links may be rewritten: something was learned. */
  get rewrites(): boolean {
    const { config, memory } = this.#parts;
    return config.learnTraps && !memory.isInnocent;
  }

  /** The links of a page as they are discovered, each once. */
  rewritten(urls: readonly string[]): readonly string[] {
    const { memory, counters } = this.#parts;
    if (!this.rewrites) return urls;
    let changed = 0;
    const rewritten = urls.map((url) => {
      const other = memory.rewrite(url);
      if (other !== url) changed++;
      return other;
    });
    if (changed === 0) return urls;
    counters.countAlike('link-rewritten', changed);
    return [...new Set(rewritten)];
  }

  /** The URL to discover in place of a queued one; undefined when that is to be fetched. */
  instead({ url, depth, redirects }: Discovery): string | undefined {
    const { memory } = this.#parts;
    if (!this.rewrites || depth === 0 || redirects > 0) return undefined;
    const other = memory.rewrite(url);
    return other === url || memory.softErrors.isQuestion(url) ? undefined : other;
  }
}
