/**
 * Domains that exchange links: many link to them, nobody who is trusted does, and they link to each
 * other.
 *
 * Idea      A domain is *unsupported* if at least `LINKS` sources link to it, and less trust
 *           reaches it by all of them than half a mean link carries (trust-walk.ts). Links alone
 *           must not condemn a domain, as a rival can make them. So an exchange is an unsupported
 *           domain that itself links to at least `PARTNERS` unsupported domains, and to those with
 *           a quarter of its links or more. A rival cannot write these.
 *           Where most domains with so many links are unsupported, trust has not spread, and that
 *           says nothing of anybody: then no exchange is found.
 * Requires  the links of nearly all sources: in a small sample walks end early, and little trust
 *           reaches anybody. Below `LEAST_SHARE` of the sources no exchange is found.
 * Ensures   the same result for any order of sources and arcs.
 * Cost      one pass over the nodes, one over the links of unsupported sources; a byte a source.
 */
import type { Trust, WalkedArcs } from './trust-walk.ts';

const LINKS = 6;
const LEAST_TRUST = 1 / 2;
const PARTNERS = 3;
const LEAST_PART = 1 / 4;
const LEAST_SHARE = 0.5;
const MOST_UNSUPPORTED = 1 / 2;

interface TrustedArcs {
  readonly arcs: WalkedArcs;
  readonly trust: Trust;
  /** How many drawn sources link to each node. */
  readonly linked: Uint32Array;
  /** The share of all sources that was drawn. */
  readonly p: number;
}

/** For each source, 1 if it exchanges links. */
export function findExchanges({ arcs, trust, linked, p }: TrustedArcs): Uint8Array {
  const { sources, begins, ends, targets } = arcs;
  const found = new Uint8Array(sources.length);
  if (p < LEAST_SHARE) return found;
  const isUnsupported = (node: number) =>
    linked[node] >= LINKS && trust.received[node] < LEAST_TRUST * trust.unit;
  if (shareAmong(linked, isUnsupported) > MOST_UNSUPPORTED) return found;
  for (let i = 0; i < sources.length; i++) {
    const own = sources[i];
    if (!isUnsupported(own)) continue;
    let partners = 0;
    for (let at = begins[i]; at < ends[i]; at++)
      if (targets[at] !== own && isUnsupported(targets[at])) partners++;
    const all = ends[i] - begins[i];
    if (partners >= PARTNERS && partners >= LEAST_PART * all) found[i] = 1;
  }
  return found;
}

/** The share of the nodes with enough links of which something holds. */
function shareAmong(linked: Uint32Array, holds: (node: number) => boolean): number {
  let [all, those] = [0, 0];
  for (let node = 0; node < linked.length; node++) {
    if (linked[node] < LINKS) continue;
    all++;
    if (holds(node)) those++;
  }
  return all === 0 ? 0 : those / all;
}
