/**
 * Verdicts on domains while they are crawled (`--spam`).
 *
 *   page ─► measured, with its fingerprint ─► committed: added to the sums of its domain
 *   sums of 1, 3, 10, 30, 100, 400 pages ─► verdict ─► the domain's record ─► its budget
 *
 * Idea      Sums and verdict are notes of the domain (frontier/host.ts): in memory with its hosts,
 *           otherwise in the host store, a DRUM. So a verdict needs no look-up, and the notes move
 *           with the domain: into checkpoints, and to another agent.
 * Ensures   `measure` changes nothing. A page counts in the step of its commit, so that a
 *           checkpoint has both or neither. What the operator decides wins: a trusted domain is no
 *           spam, whatever its pages.
 * Cost      600 bytes for each domain in memory of which fewer than 400 pages were measured.
 */
import type { FirstTexts, PageText } from '../../duplicates/first-texts.ts';
import type { PageWords } from '../../duplicates/page-words.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { Domain } from '../../frontier/host.ts';
import type { HostRegistry } from '../../frontier/host-registry.ts';
import type { HostStore } from '../../frontier/host-store.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import { PageMeter } from '../../spam/features/content/page-meter.ts';
import { isHome } from '../../spam/features/sites.ts';
import { DomainSums } from '../../spam/live/domain-sums.ts';
import type { LiveModel } from '../../spam/live/live-model.ts';
import type { Counters } from '../record/counters.ts';
import type { EventLog } from '../record/log.ts';

/** From this probability on a domain counts as spam in the log and the counters. */
const SPAM = 0.5;
/** Of the hash of a domain, as its number. */
const LOW_BITS = 0xffff_ffffn;
/** Verdicts that are written together at the end. */
const TOGETHER = 4096;

interface SpamWatchParts {
  readonly model: LiveModel;
  /** Tells copied pages; only if the model looks at them. */
  readonly texts: FirstTexts | undefined;
  /** Only in the order of budgets. */
  readonly reputation: Pick<Reputation, 'setSpam' | 'shutsOut' | 'write'> | undefined;
  readonly counters: Pick<Counters, 'countSpam'>;
  readonly log: EventLog;
  /** Whether the operator trusts a domain. */
  readonly trusts: (name: string) => boolean;
}

/** What verdicts need of a page. */
export interface MeasuredPage extends PageText {
  readonly values: Float64Array;
}

export class SpamWatch {
  readonly #parts: SpamWatchParts;
  readonly #meter: PageMeter;

  constructor(parts: SpamWatchParts) {
    this.#parts = parts;
    this.#meter = new PageMeter(parts.model.words);
  }

  /** Pages of the domain are still to be measured. */
  wants(domain: Domain): boolean {
    return domain.notes === undefined || this.#of(domain).isOpen;
  }

  /** What verdicts need of a page, from the pass that made its fingerprint. */
  measure(words: PageWords): MeasuredPage {
    const { sketch, distinct } = words;
    return { sketch, distinct, values: this.#meter.measure(words) };
  }

  /** The probability that the domain is spam, by its last verdict. */
  spamOf(domain: Domain): number {
    if (this.#parts.trusts(domain.name)) return 0;
    return domain.notes ? this.#of(domain).spam : this.#parts.model.byName(domain.name);
  }

  /** By its pages or links the domain is spam, and gets no budget any more. */
  shuts(domain: Domain): boolean {
    const { reputation } = this.#parts;
    if (!domain.notes || !reputation) return false;
    const { judgedAt, spam } = this.#of(domain);
    return judgedAt > 0 && reputation.shutsOut(domain, spam);
  }

  /** The same for the domain of a host, if it is in memory. */
  shutsDomainOf(hostName: string, hosts: Pick<HostRegistry, 'domainOf'>): boolean {
    const domain = hosts.domainOf(hostName);
    return domain !== undefined && this.shuts(domain);
  }

  /** A page is committed; `measured` if it was. */
  committed(domain: Domain, url: string, measured: MeasuredPage | undefined): void {
    if (measured) {
      const sums = this.#of(domain);
      const isCopied = this.#parts.texts?.enter(measured, Number(domain.hash & LOW_BITS));
      if (sums.add(measured.values, isHome(url, 'domain'), isCopied)) this.#judge(domain, sums);
    }
    if (domain.notes && this.spamOf(domain) >= SPAM) this.#parts.counters.countSpam('pages');
  }

  /** The crawl ends: the records get verdicts by all pages of each domain. */
  async conclude(frontier: Pick<Frontier, 'domainsInMemory'>, stored: HostStore | undefined) {
    const here = new Set<string>();
    for (const domain of frontier.domainsInMemory()) {
      here.add(domain.name);
      if (domain.notes) this.#judge(domain, this.#of(domain));
    }
    if (!stored) return;
    let judged = 0;
    for await (const domain of stored.domains()) {
      if (!domain.notes || here.has(domain.name)) continue;
      if (!this.#judge(domain, this.#of(domain))) continue;
      // Otherwise a resumed crawl would judge and count it again at its end.
      stored.saveDomain(domain);
      if (++judged % TOGETHER !== 0) continue;
      await stored.write();
      await this.#parts.reputation?.write();
    }
  }

  #judge(domain: Domain, sums: DomainSums): boolean {
    const { model, reputation, counters, log, trusts } = this.#parts;
    const { name } = domain;
    const before = sums.spam;
    if (!sums.judge(name, model)) return false;
    const { spam, judgedAt: pages } = sums;
    const cleared = before >= SPAM && spam < SPAM;
    counters.countSpam('verdicts');
    reputation?.setSpam(domain.hash, spam, cleared);
    if (before >= SPAM !== spam >= SPAM && !trusts(name)) {
      counters.countSpam(cleared ? 'cleared' : 'found');
      log.event('spam-verdict', { domain: name, spam, before, pages });
    }
    return true;
  }

  /** The notes of a domain as sums, read from its record if need be. */
  #of(domain: Domain): DomainSums {
    const { notes, name } = domain;
    if (notes instanceof DomainSums) return notes;
    const { model } = this.#parts;
    const sums =
      notes instanceof Uint8Array
        ? DomainSums.read(notes, name, model)
        : DomainSums.begin(name, model);
    domain.notes = sums;
    return sums;
  }
}
