/** Domains from which the operator wants nothing, in whatever order the crawl is: see `drumlin domains set`. */

import { xxh64 } from '../../base/xxh64.ts';
import type { Override } from '../../reputation/budget/domain-record.ts';
import { type Overrides, overrideChanges } from '../../reputation/budget/overrides.ts';

export class BlockedDomains {
  /** Those of this agent. */
  readonly names = new Set<string>();
  readonly #isOurs: (domain: bigint) => boolean;
  #known: Overrides = new Map();

  constructor(isOurs: (domain: bigint) => boolean) {
    this.#isOurs = isOurs;
  }

  /** Does as the operator's file says now. */
  follow(
    overrides: Overrides,
    onChange?: (domain: string, override: Override | undefined) => void,
  ): void {
    for (const [domain, override] of overrideChanges(this.#known, overrides)) {
      if (!this.#isOurs(xxh64(domain))) continue;
      if (override === 'blocked') this.names.add(domain);
      else this.names.delete(domain);
      onChange?.(domain, override);
    }
    this.#known = overrides;
  }
}
