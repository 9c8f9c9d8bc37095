/** The settings of a crawl: what holds, where it comes from, and what may change. */
import { type CrawlConfig, resolveConfig, SETTING_ROWS } from '../../config/settings.ts';
import { settingsIn } from '../../crawl/state/crawl-folder.ts';
import { readTuning, TUNABLE } from '../../crawl/state/tuning-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { loadPredicates } from '../../filter/predicates.ts';
import { requestError } from '../fields/schema.ts';

interface SettingView {
  readonly key: string;
  readonly flag: string;
  /** As it is written on the command line. */
  readonly value: string;
  readonly preset: string;
  readonly placeholder: string;
  readonly doc: string;
  readonly source: 'default' | 'crawl.json' | 'changed while it runs' | 'filters.txt';
  /** It may change while the crawl runs. */
  readonly isTunable: boolean;
}

const FILTER_KEYS = /Filter$/;

export async function settingsOf(disk: Disk, dir: string): Promise<SettingView[]> {
  const stored = await settingsIn(dir);
  if (!stored) throw requestError('The crawl is gone.', 'Look at another one.');
  const config = resolveConfig({ ...stored, dir });
  return settingViews(config, (await readTuning(disk, dir)).settings, TUNABLE);
}

/** All settings with their values; those of `tunable`, and filters, may change. */
export function settingViews(
  config: CrawlConfig,
  changed: Readonly<Record<string, string>>,
  tunable: readonly string[],
): SettingView[] {
  return SETTING_ROWS.map(([key, { flag, type, doc, default: preset }]) => {
    const value = key === 'proxy' ? withoutPassword(config.proxy) : type.print(config[key]);
    const printed = type.print(preset);
    const isFilter = FILTER_KEYS.test(key);
    return {
      ...{ key, flag, value, preset: printed, placeholder: type.placeholder, doc },
      source: sourceOf(value === printed, Object.hasOwn(changed, key), isFilter),
      isTunable: isFilter || tunable.includes(key),
    };
  });
}

function sourceOf(
  isDefault: boolean,
  isChanged: boolean,
  isFilter: boolean,
): SettingView['source'] {
  if (isChanged) return 'changed while it runs';
  if (isDefault) return 'default';
  return isFilter ? 'filters.txt' : 'crawl.json';
}

const withoutPassword = (proxy: string): string => proxy.replace(/\/\/[^@/]*@/, '//');

/** The schema of all settings, for a form; and the predicates of filters. */
export async function settingsSchema() {
  const predicates = [...(await loadPredicates('')).values()];
  return {
    settings: SETTING_ROWS.map(([key, { flag, type, doc, default: preset }]) => ({
      ...{ key, flag, placeholder: type.placeholder, doc, preset: type.print(preset) },
    })),
    predicates: predicates.map(({ name, from, doc, example }) => ({ name, from, doc, example })),
  };
}
