/**
 * What can be set for a crawl: one table. The command line's flags, the environment's names, the library's options
 * and docs/configuration.md are all read off it.
 */
import { availableParallelism } from 'node:os';
import type { GzipLevel } from '../archive/compress/gzip.ts';
import { DrumlinError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Millis } from '../base/units.ts';
import type { FilterTexts } from '../filter/filter-set.ts';
import {
  agents,
  budgetPolicy,
  compressionName,
  contentTypes,
  count,
  duplicatesName,
  duration,
  endless,
  file,
  filterText,
  flag,
  folder,
  gzipLevel,
  likenessAction,
  list,
  orderName,
  patterns,
  proxyUrl,
  ranges,
  rankName,
  scopeName,
  share,
  size,
  softErrorAction,
  storeName,
  text,
  type ValueType,
  wholePath,
  zstdLevel,
} from './value-types.ts';

export interface Setting<T> {
  readonly flag: string;
  readonly type: ValueType<T>;
  readonly default: T;
  readonly doc: string;
  /** Smallest and largest value, where it is a number. */
  readonly least: number;
  readonly most: number;
}

const setting = <T>(
  flag: string,
  type: ValueType<T>,
  value: T,
  doc: string,
  least = 0,
  most = Infinity,
): Setting<T> => ({ flag, type, default: value, doc, least, most });

/** What every server is asked to take (RFC 9110, 4.1). */
const LONGEST_URL = 8000;
const LEAST_MEMORY = 2 ** 16;

