/**
 * Resolves names to addresses through the servers that the user chose, with its own cache.
 *
 * Idea      Answers and failures are cached as long as they are valid. All callers share a look-up
 *           in progress. IPv4 is asked for first, IPv6 only if a name has no IPv4 address.
 * Requires  Names in lower case, as in a canonical URL.
 * Ensures   Every rejection is a DnsError, or what `onAnswer` rejected with. At most `maxEntries`
 *           names are cached; the least recently used are evicted first. Addresses are not checked
 *           here: the guard does that before each connection.
 * Cost      A Map look-up for a cached name, one or two datagrams for another.
 *
 * Address literals are answered without a look-up, and so are `localhost` and the names under it
 * (RFC 6761, section 6.3). The system's hosts file and search list are ignored: a crawl must behave
 * the same on every machine.
 */
import { Resolver } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { type Clock, systemClock } from '../base/clock.ts';
import { DrumlinError, systemCode } from '../base/errors.ts';
import type { Millis } from '../base/units.ts';

export type DnsFault = 'dns-not-found' | 'dns-failed' | 'dns-timeout';

export class DnsError extends Error {
  override readonly name = 'DnsError';
  readonly fault: DnsFault;
  constructor(fault: DnsFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.fault = fault;
  }
}

export interface ResolverOptions {
  /** `127.0.0.1:5300`, `[::1]:5300`, `9.9.9.9`. Default: the system's servers. */
  readonly servers?: readonly string[];
  /** Time limit of the first try; later tries get more. */
  readonly timeout?: Millis;
  readonly tries?: number;
  readonly maxEntries?: number;
  /** How many addresses to keep per name. */
  readonly maxAddresses?: number;
  /** Lower bound of a TTL; a shorter one is raised to it. */
  readonly minTtl?: Millis;
  /** Upper bound of a TTL; a longer one is lowered to it. */
  readonly maxTtl?: Millis;
  /** How long to cache that a name does not exist; other failures are cached for a tenth of it. */
  readonly negativeTtl?: Millis;
  readonly clock?: Clock;
  /** Asks the name servers. Default: Node's. */
  readonly asks?: Asks;
  /** Called with every answer of a server that has addresses; `resolve` waits for its promise. */
  readonly onAnswer?: ((answer: DnsAnswer) => Promise<void>) | undefined;
}

/** The part of Node's resolver that is used. */
export type Asks = Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel' | 'getServers' | 'setServers'>;

/** The answer of a server for a name. */
export interface DnsAnswer {
  readonly host: string;
  readonly askedAt: Millis;
  /** The address of the server; undefined if it is one of several. */
  readonly server: string | undefined;
  /** The addresses, each with its TTL in seconds. */
  readonly records: readonly { readonly address: string; readonly ttl: number }[];
}

export interface NameResolver {
  /** Resolves with at least one address, or rejects with a DnsError. `anew` skips the cache. */
  resolve(host: string, anew?: boolean): Promise<readonly ResolvedAddress[]>;
  /** Look-ups in progress fail with `dns-failed`. */
  close(): void;
}

type Answer = readonly ResolvedAddress[] | DnsError;

interface Entry {
  readonly answer: Answer;
  readonly storedAt: Millis;
  readonly ttl: Millis;
}

const DEFAULTS = {
  timeout: 5000,
  tries: 3,
  // Hosts keep their own addresses: this is for names that several parts ask for at once.
  maxEntries: 4000,
  maxAddresses: 8,
  minTtl: 60_000,
  maxTtl: 24 * 3600_000,
  negativeTtl: 300_000,
};

const FAULTS: Readonly<Record<string, DnsFault>> = {
  ENOTFOUND: 'dns-not-found',
  ENODATA: 'dns-not-found',
  EBADNAME: 'dns-not-found',
  ETIMEOUT: 'dns-timeout',
};

/**
 * An answer with a CNAME that leads to no address. Node reports an answer without any record as
 * ENODATA, but this one as an empty list.
 */
const NO_ADDRESS = Object.assign(new Error('the answer has no address'), { code: 'ENODATA' });

export function createResolver(options: ResolverOptions = {}): NameResolver {
  return new CachingResolver(options);
}

class CachingResolver implements NameResolver {
  readonly #options: typeof DEFAULTS;
  readonly #clock: Clock;
  readonly #resolver: Asks;
  readonly #onAnswer: ResolverOptions['onAnswer'];
  /** In the order of use, the least recent first. */
  readonly #cache = new Map<string, Entry>();
  readonly #underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();

