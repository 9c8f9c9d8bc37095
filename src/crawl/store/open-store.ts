/** Opens the store that the settings select, at an agent's last checkpoint. */
import { hostname } from 'node:os';
import { archiveDir, partsDir } from '../../archive/index/index-merge.ts';
import { EarlierPayloads, earlierDir } from '../../archive/payloads/earlier-payloads.ts';
import { StoredPayloads } from '../../archive/payloads/stored-payloads.ts';
import { type RecoveryOptions, recoverArchive } from '../../archive/write/recovery.ts';
import { WarcWriter, type WholeLength } from '../../archive/write/warc-writer.ts';
import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { ArchiveStore } from './archive-store.ts';
import { FileStore, pagesDir } from './file-store.ts';
import type { Store } from './store.ts';

interface StoreOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly config: CrawlConfig;
  readonly agent: number;
  readonly userAgent: string;
  /** The serial of the first WARC file of this run. */
  readonly firstSerial?: number | undefined;
  /** The files of the last checkpoint. */
  readonly earlier: readonly WholeLength[] | undefined;
  /** How files are restored to that checkpoint. */
  readonly recovery: Pick<RecoveryOptions, 'keepTails' | 'onOrphan'>;
}

/** A crawl without a folder stores nothing. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { disk, clock, config, agent, earlier, recovery } = options;
  if (config.dir === '' || config.store === 'none')
    return new ArchiveStore(undefined, clock, earlier);
  if (config.store === 'files')
    return FileStore.open(disk, pagesDir(config.dir), String(agent), earlier, {
      ...recovery,
      maxBody: config.maxBody,
    });
  const { writer, payloads } = await openArchive(options);
  return new ArchiveStore(writer, clock, earlier, payloads);
}

async function openArchive(options: StoreOptions) {
  const { disk, config, agent, userAgent, firstSerial, earlier, recovery } = options;
  const dir = archiveDir(config.dir);
  const indexDir = partsDir(config.dir);
  for (const folder of [dir, indexDir]) await disk.makeFolder(folder);
  await recoverArchive(disk, dir, String(agent), earlier, { ...recovery, indexDir });
  const payloads =
    config.duplicates === 'store' ? undefined : await openPayloads(disk, config, earlier);
  const writer = await WarcWriter.open(dir, {
    disk,
    indexDir,
    payloads,
    duplicates: config.duplicates === 'skip' ? 'skip' : 'revisit',
    metadata: config.metadata,
    agent: String(agent),
    ...(firstSerial !== undefined && { firstSerial }),
    info: {
      software: `drumlin/${VERSION}`,
      userAgent,
      robots: 'obey',
      hostname: hostname(),
      ...(config.contact !== '' && { operator: config.contact }),
    },
    rotateBytes: config.warcSize,
    compress: config.compress,
    gzipLevel: config.gzip,
    zstdLevel: config.zstd,
  });
  return { writer, payloads };
}

/**
 * The stored payloads, of this crawl and of those in `--dedup-against`; each has half the memory.
 */
async function openPayloads(
  disk: Disk,
  { dir, dedupAgainst, dedupMemory }: CrawlConfig,
  files: readonly WholeLength[] = [],
): Promise<StoredPayloads> {
  const compares = dedupAgainst.length > 0;
  const memory = compares ? dedupMemory / 2 : dedupMemory;
  const earlier = compares ? await EarlierPayloads.open(disk, earlierDir(dir), memory) : undefined;
  return StoredPayloads.open({
    disk,
    folder: partsDir(dir),
    files: files.map(({ file }) => file),
    memory,
    earlier,
  });
}
