/**
 * The delays that the user asks for: `--delay`, `--private-delay`, `--address-delay`, and the file
 * of `--delays`.
 */
import type { Millis } from '../base/units.ts';
import { addressDelay, type CrawlConfig } from '../config/settings.ts';
import { isPrivateAddress } from '../net/address-guard.ts';
import type { DelayTable } from './delays.ts';

/** Enough for the current addresses; cleared when full. */
const MOST_REMEMBERED = 4096;

export class AskedDelays {
  #hostDelay: Millis;
  #privateDelay: Millis;
  #addressDelay: Millis;
  readonly #table: DelayTable | undefined;
  readonly #private = new Map<string, boolean>();

  /** `table` holds the delays of single hosts and addresses. */
  constructor(config: CrawlConfig, table: DelayTable | undefined) {
    this.#hostDelay = config.delay;
    this.#privateDelay = config.privateDelay;
    this.#addressDelay = addressDelay(config);
    this.#table = table;
  }

  /**
   * Other delays hold from now on; those of the table stay. Who names a delay means it for private
   * hosts, too.
   */
  change(config: Pick<CrawlConfig, 'delay' | 'addressDelay'>): void {
    if (config.delay !== this.#hostDelay) this.#privateDelay = config.delay;
    this.#hostDelay = config.delay;
    this.#addressDelay = addressDelay(config);
  }

  /**
   * Between two requests to a host. Requires the name as a canonical URL has it; `ip` is its
   * address, if that is known.
   */
  ofHost(hostName: string, ip?: string): Millis {
    const own = this.#table?.hostDelay(hostName);
    if (own !== undefined || this.#privateDelay === this.#hostDelay) return own ?? this.#hostDelay;
    const isPrivate = isLocalName(hostName) || this.#isPrivate(ip ?? hostName);
    return isPrivate ? this.#privateDelay : this.#hostDelay;
  }

  /** Between two requests to an address. */
  ofAddress(ip: string): Millis {
    const own = this.#table?.addressDelay(ip);
    if (own !== undefined || this.#privateDelay >= this.#addressDelay)
      return own ?? this.#addressDelay;
    return this.#isPrivate(ip) ? this.#privateDelay : this.#addressDelay;
  }

  #isPrivate(ip: string): boolean {
    const known = this.#private.get(ip);
    if (known !== undefined) return known;
    if (this.#private.size >= MOST_REMEMBERED) this.#private.clear();
    const isPrivate = isPrivateAddress(ip.replace(/^\[|\]$/g, ''));
    this.#private.set(ip, isPrivate);
    return isPrivate;
  }
}

const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
