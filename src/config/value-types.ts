/** The kinds of values that settings take: how each is written, parsed, checked and printed. */
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
  /** The name of the value in help texts: `--delay <time>`. */
  readonly placeholder: string;
  /** The type that a program passes, as TypeScript source. */
  readonly code: string;
  /** What a number counts, such as milliseconds. Absent where the value is not a number. */
  readonly unit?: string;
  /** Examples of the value as text, as TypeScript source. Absent where text is the value itself. */
  readonly texts?: string;
  parse(text: string): T;
  /** For people; it may round. */
  print(value: T): string;
  /** For `parse`, which gives the same value back. Absent where `print` does the same. */
  write?(value: T): string;
  /** Whether a value passed by a program belongs to this type. */
  holds(value: unknown): value is T;
  /** All values, where there are only a few. */
  readonly choices?: readonly string[];
  /**
   * The text between two items of a list: a flag may be repeated, and a program may pass an array.
   */
  readonly separator?: string;
  /** For a flag that may stand alone and then means true: the texts that count as its value. */
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
  code: 'string',
  parse: (t) => t,
  print: (v) => v,
  holds: isText,
};
export const folder: ValueType<string> = { ...text, placeholder: 'folder' };
export const file: ValueType<string> = { ...text, placeholder: 'file' };

/** A path made absolute, so that a crawl resumed from another folder finds the same file. */
export const wholePath: ValueType<string> = { ...file, parse: (t) => (t === '' ? '' : resolve(t)) };
/** Parsed when the crawl starts, because it may name predicates of the user. */
export const filterText: ValueType<string> = {
  ...text,
  placeholder: 'filter',
  parse: (t) => t.trim(),
};

