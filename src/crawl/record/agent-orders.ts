/** What the operator has changed in a running crawl, as an agent gets it. Plain data. */
import type { Millis } from '../../base/units.ts';

export interface AgentOrders {
  /** Settings with other values. */
  readonly settings: {
    readonly delay?: Millis;
    readonly addressDelay?: Millis;
    readonly slowDelay?: Millis;
    readonly slowAddressDelay?: Millis;
    readonly fetches?: number;
    readonly budget?: string;
  };
  readonly paused: boolean;
  /** Further seeds of the whole crawl, in the order in which its folder has them. */
  readonly seeds: readonly string[];
}
