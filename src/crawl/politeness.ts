/**
 * How long a host and an address are left alone after a request: the longest of what the user asks, what robots.txt asks, and
 * what a slow server needs.
 */
import { patientDelay, smoothedTime } from '../fetch/slow-down.ts';
import type { HostTurn } from '../frontier/frontier.ts';
import type { Host } from '../frontier/host.ts';
import type { Millis } from '../units.ts';
import type { DelayTable } from './delays.ts';
import { addressDelay, type CrawlConfig } from './settings.ts';

export class Politeness {
  readonly #hostDelay: Millis;
  readonly #addressDelay: Millis;
  readonly #table: DelayTable | undefined;

  constructor(config: CrawlConfig, table: DelayTable | undefined) {
    this.#hostDelay = config.delay;
    this.#addressDelay = addressDelay(config);
    this.#table = table;
  }

  hostDelay(host: Host): Millis {
    const delay = Math.max(this.delayOf(host.name), host.crawlDelay);
    // Who asks for no delay at all crawls what is his own, and means it.
    return delay === 0 ? 0 : patientDelay(delay, host.responseTime);
  }

  /** Another request in the same turn would come too soon. */
  wantsPause({ host, address }: HostTurn): boolean {
    return this.hostDelay(host) > 0 || this.addressDelay(address.ip) > 0;
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
}
