/**
 * Idle connections, kept for the next request to the same origin at the same address.
 *
 * Idea      Reuse the connection that became idle last: the server is least likely to have closed
 *           it. Over a limit, close the one that has been idle longest.
 * Ensures   Never more than `perOrigin` for one key and `total` overall. A TLS connection takes
 *           tens of kilobytes, so it counts as eight. A connection that was taken is out of the
 *           pool. Connections to a proxy for pages over http serve all hosts: only `total` limits
 *           them.
 * Cost      Constant per operation; `expired` looks at all of them.
 */
import type { Connection } from './connection.ts';

interface PoolLimits {
  readonly perOrigin: number;
  readonly total: number;
}

const SECURE_COUNTS_AS = 8;

export class ConnectionPool {
  readonly #limits: PoolLimits;
  readonly #byKey = new Map<string, Connection[]>();
  /** In the order in which they became idle, oldest first. */
  readonly #all = new Set<Connection>();
  /** The sum of their weights. */
  #load = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  take(key: string): Connection | undefined {
    const connection = this.#byKey.get(key)?.at(-1);
    if (connection !== undefined) this.remove(connection);
    return connection;
  }

  /** Returns the connection to close: another one, this one, or none. */
  put(connection: Connection): Connection | undefined {
    if (this.#limits.perOrigin <= 0 || this.#limits.total <= 0) return connection;
    const { key, proxied, secure } = connection.endpoint;
    const most = proxied && !secure ? this.#limits.total : this.#limits.perOrigin;
    const same = this.#byKey.get(key);
    let displaced: Connection | undefined;
    if (same !== undefined && same.length >= most) displaced = same[0];
    else if (this.#load >= this.#limits.total) [displaced] = this.#all;
    if (displaced !== undefined) this.remove(displaced);
    const list = this.#byKey.get(key);
    if (list === undefined) this.#byKey.set(key, [connection]);
    else list.push(connection);
    this.#all.add(connection);
    this.#load += loadOf(connection);
    return displaced;
  }

  remove(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    this.#load -= loadOf(connection);
    const { key } = connection.endpoint;
    const list = this.#byKey.get(key)!;
    if (list.length === 1) this.#byKey.delete(key);
    else list.splice(list.indexOf(connection), 1);
  }

  connections(): Iterable<Connection> {
    return this.#all;
  }
}

const loadOf = ({ endpoint }: Connection): number => (endpoint.secure ? SECURE_COUNTS_AS : 1);
