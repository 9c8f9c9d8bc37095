/**
 * The settings of a crawl: one table. Flags, environment names, the keys of `drumlin.yaml`, the
 * options of the library and `docs/configuration.md` all come from it.
 */
import { CHOICE_SETTINGS } from './choice-settings.ts';
import { FETCH_SETTINGS } from './fetch-settings.ts';
import { RENDER_SETTINGS } from './render-settings.ts';
import type { Setting } from './setting.ts';
import { STORAGE_SETTINGS } from './storage-settings.ts';

export const SETTINGS = {
  ...CHOICE_SETTINGS,
  ...RENDER_SETTINGS,
  ...FETCH_SETTINGS,
  ...STORAGE_SETTINGS,
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** A value for every setting. */
export type CrawlConfig = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/** The table as plain rows, for the command line and the docs. */
export const SETTING_ROWS = Object.entries(SETTINGS) as unknown as [
  keyof CrawlConfig,
  Setting<unknown>,
][];