export const SETTINGS = {
  dir: setting(
    'dir',
    folder,
    '',
    'folder that the crawl leaves behind; by default a new one in crawls/, and in the library none at all',
  ),
  agents: setting(
    'agents',
    agents,
    'cores',
    'agents, each on a thread of its own; "cores" is one per core',
  ),
  scope: setting(
    'scope',
    scopeName,
    'any',
    'which links are followed: host (to the hosts of the seeds), domain (to their domains), prefix (to what lies under their folders) or any',
  ),
  order: setting(
    'order',
    orderName,
    'budget',
    'which URLs come first: bfs (in the order they are found) or budget (every domain has as many a round as its reputation earns)',
  ),
  rank: setting(
    'rank',
    rankName,
    'tse',
    'what a domain’s reputation is: in (domains that link to it), opic (what pages that link to it share out), tse (estimated supporters) or none',
  ),
  budget: setting(
    'budget',
    budgetPolicy,
    'proportional(power=2)',
    'URLs that a domain may have a round: irlbot, proportional, equal(10), top(1000), inverse, or arithmetic over rank and score, such as "rank <= 1000 ? 5000 : 10"',
  ),
  rankSample: setting(
    'rank-sample',
    share,
    1,
    'part of the domains whose links tse goes by; halved whenever there are too many for memory',
  ),
  include: setting(
    'include',
    patterns,
    [],
    'follow only links that match: a glob over the whole URL, such as https://example.org/docs/*, or a regular expression between slashes; may be repeated, or take several with blanks between them',
  ),
  exclude: setting(
    'exclude',
    patterns,
    [],
    'follow no links that match, written like those of include, and fetch nothing that waits and matches; it wins over include',
  ),
  sitemaps: setting(
    'sitemaps',
    flag,
    false,
    'read the sitemaps that robots.txt files name, and follow what they list of their own domains',
  ),
  scheduleFilter: setting(
    'schedule-filter',
    filterText,
    '',
    'which links are scheduled, such as "HostEndsWith(.edu) and PathDepth < 4"; @FILE reads it from a file ("drumlin filter list" tells what can be asked)',
  ),
  fetchFilter: setting(
    'fetch-filter',
    filterText,
    '',
    'which URLs are fetched when their turn comes',
  ),
  parseFilter: setting('parse-filter', filterText, '', 'which pages are read for links'),
  followFilter: setting('follow-filter', filterText, '', 'which pages have their links followed'),
  storeFilter: setting(
    'store-filter',
    filterText,
    '',
    'which responses are kept, and shown to onPage',
  ),
  predicates: setting(
    'predicates',
    wholePath,
    '',
    'JavaScript module with predicates of your own for filters, such as: export const IsBlog = ({ url }) => url.includes("/blog/")',
  ),
  maxDepth: setting(
    'max-depth',
    endless(count),
    Infinity,
    'follow at most this many links from a seed',
  ),
  maxUrlLength: setting(
    'max-url-length',
    count,
    2048,
    'follow no links longer than this',
    1,
    LONGEST_URL,
  ),
  maxRepeats: setting(
    'max-repeats',
    count,
    3,
    'follow no links in whose path the same segments stand more often than this in a row, such as /a/b/a/b/a/b/a/b',
    1,
  ),
  nearDuplicates: setting(
    'near-duplicates',
    likenessAction,
    'off',
    'what becomes of a page whose text is nearly that of an earlier one: store, no-follow (its links are not followed), skip (nor is it archived) or off (nobody looks)',
  ),
  similarity: setting(
    'similarity',
    share,
    0.65,
    'part of their text that two pages must have in common to be near-duplicates',
    0.5,
    1,
  ),
  similarityMemory: setting(
    'similarity-memory',
    size,
    16 * 2 ** 20,
    'memory of each agent for the pages that new ones are compared with, about 200 bytes a page',
    LEAST_MEMORY,
  ),
  learnTraps: setting(
    'learn-traps',
    flag,
    false,
    'learn for each host which parameters, numbers and folders of its URLs do not choose the page, and follow such links once',
  ),
  softErrors: setting(
    'soft-errors',
    softErrorAction,
    'off',
    'what becomes of pages that say with status 200 that they are not there: store, skip, or off (nobody looks)',
  ),
  maxPages: setting(
    'max-pages',
    endless(count),
    Infinity,
    'stop after this many pages; a crawl that goes on counts anew',
    1,
  ),
  maxPagesPerHost: setting(
    'max-pages-per-host',
    endless(count),
    Infinity,
    'fetch at most this many pages of a host',
    1,
  ),
  maxPagesPerDomain: setting(
    'max-pages-per-domain',
    endless(count),
    Infinity,
    'fetch at most this many pages of a domain and all its hosts',
    1,
  ),
  maxBytes: setting('max-bytes', endless(size), Infinity, 'stop when this much was received', 1),
  maxTime: setting(
    'max-time',
    endless(duration),
    Infinity,
    'stop after this time; requests under way get three seconds more',
  ),
  maxBody: setting(
    'max-body',
    size,
    10 * 2 ** 20,
    'longer bodies are cut here and marked as truncated',
  ),
  types: setting(
    'types',
    contentTypes,
    [],
    'content types to archive and to read, such as text/html,application/pdf,image/*',
  ),
  maxRedirects: setting('max-redirects', count, 5, 'redirects followed in a row'),
  dropParameters: setting(
    'drop-parameters',
    list,
    [],
    'query parameters to drop from every URL; "tracking" stands for the usual session and tracking ones',
  ),
  delay: setting('delay', duration, 4000, 'time between two requests to one host'),
  addressDelay: setting(
    'address-delay',
    duration,
    500,
    'time between two requests to one address; never more than the delay of a host',
  ),
  slowDelay: setting(
    'slow-delay',
    duration,
    40_000,
    'time between two requests to one host of a domain with the least budget, while others wait; with larger budgets it shrinks to the delay',
  ),
  slowAddressDelay: setting('slow-address-delay', duration, 1000, 'the same for addresses'),
  delays: setting(
    'delays',
    file,
    '',
    'file with other delays for some, one a line: host example.org 10s, host .example.org 10s (the domain and below), address 192.0.2.1 2s',
  ),
  maxCrawlDelay: setting(
    'max-crawl-delay',
    duration,
    60_000,
    'longest Crawl-delay of a robots.txt that is kept; a longer one counts as this',
  ),
  fetches: setting('fetches', count, 256, 'requests under way at once, each to another address', 1),
  userAgent: setting(
    'user-agent',
    text,
    '',
    'the whole User-Agent line, in place of drumlin’s own',
  ),
  contact: setting(
    'contact',
    text,
    '',
    'URL or e-mail address of whoever runs the crawl; public sites need it',
  ),
  auth: setting(
    'auth',
    file,
    '',
    'file with passwords for Basic authentication, in lines of "host user password"',
  ),
  cookies: setting(
    'cookies',
    file,
    '',
    'file with cookies to send, as browsers and wget export them (cookies.txt)',
  ),
  proxy: setting(
    'proxy',
    proxyUrl,
    '',
    'HTTP proxy to fetch through, http://user:password@host:port; crawl.json keeps it without the password',
  ),
  dns: setting('dns', list, [], 'name servers to ask, host:port, instead of the system’s'),
  allowPrivate: setting(
    'allow-private',
    ranges,
    false,
    'fetch from loopback and private addresses too, all of them or the ranges named',
  ),
  ca: setting(
    'ca',
    file,
    '',
    'file with certificate authorities (PEM) to trust beside the usual ones',
  ),
  insecure: setting(
    'insecure',
    flag,
    false,
    'take certificates that cannot be verified: expired ones, self-signed ones, those of another name',
  ),
  sieveMemory: setting(
    'sieve-memory',
    size,
    32 * 2 ** 20,
    'memory of each agent for telling new URLs from known ones',
    2 ** 20,
  ),
  frontHosts: setting('front-hosts', count, 12_000, 'most hosts in the memory of each agent', 1),
  frontUrls: setting(
    'front-urls',
    count,
    120_000,
    'most URLs waiting in the memory of each agent',
    1,
  ),
  backlogMemory: setting(
    'backlog-memory',
    size,
    8 * 2 ** 20,
    'memory of each agent for URLs on their way to and from the disk',
    LEAST_MEMORY,
  ),
  hostMemory: setting(
    'host-memory',
    size,
    16 * 2 ** 20,
    'memory of each agent for what is known of hosts on their way to and from the disk',
    2 ** 20,
  ),
  domainMemory: setting(
    'domain-memory',
    size,
    16 * 2 ** 20,
    'memory of each agent for domains, the links between them and URLs that wait for budget, on their way to and from the disk',
    8 * 2 ** 20,
  ),
  checkpoint: setting(
    'checkpoint',
    duration,
    10_000,
    'time between two checkpoints: after a crash the crawl goes on from the last',
    100,
  ),
  metricsPort: setting(
    'metrics-port',
    count,
    0,
    'port of 127.0.0.1 where /metrics for Prometheus and /healthz are served; 0 is none',
    0,
    65_535,
  ),
  store: setting(
    'store',
    storeName,
    'warc',
    'where pages go: warc (an archive, with the exact bytes), files (pages/, a file for each page that came well) or none',
  ),
  warcSize: setting(
    'warc-size',
    size,
    1e9,
    'a WARC file that has grown past this is followed by another',
  ),
  duplicates: setting(
    'duplicates',
    duplicatesName,
    'revisit',
    'what becomes of a page whose payload is in the archive already: revisit (stored as a reference to it), store (stored again) or skip (not stored)',
  ),
  dedupAgainst: setting(
    'dedup-against',
    list,
    [],
    'folders of earlier crawls, or files of CDXJ lines, whose pages count as being in the archive already',
  ),
  dedupMemory: setting(
    'dedup-memory',
    size,
    16 * 2 ** 20,
    'memory of each agent for the digests of pages that are in the archive; the oldest are forgotten',
    2 ** 10,
  ),
  metadata: setting(
    'metadata',
    flag,
    false,
    'store a metadata record with every page: links from a seed to it, time to fetch it',
  ),
  dnsRecords: setting(
    'dns-records',
    flag,
    false,
    'store a resource record (text/dns) for every name that was looked up, with the addresses it had',
  ),
  compress: setting(
    'compress',
    compressionName,
    'gzip',
    'how records of the archive are compressed: gzip (.warc.gz, which every tool reads), zstd (.warc.zst, smaller, which fewer do) or none (.warc)',
  ),
  gzip: setting<GzipLevel>(
    'gzip',
    gzipLevel,
    1,
    'level of gzip in the archive, 1 (fast) to 9 (small)',
    1,
    9,
  ),
  zstd: setting(
    'zstd',
    zstdLevel,
    3,
    'level of zstd in the archive, 1 (fast) to 19 (small)',
    1,
    19,
  ),
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type CrawlConfig = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };
/** As a user of the library writes it: anything may be left out, and written as on the command line. */
export type CrawlOptions = { readonly [K in keyof CrawlConfig]?: CrawlConfig[K] | string };

