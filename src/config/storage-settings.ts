/** Settings for memory, checkpoints, the store and the archive. */
import type { GzipLevel } from '../archive/compress/gzip.ts';
import { setting } from './setting.ts';
import {
  compressionName,
  countOf,
  duplicatesName,
  duration,
  flag,
  gzipLevel,
  list,
  port,
  size,
  storeName,
  zstdLevel,
} from './value-types.ts';

const LEAST_MEMORY = 2 ** 16;

export const STORAGE_SETTINGS = {
  sieveMemory: setting(
    'sieve-memory',
    size,
    32 * 2 ** 20,
    'memory of each agent for telling new URLs from known ones',
    2 ** 20,
  ),
  frontHosts: setting(
    'front-hosts',
    countOf('hosts'),
    12_000,
    'most hosts that each agent keeps in memory',
    1,
  ),
  frontUrls: setting(
    'front-urls',
    countOf('URLs'),
    120_000,
    'most queued URLs that each agent keeps in memory',
    1,
  ),
  backlogMemory: setting(
    'backlog-memory',
    size,
    8 * 2 ** 20,
    'memory of each agent for queued URLs on their way to and from disk',
    LEAST_MEMORY,
  ),
  hostMemory: setting(
    'host-memory',
    size,
    16 * 2 ** 20,
    'memory of each agent for data about hosts on its way to and from disk',
    2 ** 20,
  ),
  domainMemory: setting(
    'domain-memory',
    size,
    16 * 2 ** 20,
    'memory of each agent for domains, the links between them and URLs without budget, on their way to and from disk',
    8 * 2 ** 20,
  ),
  bodyMemory: setting(
    'body-memory',
    size,
    256 * 2 ** 20,
    'memory of each agent for bodies: those in progress, and those of pages that are not stored yet, as received and decoded',
    2 ** 20,
  ),
  checkpoint: setting(
    'checkpoint',
    duration,
    10_000,
    'time between two checkpoints; after a crash the crawl resumes from the last one',
    100,
  ),
  metricsPort: setting(
    'metrics-port',
    port,
    0,
    'port on 127.0.0.1 that serves /metrics for Prometheus and /healthz; 0 turns it off',
    0,
    65_535,
  ),
  store: setting(
    'store',
    storeName,
    'warc',
    'where to put pages: warc (an archive with the exact bytes), files (pages/, one file for each successful page) or none',
  ),
  warcSize: setting(
    'warc-size',
    size,
    1e9,
    'start another WARC file when one has grown past this size',
  ),
  duplicates: setting(
    'duplicates',
    duplicatesName,
    'revisit',
    'what to do with a page whose payload is already in the archive: revisit (store a reference to it), store (store it again) or skip (do not store it)',
  ),
  dedupAgainst: setting(
    'dedup-against',
    list,
    [],
    'folders of earlier crawls, or files of CDXJ lines, whose pages count as already archived',
  ),
  dedupMemory: setting(
    'dedup-memory',
    size,
    16 * 2 ** 20,
    'memory of each agent for the digests of archived pages; the oldest are forgotten first',
    2 ** 10,
  ),
  metadata: setting(
    'metadata',
    flag,
    false,
    'store a metadata record with every page: its distance from a seed, the time to fetch it',
  ),
  text: setting(
    'text',
    flag,
    false,
    'store the main text of every page beside it, as a conversion record (text/plain)',
  ),
  dnsRecords: setting(
    'dns-records',
    flag,
    false,
    'store a resource record (text/dns) for every name looked up, with its addresses',
  ),
  compress: setting(
    'compress',
    compressionName,
    'gzip',
    'how to compress the records of the archive: gzip (.warc.gz, read by every tool), zstd (.warc.zst, smaller, read by fewer tools) or none (.warc)',
  ),
  gzip: setting<GzipLevel>(
    'gzip',
    gzipLevel,
    1,
    'gzip level of the archive, 1 (fast) to 9 (small)',
    1,
    9,
  ),
  zstd: setting('zstd', zstdLevel, 3, 'zstd level of the archive, 1 (fast) to 19 (small)', 1, 19),
} as const;
