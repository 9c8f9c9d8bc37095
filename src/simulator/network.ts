/**
 * A network of numbers: how long a look-up and a page take, and which servers do not answer.
 *
 * Idea      A host's distance is a hash of its name: less than a fifth of a second for most. What
 *           the lab's servers do late, they do `PATIENCE` late. Bandwidth, lost packets and load
 *           are not modelled: a page is one round trip.
 * Ensures   the same answers whenever and in whatever order they are asked for.
 */

import type { Millis } from '../base/units.ts';
import type { BehaviourName } from '../lab/behaviour.ts';
import { RCODE } from '../lab/server/dns-message.ts';
import { resolveName } from '../lab/server/resolve.ts';
import type { Web } from '../lab/web.ts';
import { hash, TAG, textHash, unit } from '../lab/words/random.ts';
import type { DnsFault, ResolvedAddress } from '../net/dns.ts';

/** How late a late answer comes, and how long the crawler waits for one that never comes. */
const PATIENCE: Millis = 5000;
const NEAREST: Millis = 20;
const FURTHEST: Millis = 250;
const NAME_SERVER: Millis = 30;
const SLOW: ReadonlySet<BehaviourName | undefined> = new Set(['slow-start', 'drip', 'long-length']);

export interface NameAnswer {
  readonly takes: Millis;
  readonly outcome: ResolvedAddress | DnsFault | 'address-refused';
}

export class Network {
  readonly #web: Web;

  constructor(web: Web) {
    this.#web = web;
  }

  /** The time from a request to its answer. */
  takes(hostName: string, behaviour?: BehaviourName): Millis {
    const u = this.#draw(hostName);
    const distance = Math.round(NEAREST + (FURTHEST - NEAREST) * u * u * u);
    return SLOW.has(behaviour) ? distance + PATIENCE : distance;
  }

  lookUp(hostName: string): NameAnswer {
    const options = { oneAddress: false, patience: PATIENCE };
    const { rcode, address = '', delay = 0 } = resolveName(this.#web, hostName, options);
    const takes = Math.round(NAME_SERVER * (0.5 + this.#draw(hostName))) + delay;
    if (rcode === 'silent') return { takes: PATIENCE, outcome: 'dns-timeout' };
    if (rcode === RCODE.nameError) return { takes, outcome: 'dns-not-found' };
    if (rcode !== RCODE.noError) return { takes, outcome: 'dns-failed' };
    // The web is in 127.0.0.0/8; all other addresses that it names are of private networks.
    return {
      takes,
      outcome: address.startsWith('127.') ? { ip: address, family: 4 } : 'address-refused',
    };
  }

  #draw(hostName: string): number {
    return unit(hash(this.#web.world.seed, TAG.latency, textHash(hostName)));
  }
}