/** Whoever asks for no delay between pages of a host cannot want one between the hosts of an address. */
export const addressDelay = ({ addressDelay, delay }: CrawlConfig): Millis =>
  Math.min(addressDelay, delay);

/** How many agents that is, on this machine. */
export const agentCount = ({ agents }: Pick<CrawlConfig, 'agents'>): number =>
  agents === 'cores' ? availableParallelism() : agents;

/** The filters that are set, by stage. */
export const filtersOf = (config: CrawlConfig): FilterTexts => ({
  schedule: config.scheduleFilter,
  fetch: config.fetchFilter,
  parse: config.parseFilter,
  follow: config.followFilter,
  store: config.storeFilter,
});

/** The settings that such filters are. */
export const filterSettings = ({
  schedule = '',
  fetch = '',
  parse = '',
  follow = '',
  store = '',
}: FilterTexts) => ({
  scheduleFilter: schedule,
  fetchFilter: fetch,
  parseFilter: parse,
  followFilter: follow,
  storeFilter: store,
});

/** The table as plain rows, for the command line and the docs. */
export const SETTING_ROWS = Object.entries(SETTINGS) as unknown as [
  keyof CrawlConfig,
  Setting<unknown>,
][];

export const environmentName = (setting: Setting<unknown>): string =>
  `DRUMLIN_${setting.flag.toUpperCase().replaceAll('-', '_')}`;