/** A whole number of pages, URLs or whatever `unit` names. */
export const countOf = (unit: string): ValueType<number> => ({
  placeholder: 'count',
  code: 'number | string',
  unit,
  texts: "`'1000'`, `'20k'`, `'5M'`",
  parse: parseCount,
  print: unlessEndless(String),
  holds: isCount,
});
export const port: ValueType<number> = { ...countOf('port number'), placeholder: 'port' };
export const duration: ValueType<Millis> = {
  placeholder: 'time',
  code: 'number | string',
  unit: 'milliseconds',
  texts: "`'250ms'`, `'10s'` or `'10'`, `'5m'`, `'2h'`",
  parse: parseDuration,
  print: unlessEndless(formatDuration),
  write: (v) => written(v, TIMES),
  holds: (v): v is Millis => typeof v === 'number',
};
export const size: ValueType<Bytes> = {
  placeholder: 'size',
  code: 'number | string',
  unit: 'bytes',
  texts: "`'64Mi'`, `'1.5G'`",
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

/** The value in the largest unit that divides it. */
function written(value: number, units: readonly (readonly [string, number])[]): string {
  const [unit, size] =
    units.find(([, each]) => value !== 0 && value % each === 0) ?? units[units.length - 1];
  return `${value / size}${unit}`;
}

const NO_LIMIT = /^\s*(?:no limit|none)\s*$/;

/** A limit that may be absent: "none" removes one that was set elsewhere. */
export const endless = <T extends number>(type: ValueType<T>): ValueType<T> => ({
  ...type,
  texts: `${type.texts}, \`'none'\``,
  parse: (t) => (NO_LIMIT.test(t) ? (Infinity as T) : type.parse(t)),
  write: (v) => (v === Infinity ? 'none' : (type.write ?? type.print)(v)),
});

export const gzipLevel: ValueType<GzipLevel> = {
  placeholder: 'level',
  code: 'number | string',
  unit: 'level',
  texts: "`'1'` to `'9'`",
  parse: (t) => parseCount(t) as GzipLevel,
  print: String,
  holds: (v): v is GzipLevel => isCount(v) && v >= 1 && v <= 9,
};

export const zstdLevel: ValueType<ZstdLevel> = {
  placeholder: 'level',
  code: 'number | string',
  unit: 'level',
  texts: "`'1'` to `'19'`",
  parse: parseCount,
  print: String,
  holds: (v): v is ZstdLevel => isCount(v) && v >= 1 && v <= 19,
};

/** The web has this many partitions, and each agent owns at least one. */
const MOST_AGENTS = 1024;
const isAgents = (v: unknown): v is number | 'cores' =>
  v === 'cores' || (isCount(v) && v >= 1 && v <= MOST_AGENTS);

export const agents: ValueType<number | 'cores'> = {
  placeholder: 'count',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a type of TypeScript
  code: "number | 'cores' | `${number}`",
  unit: 'agents',
  texts: "`'4'`, `'cores'`",
  parse: (t) => {
    const value = /^\d+$/.test(t.trim()) ? Number(t) : t.trim();
    if (isAgents(value)) return value;
    throw new DrumlinError(
      'VALUE',
      `"${t}" is not a number of agents.`,
      `Use 1 to ${MOST_AGENTS}, or cores for one per core.`,
    );
  },
  print: String,
  holds: isAgents,
};

/** One of a few words. */
const choice = <Word extends string>(what: string, words: readonly Word[]): ValueType<Word> => ({
  placeholder: what,
  code: words.map((word) => `'${word}'`).join(' | '),
  parse: (t) => {
    const word = words.find((one) => one === t.trim());
    if (word !== undefined) return word;
    throw new DrumlinError(
      'VALUE',
      `"${t}" is not a valid ${what}.`,
      `Use one of ${words.join(', ')}.`,
    );
  },
  print: String,
  holds: (v): v is Word => words.some((word) => word === v),
  choices: words,
});

/** Which links to follow; `src/crawl/agent/scope.ts` defines each. */
const SCOPES = ['host', 'domain', 'prefix', 'parent', 'any'] as const;
export type ScopeName = (typeof SCOPES)[number];
export const scopeName = choice('scope', SCOPES);

/** Which pages to render: see docs/render.md. */
export const renderName = choice('choice', ['never', 'auto', 'always'] as const);

/** Whose requisites to fetch: see docs/requisites.md. */
export const requisitesName = choice('choice', ['none', 'site', 'all'] as const);

/** What to do with bodies longer than `maxBody`. */
export const longBodiesName = choice('action', ['cut', 'skip'] as const);

/** What to do with links that their page asks not to follow. */
export const nofollowName = choice('action', ['obey', 'follow'] as const);

/** In which order to fetch URLs. */
const ORDERS = ['budget', 'bfs'] as const;
export const orderName = choice('order', ORDERS);
export const rankName = choice('rank', RANKS);

/** Where pages go. */
const STORES = ['warc', 'files', 'none'] as const;
export const storeName = choice('store', STORES);

export const compressionName = choice<Compression>('compression', ['gzip', 'zstd', 'none']);

/** What to do with a page whose payload is already in the archive. */
const DUPLICATES = ['store', 'revisit', 'skip'] as const;
export const duplicatesName = choice('action', DUPLICATES);
/** What to do with a page that is like others: see `src/crawl/agent/likeness.ts`. */
export const likenessAction = choice('action', ['store', 'no-follow', 'skip', 'off'] as const);
export const softErrorAction = choice('action', ['store', 'skip', 'off'] as const);

/** The budget that the other settings choose. */
export const AUTO_BUDGET = 'auto';

/** The budget of each domain; `src/reputation/budget/budget-policy.ts` defines the syntax. */
export const budgetPolicy: ValueType<string> = {
  ...text,
  placeholder: 'policy',
  parse: (t) => (t.trim() === AUTO_BUDGET ? AUTO_BUDGET : String(parseBudget(t))),
};

/** A part of a whole. */
export const share: ValueType<number> = {
  placeholder: 'share',
  code: 'number | string',
  unit: 'share, above 0 and up to 1',
  texts: "`'0.5'`",
  parse: (t) => {
    const value = Number(t);
    if (t.trim() !== '' && value > 0 && value <= 1) return value;
    throw new DrumlinError('VALUE', `"${t}" is not a share.`, 'Use a number above 0 and up to 1.');
  },
  print: String,
  holds: (v): v is number => typeof v === 'number',
};

export const list: ValueType<readonly string[]> = {
  placeholder: 'list',
  code: 'readonly string[] | string',
  texts: "`'a,b'`",
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
  texts: "`'text/html,image/*'`, `'all'`",
  parse: (t) => (t.trim() === 'all' ? [] : list.parse(t).map(normalisedTypePattern)),
  print: (v) => list.print(v) || 'all',
};

/** Patterns separated by blanks: URLs and regular expressions may hold commas, but no blanks. */
export const patterns: ValueType<readonly string[]> = {
  placeholder: 'pattern',
  code: 'readonly string[] | string',
  texts: "`'*.zip *.iso'`",
  parse: (t) => {
    const items = t.split(/\s+/).filter(Boolean);
    for (const pattern of items) checkUrlPattern(pattern);
    return items;
  },
  print: (v) => v.join(' '),
  holds: isTextList,
  separator: ' ',
};

/** Headers that a setting may not hold, and what to use in their place. */
const OWN_HEADERS: readonly (readonly [names: RegExp, remedy: string])[] = [
  [/^(?:authorization|proxy-authorization)$/i, 'It is a secret: use --auth or --proxy.'],
  [/^cookie$/i, 'It is a secret: use --cookies.'],
  [/^user-agent$/i, 'Use --user-agent.'],
  [/^from$/i, 'Use --contact.'],
  [
    /^(?:host|connection|accept-encoding|content-.*|transfer-encoding|te|trailer|upgrade|expect|range|if-.*)$/i,
    'Drumlin sets it itself: leave it out.',
  ],
];
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;

/** Lines `Name: value`, separated by line ends: values may hold blanks and commas. */
export const headerLines: ValueType<readonly string[]> = {
  placeholder: 'name: value',
  code: 'readonly string[] | string',
  texts: "`'Accept-Language: de'`",
  parse: (t) =>
    t
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [, name, value] = HEADER_LINE.exec(line.trim()) ?? [];
        if (name === undefined)
          throw new DrumlinError('VALUE', 'The value is not a header.', 'Write "Name: value".');
        const [, remedy] = OWN_HEADERS.find(([names]) => names.test(name)) ?? [];
        if (remedy !== undefined)
          throw new DrumlinError('VALUE', `The header ${name} cannot be set here.`, remedy);
        return `${name}: ${value}`;
      }),
  print: (v) => v.join('\n'),
  holds: isTextList,
  separator: '\n',
};

export const flag: ValueType<boolean> = {
  placeholder: 'true/false',
  code: "boolean | 'true' | 'false'",
  parse: (t) => {
    if (t === 'true' || t === 'false') return t === 'true';
    throw new DrumlinError('VALUE', `"${t}" is neither true nor false.`, 'Use true or false.');
  },
  print: String,
  holds: (v): v is boolean => typeof v === 'boolean',
  takes: /^(?:true|false)$/,
};

/** True when the flag stands alone; its value is a list, or `true` or `all` for everything. */
export const ranges: ValueType<boolean | readonly string[]> = {
  placeholder: 'ranges',
  code: 'boolean | readonly string[] | string',
  texts: "`'10.0.0.0/8,192.168.0.0/16'`, `'all'`",
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
    // The value is not quoted, because it may hold a password.
    throw new DrumlinError(
      'VALUE',
      'The value is not the URL of an HTTP proxy.',
      'Write it like http://proxy.example.org:3128.',
    );
  },
};
