/** The kinds of values that settings take: how each is written, read, checked and printed. */
import { resolve } from 'node:path';
import type { Compression } from '../archive/compress/compression.ts';
import type { GzipLevel } from '../archive/compress/gzip.ts';
import type { ZstdLevel } from '../archive/compress/zstd.ts';
import { DrumlinError } from '../base/errors.ts';
import {
  type Bytes,
  formatBytes,
  formatDuration,
  type Millis,
  parseBytes,
  parseCount,
  parseDuration,
} from '../base/units.ts';
import { normalisedTypePattern } from '../filter/content-type.ts';
import { checkUrlPattern } from '../filter/url-pattern.ts';
import { parseBudget } from '../reputation/budget/budget-policy.ts';
import { RANKS } from '../reputation/budget/standing.ts';

export interface ValueType<T> {
  readonly placeholder: string;
  parse(text: string): T;
  print(value: T): string;
  /** Exactly, so that it is read as the same again; where `print` is for people. */
  write?(value: T): string;
  /** Whether a value that a program gave is one. */
  holds(value: unknown): value is T;
  /** All there are, where they are few. */
  readonly choices?: readonly string[];
  /** A list: a flag may be given several times, and a program may give an array; this stands between the items. */
  readonly separator?: string;
  /** A flag that may stand alone, for true: what can be its value. Any other word after it is not its own. */
  readonly takes?: RegExp;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => value === Infinity || Number.isInteger(value);
const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);
const unlessEndless = (print: (value: number) => string) => (value: number) =>
  value === Infinity ? 'no limit' : print(value);

export const text: ValueType<string> = {
  placeholder: 'text',
  parse: (t) => t,
  print: (v) => v,
  holds: isText,
};
export const folder: ValueType<string> = { ...text, placeholder: 'folder' };
export const file: ValueType<string> = { ...text, placeholder: 'file' };

/** A path that means the same from wherever the crawl goes on. */
export const wholePath: ValueType<string> = { ...file, parse: (t) => (t === '' ? '' : resolve(t)) };
/** Read when the crawl begins: it may name predicates of the user's own. */
export const filterText: ValueType<string> = {
  ...text,
  placeholder: 'filter',
  parse: (t) => t.trim(),
};

export const count: ValueType<number> = {
  placeholder: 'count',
  parse: parseCount,
  print: unlessEndless(String),
  holds: isCount,
};
export const duration: ValueType<Millis> = {
  placeholder: 'time',
  parse: parseDuration,
  print: unlessEndless(formatDuration),
  write: (v) => written(v, TIMES),
  holds: (v): v is Millis => typeof v === 'number',
};
export const size: ValueType<Bytes> = {
  placeholder: 'size',
  parse: parseBytes,
  print: unlessEndless(formatBytes),
  write: (v) => written(v, SIZES),
  holds: (v): v is Bytes => typeof v === 'number',
};
const TIMES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;
const SIZES = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
  ['', 1],
] as const;

/** In the largest unit that it is a whole number of. */
function written(value: number, units: readonly (readonly [string, number])[]): string {
  const [unit, size] =
    units.find(([, each]) => value !== 0 && value % each === 0) ?? units[units.length - 1];
  return `${value / size}${unit}`;
}

const NO_LIMIT = /^\s*(?:no limit|none)\s*$/;

/** A number that need not be: a limit that was set elsewhere is taken back by "none". */
export const endless = <T extends number>(type: ValueType<T>): ValueType<T> => ({
  ...type,
  parse: (t) => (NO_LIMIT.test(t) ? (Infinity as T) : type.parse(t)),
  write: (v) => (v === Infinity ? 'none' : (type.write ?? type.print)(v)),
});

export const gzipLevel: ValueType<GzipLevel> = {
  placeholder: 'level',
  parse: (t) => parseCount(t) as GzipLevel,
  print: String,
  holds: (v): v is GzipLevel => isCount(v) && v >= 1 && v <= 9,
};

export const zstdLevel: ValueType<ZstdLevel> = {
  placeholder: 'level',
  parse: parseCount,
  print: String,
  holds: (v): v is ZstdLevel => isCount(v) && v >= 1 && v <= 19,
};

/** Every agent owns at least one of this many partitions of the web. */
const MOST_AGENTS = 1024;
const isAgents = (v: unknown): v is number | 'cores' =>
  v === 'cores' || (isCount(v) && v >= 1 && v <= MOST_AGENTS);

export const agents: ValueType<number | 'cores'> = {
  placeholder: 'count',
  parse: (t) => {
    const value = /^\d+$/.test(t.trim()) ? Number(t) : t.trim();
    if (isAgents(value)) return value;
    throw new DrumlinError(
      'VALUE',
      `"${t}" is no number of agents.`,
      `Take 1 to ${MOST_AGENTS}, or cores for one per core.`,
    );
  },
  print: String,
  holds: isAgents,
};

