/** The settings as flags of a command, and the values that a user gave. */
import { type Command, Option } from 'commander';
import type { Layer } from '../../config/configuration.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  environmentName,
  SETTING_ROWS,
  SETTINGS,
  type Setting,
} from '../../config/settings.ts';

/** The settings, grouped as the help shows them; the most used groups first. */
export const GROUPS: readonly (readonly [heading: string, keys: readonly (keyof CrawlConfig)[]])[] =
  [
    [
      'What to fetch:',
      [
        ...([
          'scope',
          'include',
          'exclude',
          'blacklist',
          'maxDepth',
          'requisites',
          'sitemaps',
          'sitemap',
          'types',
          'maxBody',
          'longBodies',
          'maxLinks',
          'maxRedirects',
          'nofollow',
        ] as const),
        ...(['maxUrlLength', 'maxRepeats', 'dropParameters'] as const),
      ],
    ],
    ['When to stop:', ['maxPages', 'maxTime', 'maxBytes', 'maxPagesPerHost', 'maxPagesPerDomain']],
    [
      'Politeness:',
      [
        'delay',
        'privateDelay',
        'addressDelay',
        'delays',
        'maxCrawlDelay',
        'slowDelay',
        'slowAddressDelay',
        'fetches',
        'minRate',
      ],
    ],
    [
      'Retries and time-outs:',
      [
        ...(['retries', 'retryWait', 'maxRetryAfter'] as const),
        ...(['connectTimeout', 'responseTimeout', 'idleTimeout', 'fetchTimeout'] as const),
      ],
    ],
    [
      'Identity and network:',
      [
        ...([
          'contact',
          'userAgent',
          'header',
          'allowPrivate',
          'auth',
          'cookies',
          'keepCookies',
          'headerFile',
          'proxy',
          'dns',
          'ca',
          'insecure',
        ] as const),
      ],
    ],
    [
      'Folder and archive:',
      [
        ...([
          'dir',
          'store',
          'convertLinks',
          'extract',
          'crawlLog',
          'compress',
          'gzip',
          'zstd',
          'warcSize',
          'duplicates',
          'dedupAgainst',
          'conditional',
        ] as const),
        ...([
          'dedupMemory',
          'listSkipped',
          'metadata',
          'text',
          'dnsRecords',
          'checkpoint',
        ] as const),
      ],
    ],
    [
      'Filters:',
      [
        ...(['scheduleFilter', 'fetchFilter', 'parseFilter', 'renderFilter'] as const),
        ...(['followFilter', 'storeFilter', 'predicates'] as const),
      ],
    ],
    [
      'Pages that need JavaScript:',
      [
        ...(['render', 'renderTime', 'renderDelay', 'renderRobots', 'renderMemory'] as const),
        ...(['browser', 'browserFlags', 'browsers', 'screenshot', 'storageState'] as const),
      ],
    ],
    [
      'Similar pages and traps:',
      ['nearDuplicates', 'similarity', 'similarityMemory', 'learnTraps', 'softErrors'],
    ],
    [
      'Order and budgets:',
      ['order', 'rank', 'rankFile', 'budget', 'spam', 'rankSample', 'edgeLife'],
    ],
    [
      'Resources:',
      [
        ...([
          'agents',
          'metricsPort',
          'sieveMemory',
          'frontHosts',
          'frontUrls',
          'backlogMemory',
        ] as const),
        ...(['hostMemory', 'domainMemory', 'bodyMemory'] as const),
      ],
    ],
  ];

export function addSettings(command: Command): void {
  for (const [heading, keys] of GROUPS) {
    for (const key of keys) command.addOption(optionOf(key, SETTINGS[key]).helpGroup(heading));
  }
  command.option(
    '--config <file>',
    'file of settings (default: drumlin.yaml in the current folder); "" reads none',
  );
}

/**
 * The settings given as flags or in the environment. In "--insecure https://localhost/" the word
 * after the flag is not its value: it is added to `words`.
 */
export function givenSettings(
  command: Command,
  flags: Readonly<Record<string, unknown>>,
  words: string[],
): CrawlOptions {
  const options: Record<string, unknown> = {};
  for (const [key, { type }] of SETTING_ROWS) {
    const word = flags[key];
    if (word === undefined) continue;
    const isWord = typeof word !== 'string' || (type.takes?.test(word) ?? true);
    const takesPlace = isWord || command.getOptionValueSource(key) !== 'cli';
    if (!takesPlace) words.push(word);
    options[key] = takesPlace ? word : true;
  }
  return options as CrawlOptions;
}

/** Splits `options` into those given as flags and those from the environment. */
export function givenLayers(command: Command, options: CrawlOptions): Layer[] {
  const from = (source: string): CrawlOptions =>
    Object.fromEntries(
      Object.entries(options).filter(([key]) => command.getOptionValueSource(key) === source),
    );
  return [
    { options: from('cli'), place: (key) => `--${SETTINGS[key].flag}` },
    { options: from('env'), place: (key) => environmentName(SETTINGS[key]) },
  ];
}

function optionOf(key: string, setting: Setting<unknown>): Option {
  const { type } = setting;
  const optional = type.takes !== undefined;
  const value = optional ? `[${type.placeholder}]` : `<${type.placeholder}>`;
  const preset = type.print(setting.default);
  const doc = preset === '' || optional ? setting.doc : `${setting.doc} (default: ${preset})`;
  const option = new Option(`--${setting.flag} ${value}`, doc).env(environmentName(setting));
  if (type.separator !== undefined) {
    option.argParser((text, earlier?: string) =>
      earlier === undefined ? text : `${earlier}${type.separator}${text}`,
    );
  }
  // Commander names an option after its flag; the table's key is the name everywhere else.
  option.attributeName = () => key;
  return option;
}
