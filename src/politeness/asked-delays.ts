/** The delays that the user asks for: `--delay`, `--address-delay`, and the file of `--delays`. */
import type { Millis } from '../base/units.ts';
import { addressDelay, type CrawlConfig } from '../config/settings.ts';
import type { DelayTable } from './delays.ts';

export class AskedDelays {
  #hostDelay: Millis;
  #addressDelay: Millis;
  readonly #table: DelayTable | undefined;

  /** `table` holds the delays of single hosts and addresses. */
  constructor(config: CrawlConfig, table: DelayTable | undefined) {
    this.#hostDelay = config.delay;
    this.#addressDelay = addressDelay(config);
    this.#table = table;
  }

  /** Other delays hold from now on; those of the table stay. */
  change(config: Pick<CrawlConfig, 'delay' | 'addressDelay'>): void {
    this.#hostDelay = config.delay;
    this.#addressDelay = addressDelay(config);
  }

  /** Between two requests to a host. Requires the name as a canonical URL has it. */
  ofHost(hostName: string): Millis {
    return this.#table?.hostDelay(hostName) ?? this.#hostDelay;
  }

  /** Between two requests to an address. */
  ofAddress(ip: string): Millis {
    return this.#table?.addressDelay(ip) ?? this.#addressDelay;
  }
}