/** Fills in the defaults, reads values written as text, and refuses what it does not know. */
export function resolveConfig(options: CrawlOptions): CrawlConfig {
  const config: Record<string, unknown> = {};
  for (const key of Object.keys(options)) {
    if (!(key in SETTINGS)) {
      throw new DrumlinError(
        'SETTING',
        `There is no setting "${key}".`,
        `Did you mean "${nearest(key, Object.keys(SETTINGS))}"?`,
      );
    }
  }
  for (const [key, setting] of SETTING_ROWS) {
    config[key] = readSetting(key, options[key] ?? setting.default);
  }
  return config as CrawlConfig;
}

/** What a value of a setting means, or a refusal. */
export function readSetting(key: keyof CrawlConfig, given: unknown): unknown {
  const setting: Setting<unknown> = SETTINGS[key] as unknown as Setting<unknown>;
  return checked(setting, read(setting, given));
}

/** What is written as text, as what it means; anything else as it is. */
function read({ flag, type }: Setting<unknown>, given: unknown): unknown {
  const written =
    Array.isArray(given) && type.separator !== undefined ? given.join(type.separator) : given;
  if (typeof written !== 'string') return written;
  try {
    return type.parse(written);
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    throw new DrumlinError('SETTING', `${flag}: ${error.fact}`, error.remedy);
  }
}

function checked(
  { flag, default: preset, type, least, most }: Setting<unknown>,
  value: unknown,
): unknown {
  if (
    typeof preset === 'number' &&
    !(typeof value === 'number' && value >= least && value <= most)
  ) {
    const range =
      most === Infinity
        ? `${type.print(least)} or more`
        : `${type.print(least)} to ${type.print(most)}`;
    throw new DrumlinError(
      'SETTING',
      `${flag}: ${String(value)} is out of range.`,
      `Take ${range}.`,
    );
  }
  if (type.holds(value)) return value;
  throw new DrumlinError(
    'SETTING',
    `${flag}: ${String(value)} is no value for it (${type.placeholder}).`,
    'Give it as text, written as on the command line.',
  );
}

/** Whether a crawl needs any of this. */
export function wantsLikeness({
  nearDuplicates,
  learnTraps,
  softErrors,
}: Pick<CrawlConfig, 'nearDuplicates' | 'learnTraps' | 'softErrors'>): boolean {
  return nearDuplicates !== 'off' || learnTraps || softErrors !== 'off';
}
