/** One domain of a crawl: its record, hosts, captures and events. */
import type { Capture } from '../../archive/index/cdxj.ts';
import { DrumlinError } from '../../base/errors.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import type { DomainRow } from '../../crawl/state/domain-list.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Override } from '../../reputation/budget/domain-record.ts';
import { readOverrides } from '../../reputation/budget/overrides.ts';
import type { CrawlArchive } from './crawl-archive.ts';
import type { DomainTables } from './domain-table.ts';
import { type HostRow, listHosts } from './hosts.ts';
import { type LogLine, readLog } from './log.ts';
import { capturesOfDomain } from './out-links.ts';

const MOST_HOSTS = 100;
const MOST_LINES = 50;
const MOST_CAPTURES = 25;

interface DomainParts {
  readonly dir: string;
  readonly tables: DomainTables;
  readonly archive: CrawlArchive;
}

interface DomainView {
  readonly domain: string;
  /** Undefined if it has no record. */
  readonly row: DomainRow | undefined;
  readonly hosts: readonly HostRow[];
  readonly decision: Override | undefined;
  readonly log: readonly LogLine[];
  readonly captures: readonly Capture[];
}

export async function domainOf(
  disk: Disk,
  { dir, tables, archive: archived }: DomainParts,
  domain: string,
): Promise<DomainView> {
  const { agents } = await askedOf(disk, dir);
  const table = await tables.current().catch((error: unknown) => {
    if (error instanceof DrumlinError && error.code === 'NO_BUDGETS') return undefined;
    throw error;
  });
  const at = table?.find(domain);
  const query = { sort: 'queued', contains: domain, count: MOST_HOSTS } as const;
  const { rows } = await listHosts(dir, agents, query);
  const { lines } = await readLog(disk, dir, { contains: domain, count: MOST_LINES });
  const archive = await archived.open();
  const captures: Capture[] = [];
  if (archive)
    for await (const capture of capturesOfDomain(archive, domain)) captures.push(capture);
  captures.sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  return {
    domain,
    row: at === undefined ? undefined : table?.row(at),
    hosts: rows.filter((host) => host.domain === domain),
    decision: (await readOverrides(disk, dir)).get(domain),
    log: lines,
    captures: captures.slice(0, MOST_CAPTURES),
  };
}
