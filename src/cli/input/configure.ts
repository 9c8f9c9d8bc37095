/** From what was given on the command line to the settings of a crawl: with the configuration file, and with what the folder remembers. */
import { existsSync } from 'node:fs';
import { type Configuration, type Layer, resolveLayers } from '../../config/configuration.ts';
import {
  CONFIGURATION_FILE,
  type ConfigurationFile,
  parseConfiguration,
} from '../../config/configuration-file.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  resolveConfig,
  SETTING_ROWS,
  SETTINGS,
} from '../../config/settings.ts';
import { settingsIn } from '../../crawl/state/crawl-folder.ts';
import { Disk } from '../../disk/disk.ts';
import { refusePath } from '../../filter/url-pattern.ts';
import { filterText } from './filter-text.ts';

export interface Given {
  /** Flags first, then the environment. */
  readonly layers: readonly Layer[];
  /** The file that was named; undefined when none was. */
  readonly file: string | undefined;
}

export interface Asked extends Configuration {
  readonly seeds: readonly string[];
  /** The folder holds a crawl to go on with. */
  readonly before: boolean;
  /** What it was asked otherwise before, a sentence each. */
  readonly changes: readonly string[];
}

/** Where a folder comes from that nobody named. */
export const NEW_FOLDER = 'a new folder';

/** `freshFolder` is where a crawl goes that names no folder; '' for none. */
export async function configure(
  { layers, file }: Given,
  freshFolder: () => string,
): Promise<Asked> {
  for (const { options } of layers) refusePaths(options);
  const written = await readFile(file);
  const above = written ? [...layers, layerOf(written)] : layers;
  const dir = firstOf(above, 'dir') ?? freshFolder();
  const before = dir === '' ? undefined : await settingsIn(dir);
  const remembered: Layer = {
    options: before ?? {},
    // All of them stand there; what nobody chose is to be told from what somebody did.
    place: (key) => (isDefault(key, before?.[key]) ? 'crawl.json, the default' : 'crawl.json'),
  };
  const all = [...above, remembered, { options: { dir }, place: () => NEW_FOLDER }];
  const { config, sources } = resolveLayers(await Promise.all(all.map(withFilterFiles)));
  return {
    config: { ...config, dir },
    sources,
    seeds: written?.seeds ?? [],
    before: before !== undefined,
    changes: before ? changesSince(resolveConfig({ ...before, dir }), config) : [],
  };
}

/** `--exclude was *.zip, is now *.iso`: what is given anew takes the place of what was given before. */
function changesSince(before: CrawlConfig, now: CrawlConfig): string[] {
  return SETTING_ROWS.flatMap(([key, { flag, type }]) => {
    // How many agents there are is told by the view, and "cores" is kept as a number.
    if (key === 'dir' || key === 'agents' || key === 'proxy') return [];
    const [was, is] = [type.print(before[key]) || 'none', type.print(now[key]) || 'none'];
    return was === is ? [] : [`--${flag} was ${was}, is now ${is}`];
  });
}

/** What is typed now can be typed otherwise; what a crawl was begun with holds. */
function refusePaths({ include, exclude }: CrawlOptions): void {
  for (const patterns of [include, exclude]) {
    if (typeof patterns === 'string')
      for (const pattern of patterns.split(/\s+/)) refusePath(pattern);
  }
}

function isDefault(key: keyof CrawlConfig, value: unknown): boolean {
  return JSON.stringify(SETTINGS[key].default) === JSON.stringify(value);
}

function firstOf(layers: readonly Layer[], key: keyof CrawlConfig): string | undefined {
  const value = layers.find(({ options }) => options[key] !== undefined)?.options[key];
  return value === undefined ? undefined : String(value);
}

function layerOf({ path, options, lines }: ConfigurationFile): Layer {
  return { options, place: (key) => `${path}:${lines.get(key)}` };
}

/** The file that is named must be there; the usual one need not. */
async function readFile(named: string | undefined): Promise<ConfigurationFile | undefined> {
  if (named === '' || (named === undefined && !existsSync(CONFIGURATION_FILE))) return undefined;
  const path = named ?? CONFIGURATION_FILE;
  return parseConfiguration(await new Disk().readText(path), path);
}

const FILTERS = [
  'scheduleFilter',
  'fetchFilter',
  'parseFilter',
  'followFilter',
  'storeFilter',
] as const;

/** Filters that stand in files, as what stands there. */
async function withFilterFiles({ options, place }: Layer): Promise<Layer> {
  const expanded: Record<string, string> = {};
  for (const key of FILTERS) {
    const text = options[key];
    if (text !== undefined) expanded[key] = await filterText(String(text));
  }
  return { options: { ...options, ...expanded } as CrawlOptions, place };
}
