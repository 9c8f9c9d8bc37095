/**
 * What the user has decided for single domains (`drumlin domains set`): read from the crawl's
 * folder at the start and before every checkpoint, and obeyed from then on.
 */
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Override } from '../../reputation/budget/domain-record.ts';
import { type Overrides, overrideChanges, overridesBy } from '../../reputation/budget/overrides.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import type { EventLog } from '../record/log.ts';

interface DomainDecisionsParts {
  readonly disk: Disk;
  /** The crawl's folder; '' for a crawl without one, for which nothing can be decided. */
  readonly dir: string;
  readonly log: EventLog;
  /** Whether this agent owns the domain with this hash. */
  readonly isOurs: (domain: bigint) => boolean;
  /** Keeps the budgets that were decided; only in the order of budgets. */
  readonly reputation: Pick<Reputation, 'override'> | undefined;
}

export class DomainDecisions {
  readonly #parts: DomainDecisionsParts;
  readonly #blocked = new Set<string>();
  #known: Overrides = new Map();

  constructor(parts: DomainDecisionsParts) {
    this.#parts = parts;
  }

  /** Domains of this agent from which nothing is fetched, whatever the order. Changes in place. */
  get blocked(): ReadonlySet<string> {
    return this.#blocked;
  }

  /** Whether the user trusts a domain. */
  trusts(domain: string): boolean {
    return this.#known.get(domain) === 'trusted';
  }

  /** Reads the file and obeys it. Rejects when it cannot be read; then the old decisions hold. */
  async obey(): Promise<void> {
    const { disk, dir, log, reputation } = this.#parts;
    if (dir === '') return;
    const { overrides, by } = await overridesBy(disk, dir);
    const logChange = (domain: string, decision: Override | undefined) =>
      log.event('domain-decided', { domain, decision: decision ?? 'policy', by });
    // One of the two logs a change: with budgets the reputation, which remembers earlier runs.
    this.#block(overrides, reputation ? () => {} : logChange);
    reputation?.override(overrides, logChange);
  }

  #block(
    overrides: Overrides,
    onChange: (domain: string, override: Override | undefined) => void,
  ): void {
    for (const [domain, override] of overrideChanges(this.#known, overrides)) {
      if (!this.#parts.isOurs(xxh64(domain))) continue;
      if (override === 'blocked') this.#blocked.add(domain);
      else this.#blocked.delete(domain);
      onChange(domain, override);
    }
    this.#known = overrides;
  }
}
