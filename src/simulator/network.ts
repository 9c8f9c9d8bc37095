/**
 * A network of numbers: how long a name takes to look up and a page to come, and who does not answer.
 *
 * Idea      A host's distance is a hash of its name: a fifth to a twentieth of a second for most. What the lab's servers do late they do `PATIENCE`
 *           late. Bandwidth, lost packets and load are not modelled: a page is a round trip.
 * Ensures   the same answers whenever and in whatever order they are asked for.
 */

import type { Millis } from '../base/units.ts';
import type { BehaviourName } from '../lab/behaviour.ts';
import { RCODE } from '../lab/server/dns-message.ts';
import { resolveName } from '../lab/server/resolve.ts';
import type { Web } from '../lab/web.ts';
import { hash, TAG, textHash, unit } from '../lab/words/random.ts';
import type { DnsFault, ResolvedAddress } from '../net/dns.ts';

/** What comes late comes so late; and as long is waited for what never comes. */
const PATIENCE: Millis = 5000;
const NEAREST: Millis = 20;
const FURTHEST: Millis = 250;
const NAME_SERVER: Millis = 30;
const SLOW: ReadonlySet<BehaviourName | undefined> = new Set(['slow-start', 'drip', 'long-length']);

export interface LookUp {
  readonly takes: Millis;
  readonly outcome: ResolvedAddress | DnsFault | 'address-refused';
}

export class Network {
  readonly #web: Web;

  constructor(web: Web) {
    this.#web = web;
  }

  /** From a request to its answer. */
  takes(hostName: string, behaviour?: BehaviourName): Millis {
    const u = this.#draw(hostName);
    const distance = Math.round(NEAREST + (FURTHEST - NEAREST) * u * u * u);
    return SLOW.has(behaviour) ? distance + PATIENCE : distance;
  }

  lookUp(hostName: string): LookUp {
    const options = { oneAddress: false, patience: PATIENCE };
    const { rcode, address = '', delay = 0 } = resolveName(this.#web, hostName, options);
    const takes = Math.round(NAME_SERVER * (0.5 + this.#draw(hostName))) + delay;
    if (rcode === 'silent') return { takes: PATIENCE, outcome: 'dns-timeout' };
    if (rcode === RCODE.nameError) return { takes, outcome: 'dns-not-found' };
    if (rcode !== RCODE.noError) return { takes, outcome: 'dns-failed' };
    // The web lives in 127.0.0.0/8; whatever else it names is a private network's.
    return {
      takes,
      outcome: address.startsWith('127.') ? { ip: address, family: 4 } : 'address-refused',
    };
  }

  #draw(hostName: string): number {
    return unit(hash(this.#web.world.seed, TAG.latency, textHash(hostName)));
  }
}
