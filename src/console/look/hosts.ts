/**
 * The hosts that a crawl has in memory, as of the last checkpoints: who is paused and until when,
 * who is slow, who fails, and which share an address.
 *
 * Cost      the memory images of all agents, a few megabytes each.
 */
import type { Millis } from '../../base/units.ts';
import { agentDir, readImage, storedCheckpoint } from '../../crawl/state/agent-folder.ts';
import { repeatedly } from '../../crawl/state/domain-list.ts';
import { decodeImage } from '../../crawl/state/memory-image.ts';
import { Disk } from '../../disk/disk.ts';
import { readOnly } from '../../disk/file-system.ts';
import { Domain, Host } from '../../frontier/host.ts';
import { decodeHost } from '../../frontier/host-record.ts';
import { readSnapshot } from '../../frontier/snapshot.ts';
import { UNREACHABLE } from '../../robots/parse-robots.ts';
import { payLevelDomain } from '../../url/domain.ts';

export interface HostRow {
  readonly host: string;
  readonly domain: string;
  readonly agent: number;
  readonly queued: number;
  /** More of its URLs are on disk. */
  readonly hasBacklog: boolean;
  readonly fetched: number;
  readonly readyAt: Millis;
  readonly responseTime: Millis | undefined;
  readonly failures: number;
  /** Why it was given up, and until when. */
  readonly givenUp: { readonly fault: string; readonly until: Millis } | undefined;
  readonly addresses: readonly string[];
  readonly crawlDelay: Millis;
  readonly robots: readonly {
    readonly origin: string;
    readonly expiresAt: Millis;
    readonly isUnreachable: boolean;
  }[];
}

export const HOST_SORTS = ['ready', 'slow', 'failing', 'queued', 'fetched', 'host'] as const;

interface HostsQuery {
  readonly sort: (typeof HOST_SORTS)[number];
  readonly contains: string;
  readonly count: number;
}

interface HostsPage {
  /** Hosts in memory. */
  readonly hosts: number;
  readonly rows: readonly HostRow[];
  /** The addresses with the most hosts. */
  readonly addresses: readonly {
    readonly ip: string;
    readonly hosts: number;
    readonly queued: number;
  }[];
  readonly savedAt: Millis | undefined;
}

const MOST_ADDRESSES = 20;

export function listHosts(dir: string, agents: number, query: HostsQuery): Promise<HostsPage> {
  return repeatedly(() => listOnce(dir, agents, query));
}

async function listOnce(dir: string, agents: number, query: HostsQuery): Promise<HostsPage> {
  let rows: HostRow[] = [];
  let hosts = 0;
  let savedAt: Millis | undefined;
  const order = ORDERS[query.sort];
  const addresses = new Map<string, { hosts: number; queued: number }>();
  for await (const row of hostsInMemory(dir, agents, (at) => {
    savedAt = Math.min(savedAt ?? at, at);
  })) {
    hosts++;
    const [ip] = row.addresses;
    if (ip !== undefined) {
      const shared = addresses.get(ip) ?? { hosts: 0, queued: 0 };
      addresses.set(ip, { hosts: shared.hosts + 1, queued: shared.queued + row.queued });
    }
    if (query.contains !== '' && !row.host.includes(query.contains) && ip !== query.contains)
      continue;
    rows.push(row);
    if (rows.length > 2 * query.count + 1024) rows = rows.sort(order).slice(0, query.count);
  }
  return {
    hosts,
    rows: rows.sort(order).slice(0, query.count),
    addresses: [...addresses]
      .map(([ip, shared]) => ({ ip, ...shared }))
      .sort((a, b) => b.hosts - a.hosts || b.queued - a.queued)
      .slice(0, MOST_ADDRESSES),
    savedAt,
  };
}

const ORDERS: Readonly<Record<HostsQuery['sort'], (a: HostRow, b: HostRow) => number>> = {
  ready: (a, b) => b.readyAt - a.readyAt,
  slow: (a, b) => (b.responseTime ?? 0) - (a.responseTime ?? 0),
  failing: (a, b) => b.failures - a.failures,
  queued: (a, b) => b.queued - a.queued,
  fetched: (a, b) => b.fetched - a.fetched,
  host: (a, b) => (a.host < b.host ? -1 : 1),
};

async function* hostsInMemory(
  dir: string,
  agents: number,
  onCheckpoint: (savedAt: Millis) => void,
): AsyncGenerator<HostRow> {
  const disk = new Disk(readOnly());
  for (let agent = 0; agent < agents; agent++) {
    const stored = await storedCheckpoint(disk, dir, agent);
    if (!stored) continue;
    onCheckpoint(stored.state.savedAt);
    const own = agentDir(dir, agent);
    const { frontier } = decodeImage(await readImage(disk, own, stored), own);
    for (const one of readSnapshot(frontier)) {
      if (one.kind !== 'host') continue;
      const host = new Host(one.name, new Domain(payLevelDomain(one.name)));
      if (decodeHost(one.record, host))
        yield { ...rowOf(host), agent, queued: one.queue.count, hasBacklog: one.hasBacklog };
    }
  }
}

function rowOf(host: Host): Omit<HostRow, 'agent' | 'queued' | 'hasBacklog'> {
  return {
    host: host.name,
    domain: host.domain.name,
    fetched: host.pages,
    readyAt: host.readyAt,
    responseTime: host.responseTime,
    failures: host.failures,
    givenUp: host.givenUp,
    addresses: host.addresses.map(({ ip }) => ip),
    crawlDelay: host.crawlDelay,
    robots: [...host.robots].map(([origin, { rules, expiresAt }]) => ({
      ...{ origin, expiresAt, isUnreachable: rules === UNREACHABLE },
    })),
  };
}
