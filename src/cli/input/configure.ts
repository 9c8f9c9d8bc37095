/** Settings of a crawl, from the command line, the configuration file and the crawl's folder. */
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
  /** The value of `--config`; undefined if the flag is absent. */
  readonly file: string | undefined;
}

interface Asked extends Configuration {
  readonly seeds: readonly string[];
  /** The folder holds a crawl to resume. */
  readonly before: boolean;
  /** The settings that differ from those of the last run, a sentence each. */
  readonly changes: readonly string[];
}

/** The source of `dir` when no layer names a folder. */
export const NEW_FOLDER = 'a new folder';

/** `freshFolder` returns the folder of a crawl that names none; '' for none. */
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
    // crawl.json holds every setting; mark those that have the default value.
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

/** `--exclude was *.zip, is now *.iso`: a new value replaces the stored one. */
function changesSince(before: CrawlConfig, now: CrawlConfig): string[] {
  return SETTING_ROWS.flatMap(([key, { flag, type }]) => {
    // The view shows the number of agents, and "cores" is stored as a number.
    if (key === 'dir' || key === 'agents' || key === 'proxy') return [];
    const [was, is] = [type.print(before[key]) || 'none', type.print(now[key]) || 'none'];
    return was === is ? [] : [`--${flag} was ${was}, is now ${is}`];
  });
}

/** Rejects patterns typed now that can never match; stored ones stay valid. */
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

/** A file named by `--config` must exist; drumlin.yaml need not. */
async function readFile(named: string | undefined): Promise<ConfigurationFile | undefined> {
  if (named === '' || (named === undefined && !existsSync(CONFIGURATION_FILE))) return undefined;
  const path = named ?? CONFIGURATION_FILE;
  return parseConfiguration(await new Disk().readText(path), path);
}

const FILTERS = [
  'scheduleFilter',
  'fetchFilter',
  'parseFilter',
  'renderFilter',
  'followFilter',
  'storeFilter',
] as const;

/** Replaces each `@FILE` filter by the text of that file. */
async function withFilterFiles({ options, place }: Layer): Promise<Layer> {
  const expanded: Record<string, string> = {};
  for (const key of FILTERS) {
    const text = options[key];
    if (text !== undefined) expanded[key] = await filterText(String(text));
  }
  return { options: { ...options, ...expanded } as CrawlOptions, place };
}
