/** The generated interface of the settings agrees with their table. */
import { describe, expect, test } from 'vitest';
import { crawlOptionsText } from '../../scripts/pages/crawl-options.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  resolveConfig,
  SETTING_ROWS,
} from '../../src/config/settings.ts';

/** Compiles only if every value of the table may be passed as an option. */
const asOptions = (config: CrawlConfig): CrawlOptions => config;
/** Compiles only if no option is missing in the table. */
const NOT_IN_TABLE: Exclude<keyof CrawlOptions, keyof CrawlConfig>[] = [];

describe('the interface CrawlOptions', () => {
  test('has every setting of the table, and its values are options again', () => {
    expect(NOT_IN_TABLE).toEqual([]);
    const config = resolveConfig({});
    expect(resolveConfig(asOptions(config))).toEqual(config);
  });

  test('says of each setting what it is, its unit if it is a number, and its default', () => {
    const text = crawlOptionsText().replace(/\n {3}\*(?!\/) ?/g, ' ');
    for (const [key, { doc, type, default: value }] of SETTING_ROWS) {
      const comment = new RegExp(`/\\*\\*((?:(?!/\\*\\*).)*)\\*/\\s+readonly ${key}\\?:`, 's').exec(
        text,
      );
      expect(comment?.[1], key).toContain(doc.slice(1).replaceAll('*/', '*\u200b/'));
      expect(comment?.[1], key).toMatch(/ Default: \S/);
      if (typeof value === 'number') expect(comment?.[1], key).toContain(` Unit: ${type.unit}.`);
    }
  });
});
