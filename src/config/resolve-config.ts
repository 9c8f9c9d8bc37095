/** From the options that a user gave to a value for every setting. */
import { DrumlinError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { CrawlOptions } from './crawl-options.ts';
import { type CrawlConfig, SETTING_ROWS, SETTINGS } from './schema.ts';
import type { Setting } from './setting.ts';

/** Adds the defaults, parses text, and refuses unknown keys and wrong values. */
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
  const given = withPrivateDelay(options);
  for (const [key, setting] of SETTING_ROWS) {
    config[key] = readSetting(key, given[key] ?? setting.default);
  }
  return config as CrawlConfig;
}

/** A user who chooses a delay chooses it for private addresses too. */
export function withPrivateDelay(options: CrawlOptions): CrawlOptions {
  const { delay, privateDelay } = options;
  return delay === undefined || privateDelay !== undefined
    ? options
    : { ...options, privateDelay: delay };
}

/** The value that was given for a setting, parsed where it is text; throws if it is wrong. */
export function readSetting(key: keyof CrawlConfig, given: unknown): unknown {
  const setting: Setting<unknown> = SETTINGS[key] as unknown as Setting<unknown>;
  return checked(setting, read(setting, given));
}

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
      `Use ${range}.`,
    );
  }
  if (type.holds(value)) return value;
  throw new DrumlinError(
    'SETTING',
    `${flag}: ${String(value)} is not a valid value (${type.placeholder}).`,
    'Pass it as text, as on the command line.',
  );
}
