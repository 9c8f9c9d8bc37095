/**
 * How long a host and an address are paused after a request: the longest of what the user asks,
 * what robots.txt asks, and what a slow server needs. While there is more to fetch than the agent
 * can fetch, domains with a small budget are paused longer (IRLbot, 6.1), and the requests that
 * they do not get go to others.
 */

import type { Millis } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import type { HostTurn } from '../frontier/frontier.ts';
import type { Host } from '../frontier/host.ts';
import type { AskedDelays } from './asked-delays.ts';
import { delayFor } from './budget-delay.ts';
import { patientDelay, smoothedTime } from './slow-servers.ts';

/** The budgets of domains, for delays that follow them. */
export interface Budgets {
  /** All fetchers are busy, so that none is idle while a host is paused longer. */
  crowded(): boolean;
  budgetOf(domain: bigint): number;
  leastBudget(): number;
}

export class Politeness {
  readonly #asked: AskedDelays;
  /** The longest pauses of a host and of an address for a small budget. */
  #slowest: { readonly host: Millis; readonly address: Millis };
  readonly #budgets: Budgets | undefined;

  /** Without `budgets` all domains are paused alike. */
  constructor(
    config: Pick<CrawlConfig, 'slowDelay' | 'slowAddressDelay'>,
    asked: AskedDelays,
    budgets: Budgets | undefined,
  ) {
    this.#asked = asked;
    this.#slowest = { host: config.slowDelay, address: config.slowAddressDelay };
    this.#budgets = budgets;
  }

  /** Other delays hold from now on. */
  change(
    config: Pick<CrawlConfig, 'delay' | 'addressDelay' | 'slowDelay' | 'slowAddressDelay'>,
  ): void {
    this.#asked.change(config);
    this.#slowest = { host: config.slowDelay, address: config.slowAddressDelay };
  }

  /** The pause of a host after a request to it. */
  hostDelay(host: Host): Millis {
    const asked = this.#asked.ofHost(host.name, host.addresses[0]?.ip);
    const delay = Math.max(asked, host.crawlDelay, this.#byBudget(host, asked, this.#slowest.host));
    // A user who asks for no delay at all crawls a site of their own: a slow answer changes
    // nothing.
    return delay === 0 ? 0 : patientDelay(delay, host.responseTime);
  }

  /** The host or its address must pause before another request, so the turn ends. */
  wantsPause({ host, address }: HostTurn): boolean {
    return this.hostDelay(host) > 0 || this.addressDelay(address.ip) > 0;
  }

  /** The pause of the turn's address after a request to its host. */
  delayAt({ host, address }: HostTurn): Millis {
    const asked = this.addressDelay(address.ip);
    return Math.max(asked, this.#byBudget(host, asked, this.#slowest.address));
  }

  /**
   * The pause of a host after a request out of turn; `host` is undefined if it is not in memory.
   */
  delayElsewhere(host: Host | undefined, hostName: string): Millis {
    return host ? this.hostDelay(host) : this.#asked.ofHost(hostName);
  }

  /** The pause of an address after a request, whatever the host. */
  addressDelay(ip: string): Millis {
    return this.#asked.ofAddress(ip);
  }

  /** Records how long the host took to answer. */
  took(host: Host, elapsed: Millis): void {
    host.responseTime = smoothedTime(host.responseTime, elapsed);
  }

  /**
   * From `slowest` down to `asked` as the budget of the domain grows. 0 where the user asks for no
   * delay, and while fetchers are idle.
   */
  #byBudget({ domain }: Host, asked: Millis, slowest: Millis): Millis {
    const budgets = this.#budgets;
    if (asked === 0 || !budgets?.crowded()) return 0;
    return delayFor(budgets.budgetOf(domain.hash), {
      slowest,
      floor: asked,
      least: budgets.leastBudget(),
    });
  }
}
