/**
 * What can be set for a crawl: one table. The command line's flags, the environment's names, the library's options
 * and docs/configuration.md are all read off it.
 */
import type { GzipLevel } from '../archive/gzip.ts';
import { DrumlinError } from '../errors.ts';
import {
  type Bytes,
  formatBytes,
  formatDuration,
  type Millis,
  parseBytes,
  parseCount,
  parseDuration,
} from '../units.ts';

/** A kind of value: how it is written, read and printed. */
export interface ValueType<T> {
  readonly placeholder: string;
  parse(text: string): T;
  print(value: T): string;
}

export interface Setting<T> {
  readonly flag: string;
  readonly type: ValueType<T>;
  readonly default: T;
  readonly doc: string;
  /** Smallest and largest value, where it is a number. */
  readonly least: number;
  readonly most: number;
}

const text: ValueType<string> = { placeholder: 'text', parse: (t) => t, print: (v) => v };
const folder: ValueType<string> = { ...text, placeholder: 'folder' };
const file: ValueType<string> = { ...text, placeholder: 'file' };
const count: ValueType<number> = {
  placeholder: 'count',
  parse: parseCount,
  print: (v) => (v === Infinity ? 'no limit' : String(v)),
};
const duration: ValueType<Millis> = {
  placeholder: 'time',
  parse: parseDuration,
  print: (v) => (v === Infinity ? 'no limit' : formatDuration(v)),
};
const size: ValueType<Bytes> = { placeholder: 'size', parse: parseBytes, print: formatBytes };
const list: ValueType<readonly string[]> = {
  placeholder: 'list',
  parse: (t) =>
    t
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  print: (v) => v.join(','),
};
/** A flag that is on when named; it may take a list, and `true` stands for everything. */
const ranges: ValueType<boolean | readonly string[]> = {
  placeholder: 'ranges',
  parse: (t) => (t === 'true' || t === '' ? true : t === 'false' ? false : list.parse(t)),
  print: (v) => (typeof v === 'boolean' ? String(v) : list.print(v)),
};
const gzipLevel: ValueType<GzipLevel> = {
  placeholder: 'level',
  parse: (t) => parseCount(t) as GzipLevel,
  print: String,
};

const setting = <T>(
  flag: string,
  type: ValueType<T>,
  value: T,
  doc: string,
  least = 0,
  most = Infinity,
): Setting<T> => ({ flag, type, default: value, doc, least, most });

export const SETTINGS = {
  dir: setting(
    'dir',
    folder,
    '',
    'folder that the crawl leaves behind; by default a new one in crawls/, and in the library none at all',
  ),
  maxPages: setting('max-pages', count, Infinity, 'stop after this many pages', 1),
  maxTime: setting(
    'max-time',
    duration,
    Infinity,
    'stop after this time; requests under way get three seconds more',
  ),
  maxDepth: setting('max-depth', count, Infinity, 'follow at most this many links from a seed'),
  delay: setting('delay', duration, 4000, 'time between two requests to one host'),
  addressDelay: setting(
    'address-delay',
    duration,
    500,
    'time between two requests to one address; never more than the delay of a host',
  ),
  fetches: setting('fetches', count, 256, 'requests under way at once, each to another address', 1),
  dns: setting('dns', list, [], 'name servers to ask, host:port, instead of the system’s'),
  allowPrivate: setting(
    'allow-private',
    ranges,
    false,
    'fetch from loopback and private addresses too, all of them or the ranges named',
  ),
  userAgent: setting('user-agent', text, '', 'the whole User-Agent line, in place of drumlin’s own'),
  contact: setting(
    'contact',
    text,
    '',
    'URL or e-mail address of whoever runs the crawl; public sites need it',
  ),
  ca: setting('ca', file, '', 'file with certificate authorities (PEM) to trust beside the usual ones'),
  maxBody: setting('max-body', size, 10 * 2 ** 20, 'longer bodies are cut here and marked as truncated'),
  maxRedirects: setting('max-redirects', count, 5, 'redirects followed in a row'),
  dropParameters: setting(
    'drop-parameters',
    list,
    [],
    'query parameters to drop from every URL; "tracking" stands for the usual session and tracking ones',
  ),
  sieveMemory: setting(
    'sieve-memory',
    size,
    64 * 2 ** 20,
    'memory for telling new URLs from known ones',
    2 ** 20,
  ),
  warcSize: setting('warc-size', size, 1e9, 'a WARC file that has grown past this is followed by another'),
  gzip: setting<GzipLevel>('gzip', gzipLevel, 1, 'gzip level of the archive, 1 (fast) to 9 (small)', 1, 9),
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type CrawlConfig = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };
/** As a user of the library writes it: anything may be left out, and written as on the command line. */
export type CrawlOptions = { readonly [K in keyof CrawlConfig]?: CrawlConfig[K] | string };

/** Whoever asks for no delay between pages of a host cannot want one between the hosts of an address. */
export const addressDelay = ({ addressDelay, delay }: CrawlConfig): Millis => Math.min(addressDelay, delay);

/** The table as plain rows, for the command line and the docs. */
export const SETTING_ROWS = Object.entries(SETTINGS) as unknown as [keyof CrawlConfig, Setting<unknown>][];

export const environmentName = (setting: Setting<unknown>): string =>
  `DRUMLIN_${setting.flag.toUpperCase().replaceAll('-', '_')}`;

/** Fills in the defaults, reads values written as text, and refuses what it does not know. */
export function resolveConfig(options: CrawlOptions): CrawlConfig {
  const config: Record<string, unknown> = {};
  for (const key of Object.keys(options)) {
    if (!(key in SETTINGS)) {
      throw new DrumlinError('SETTING', `There is no setting "${key}".`, `Did you mean "${nearest(key)}"?`);
    }
  }
  for (const [key, setting] of SETTING_ROWS) {
    const given = options[key] ?? setting.default;
    config[key] = checked(setting, typeof given === 'string' ? read(setting, given) : given);
  }
  return config as CrawlConfig;
}

function read({ flag, type }: Setting<unknown>, text: string): unknown {
  try {
    return type.parse(text);
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    throw new DrumlinError('SETTING', `${flag}: ${error.fact}`, error.remedy);
  }
}

function checked({ flag, default: preset, type, least, most }: Setting<unknown>, value: unknown): unknown {
  if (typeof preset !== 'number' || (typeof value === 'number' && value >= least && value <= most))
    return value;
  const range =
    most === Infinity ? `${type.print(least)} or more` : `${type.print(least)} to ${type.print(most)}`;
  throw new DrumlinError('SETTING', `${flag}: ${String(value)} is out of range.`, `Take ${range}.`);
}

function nearest(key: string): string {
  const distances = SETTING_ROWS.map(([known]) => ({ known, distance: editDistance(key, known) }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