  constructor({ servers, clock, onAnswer, asks, ...options }: ResolverOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#clock = clock ?? systemClock;
    this.#onAnswer = onAnswer;
    const { timeout, tries } = this.#options;
    this.#resolver = asks ?? new Resolver({ timeout, tries });
    if (servers !== undefined && servers.length > 0) setServers(this.#resolver, servers);
  }

  resolve(host: string, anew = false): Promise<readonly ResolvedAddress[]> {
    const known = literalAddresses(host) ?? (anew ? undefined : this.#remembered(host));
    if (known !== undefined)
      return known instanceof DnsError ? Promise.reject(known) : Promise.resolve(known);
    const underWay = this.#underWay.get(host);
    if (underWay !== undefined) return underWay;
    const lookUp = this.#lookUp(host).finally(() => this.#underWay.delete(host));
    this.#underWay.set(host, lookUp);
    return lookUp;
  }

  close(): void {
    this.#resolver.cancel();
  }

  #remembered(host: string): Answer | undefined {
    const entry = this.#cache.get(host);
    if (entry === undefined) return undefined;
    this.#cache.delete(host);
    // If the clock was set back, the age is negative: the entry is expired.
    const age = this.#clock.now() - entry.storedAt;
    if (age < 0 || age >= entry.ttl) return undefined;
    this.#cache.set(host, entry);
    return entry.answer;
  }

  #remember(host: string, answer: Answer, ttl: Millis): void {
    const { maxEntries } = this.#options;
    if (this.#cache.size >= maxEntries) this.#cache.delete(this.#cache.keys().next().value!);
    if (maxEntries > 0) this.#cache.set(host, { answer, storedAt: this.#clock.now(), ttl });
  }

  async #lookUp(host: string): Promise<readonly ResolvedAddress[]> {
    const askedAt = this.#clock.now();
    const records = await this.#ask(host);
    const { minTtl, maxTtl, maxAddresses } = this.#options;
    const kept = records.slice(0, maxAddresses);
    const ttl =
      1000 * kept.reduce((least, record) => Math.min(least, record.ttl), Number.POSITIVE_INFINITY);
    const addresses = kept.map(({ address }) => addressOf(address));
    this.#remember(host, addresses, Math.max(minTtl, Math.min(maxTtl, ttl)));
    await this.#onAnswer?.({ host, askedAt, server: this.#onlyServer(), records });
    return addresses;
  }

  async #ask(host: string): Promise<DnsAnswer['records']> {
    const { negativeTtl } = this.#options;
    try {
      return await this.#query(host);
    } catch (cause) {
      const code = systemCode(cause);
      const fault = FAULTS[code] ?? 'dns-failed';
      const error = new DnsError(fault, `${host} could not be resolved (${code || cause})`, {
        cause,
      });
      if (code !== 'ECANCELLED') {
        this.#remember(host, error, fault === 'dns-not-found' ? negativeTtl : negativeTtl / 10);
      }
      throw error;
    }
  }

  #onlyServer(): string | undefined {
    const [server, ...others] = this.#resolver.getServers();
    if (others.length > 0) return undefined;
    return (
      /^\[(.*)\]/.exec(server)?.[1] ?? (isIPv6(server) ? server : server?.replace(/:\d+$/, ''))
    );
  }

  async #query(host: string): Promise<DnsAnswer['records']> {
    try {
      const records = await this.#resolver.resolve4(host, { ttl: true });
      if (records.length > 0) return records;
    } catch (error) {
      if (systemCode(error) !== 'ENODATA') throw error;
    }
    const records = await this.#resolver.resolve6(host, { ttl: true });
    if (records.length === 0) throw NO_ADDRESS;
    return records;
  }
}

/**
 * The addresses of a host that needs no look-up (an address or localhost); undefined for a name.
 */
export function literalAddresses(host: string): readonly ResolvedAddress[] | undefined {
  if (isIPv4(host)) return [{ ip: host, family: 4 }];
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIPv6(bare)) return [{ ip: bare, family: 6 }];
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  if (name === 'localhost' || name.endsWith('.localhost')) {
    return [
      { ip: '127.0.0.1', family: 4 },
      { ip: '::1', family: 6 },
    ];
  }
  return undefined;
}

function addressOf(ip: string): ResolvedAddress {
  return { ip, family: isIPv4(ip) ? 4 : 6 };
}

function setServers(resolver: Asks, servers: readonly string[]): void {
  for (const server of servers) {
    // Node itself accepts ports that do not exist.
    const [, bracketed, dotted, port] = /^(?:\[(.*)\]|([\d.]*))(?::(\d+))?$/.exec(server) ?? [];
    const ip = bracketed ?? dotted ?? server;
    if ((isIPv4(ip) || isIPv6(ip)) && Number(port ?? 53) >= 1 && Number(port ?? 53) <= 65_535)
      continue;
    throw new DrumlinError(
      'DNS_SERVER',
      `"${server}" is not the address of a DNS server.`,
      'Write an address with an optional port, like 127.0.0.1:5300 or [::1]:53.',
    );
  }
  resolver.setServers(servers);
}

export interface ResolvedAddress {
  readonly ip: string;
  readonly family: 4 | 6;
}
