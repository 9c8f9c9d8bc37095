/**
 * Where the settings of a crawl come from: flags, the environment, a file, the folder of the crawl,
 * defaults. The first layer that sets a value wins.
 *
 * Ensures   A wrong value is refused with its place.
 */
import { DrumlinError } from '../base/errors.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  readSetting,
  resolveConfig,
  SETTING_ROWS,
  withPrivateDelay,
} from './settings.ts';

export interface Layer {
  readonly options: CrawlOptions;
  /** The place of a setting, to print: `--delay`, `DRUMLIN_DELAY`, `drumlin.yaml:3`. */
  place(key: keyof CrawlConfig): string;
}

export interface Configuration {
  readonly config: CrawlConfig;
  /** The place that each value comes from. */
  readonly sources: Readonly<Record<keyof CrawlConfig, string>>;
}

export const DEFAULT = 'default';

/** The first layer wins. */
export function resolveLayers(layers: readonly Layer[]): Configuration {
  const options: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  const filled = layers.map(filledIn);
  for (const [key] of SETTING_ROWS) {
    const layer = filled.find((each) => each.options[key] !== undefined);
    sources[key] = layer?.place(key) ?? DEFAULT;
    if (layer) options[key] = valueIn(layer, key);
  }
  return {
    config: resolveConfig(options as CrawlOptions),
    sources: sources as Configuration['sources'],
  };
}

/** With the private delay that follows from a delay; its place is that of the delay. */
function filledIn(layer: Layer): Layer {
  const options = withPrivateDelay(layer.options);
  if (options === layer.options) return layer;
  return { options, place: (key) => layer.place(key === 'privateDelay' ? 'delay' : key) };
}

function valueIn(layer: Layer, key: keyof CrawlConfig): unknown {
  try {
    return readSetting(key, layer.options[key]);
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    // The message of a flag already names the setting.
    const place = layer.place(key);
    if (place.startsWith('--')) throw error;
    throw new DrumlinError(error.code, `${place}: ${error.fact}`, error.remedy);
  }
}