/** One word of several. */
const choice = <Word extends string>(what: string, words: readonly Word[]): ValueType<Word> => ({
  placeholder: what,
  parse: (t) => {
    const word = words.find((one) => one === t.trim());
    if (word !== undefined) return word;
    throw new DrumlinError('VALUE', `"${t}" is no ${what}.`, `Take one of ${words.join(', ')}.`);
  },
  print: String,
  holds: (v): v is Word => words.some((word) => word === v),
  choices: words,
});

/** Which links are followed; src/crawl/agent/scope.ts says where each ends. */
const SCOPES = ['host', 'domain', 'prefix', 'any'] as const;
export type ScopeName = (typeof SCOPES)[number];
export const scopeName = choice('scope', SCOPES);

/** Which URLs come first. */
const ORDERS = ['budget', 'bfs'] as const;
export const orderName = choice('order', ORDERS);
export const rankName = choice('rank', RANKS);

/** Where pages go. */
const STORES = ['warc', 'files', 'none'] as const;
export const storeName = choice('store', STORES);

export const compressionName = choice<Compression>('compression', ['gzip', 'zstd', 'none']);

/** What becomes of a page whose payload is in the archive already. */
const DUPLICATES = ['store', 'revisit', 'skip'] as const;
export const duplicatesName = choice('way with duplicates', DUPLICATES);
/** What becomes of pages that are like others: src/crawl/agent/likeness.ts. */
export const likenessAction = choice('choice', ['store', 'no-follow', 'skip', 'off'] as const);
export const softErrorAction = choice('choice', ['store', 'skip', 'off'] as const);

/** How much a domain may have a round: src/reputation/budget/budget-policy.ts says how it is written. */
export const budgetPolicy: ValueType<string> = {
  ...text,
  placeholder: 'policy',
  parse: (t) => String(parseBudget(t)),
};

/** A part of a whole. */
export const share: ValueType<number> = {
  placeholder: 'share',
  parse: (t) => {
    const value = Number(t);
    if (t.trim() !== '' && value > 0 && value <= 1) return value;
    throw new DrumlinError('VALUE', `"${t}" is no share.`, 'Take a number above 0 and up to 1.');
  },
  print: String,
  holds: (v): v is number => typeof v === 'number',
};

export const list: ValueType<readonly string[]> = {
  placeholder: 'list',
  parse: (t) =>
    t
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  print: (v) => v.join(','),
  holds: isTextList,
  separator: ',',
};

export const contentTypes: ValueType<readonly string[]> = {
  ...list,
  placeholder: 'types',
  parse: (t) => (t.trim() === 'all' ? [] : list.parse(t).map(normalisedTypePattern)),
  print: (v) => list.print(v) || 'all',
};

/** Blanks stand between them: commas occur in URLs and in regular expressions, blanks in neither. */
export const patterns: ValueType<readonly string[]> = {
  placeholder: 'pattern',
  parse: (t) => {
    const items = t.split(/\s+/).filter(Boolean);
    for (const pattern of items) checkUrlPattern(pattern);
    return items;
  },
  print: (v) => v.join(' '),
  holds: isTextList,
  separator: ' ',
};

export const flag: ValueType<boolean> = {
  placeholder: 'true/false',
  parse: (t) => {
    if (t === 'true' || t === 'false') return t === 'true';
    throw new DrumlinError('VALUE', `"${t}" is neither true nor false.`, 'Write one of them.');
  },
  print: String,
  holds: (v): v is boolean => typeof v === 'boolean',
  takes: /^(?:true|false)$/,
};

/** On when named; it may take a list, and `true` or `all` stands for everything. */
export const ranges: ValueType<boolean | readonly string[]> = {
  placeholder: 'ranges',
  parse: (t) => /^(?:true|all|)$/.test(t) || (t !== 'false' && list.parse(t)),
  print: (v) => (typeof v === 'boolean' ? String(v) : list.print(v)),
  holds: (v): v is boolean | readonly string[] => typeof v === 'boolean' || isTextList(v),
  takes: /^(?:true|false|all|[\da-f.:/, ]*)$/i,
};

export const proxyUrl: ValueType<string> = {
  ...text,
  placeholder: 'URL',
  parse: (t) => {
    if (t === '') return '';
    const url = URL.canParse(t) ? new URL(t) : undefined;
    if (url?.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === '')
      return t;
    // Not quoted: there may be a password in it.
    throw new DrumlinError(
      'VALUE',
      'What is given is no HTTP proxy.',
      'Write it like http://proxy.example.org:3128.',
    );
  },
};
