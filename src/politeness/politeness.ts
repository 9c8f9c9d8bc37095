/**
 * How long a host and an address are left alone after a request: the longest of what the user asks, what robots.txt asks, and
 * what a slow server needs. While there is more to fetch than can be fetched, domains of little reputation are left alone for
 * longer (IRLbot, 6.1): what they are not asked for, others are.
 */

import type { Millis } from '../base/units.ts';
import { addressDelay, type CrawlConfig } from '../config/settings.ts';
import type { HostTurn } from '../frontier/frontier.ts';
import type { Host } from '../frontier/host.ts';
import { delayFor } from './budget-delay.ts';
import type { DelayTable } from './delays.ts';
import { patientDelay, smoothedTime } from './slow-down.ts';

/** Who knows what domains have earned. */
export interface Budgets {
  /** Nobody would wait for a host that is left alone for longer. */
  crowded(): boolean;
  budgetOf(domain: bigint): number;
  readonly leastBudget: () => number;
}

export class Politeness {
  /** Without any, nobody is slowed down. */
  budgets: Budgets | undefined;
  readonly #hostDelay: Millis;
  readonly #addressDelay: Millis;
  readonly #slow: { readonly host: Millis; readonly address: Millis };
  readonly #table: DelayTable | undefined;

  constructor(config: CrawlConfig, table: DelayTable | undefined) {
    this.#hostDelay = config.delay;
    this.#addressDelay = addressDelay(config);
    this.#slow = { host: config.slowDelay, address: config.slowAddressDelay };
    this.#table = table;
  }

  hostDelay(host: Host): Millis {
    const asked = this.delayOf(host.name);
    const delay = Math.max(asked, host.crawlDelay, this.#byBudget(host, asked, this.#slow.host));
    // Who asks for no delay at all crawls what is his own, and means it.
    return delay === 0 ? 0 : patientDelay(delay, host.responseTime);
  }

  /** Another request in the same turn would come too soon. */
  wantsPause({ host, address }: HostTurn): boolean {
    return this.hostDelay(host) > 0 || this.addressDelay(address.ip) > 0;
  }

  /** After a request to a host at the address. */
  delayAt({ host, address }: HostTurn): Millis {
    const asked = this.addressDelay(address.ip);
    return Math.max(asked, this.#byBudget(host, asked, this.#slow.address));
  }

  /** What the user asks for a host, of which nothing else may be known. */
  delayOf(hostName: string): Millis {
    return this.#table?.hostDelay(hostName) ?? this.#hostDelay;
  }

  /** After a request to a host whose turn it was not, and which may not be in memory. */
  delayElsewhere(host: Host | undefined, hostName: string): Millis {
    return host ? this.hostDelay(host) : this.delayOf(hostName);
  }

  addressDelay(ip: string): Millis {
    return this.#table?.addressDelay(ip) ?? this.#addressDelay;
  }

  /** The host has answered in this time. */
  took(host: Host, elapsed: Millis): void {
    host.responseTime = smoothedTime(host.responseTime, elapsed);
  }

  /** From the slowest down to what is asked, as the budget of the domain grows; where no delay is asked there is none. */
  #byBudget({ domain }: Host, asked: Millis, slowest: Millis): Millis {
    const { budgets } = this;
    if (asked === 0 || !budgets?.crowded()) return 0;
    return delayFor(budgets.budgetOf(domain.hash), {
      slowest,
      floor: asked,
      least: budgets.leastBudget(),
    });
  }
}
