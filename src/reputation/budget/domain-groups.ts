/**
 * The discoveries of a batch by domain: those of one domain ask for their places together.
 *
 * Requires  discoveries as they travel (frontier/queue/discovered-url.ts), of canonical URLs.
 * Ensures   every discovery is in one group, those of a domain in their order, all its hosts
 *           together. From now on its hosts count as introduced: the caller makes sure that the
 *           domain of a group with `isKnown: false` gets a record.
 */
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import type { RecentHost, RecentHosts } from './recent-hosts.ts';

export interface DomainGroup {
  readonly domain: string;
  readonly key: bigint;
  /** The domain has a record, or will have one before the next offer. */
  isKnown: boolean;
  /** Numbers of its discoveries in the batch. */
  readonly entries: number[];
}

export function byDomain(batch: KeyedBatch, hosts: RecentHosts): Iterable<DomainGroup> {
  const text = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.length);
  const groups = new Map<bigint, DomainGroup>();
  const met: RecentHost[] = [];
  let group: DomainGroup | undefined;
  for (let i = 0; i < batch.length; i++) {
    const host = hosts.in(text, i === 0 ? 0 : batch.ends[i - 1]);
    if (host !== met.at(-1) || !group) {
      met.push(host);
      group = groups.get(host.key) ?? groupOf(host);
      groups.set(host.key, group);
      if (host.introduced) group.isKnown = true;
    }
    group.entries.push(i);
  }
  // Not before: a host that comes twice in one batch is not known the second time.
  for (const host of met) host.introduced = true;
  return groups.values();
}

const groupOf = ({ domain, key }: RecentHost): DomainGroup => ({
  domain,
  key,
  isKnown: false,
  entries: [],
});
