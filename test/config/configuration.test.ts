import { describe, expect, test } from 'vitest';
import {
  environmentName,
  resolveConfig,
  SETTING_ROWS,
  SETTINGS,
} from '../../src/config/settings.ts';

describe('the settings', () => {
  test('every setting has a flag, an environment name and a default', () => {
    for (const [key, setting] of SETTING_ROWS) {
      expect(setting.flag).toBe(key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
      expect(environmentName(setting)).toMatch(/^DRUMLIN_[A-Z_]+$/);
      expect(resolveConfig({})[key]).toEqual(SETTINGS[key].default);
    }
  });

  test('a value may be text as on the command line, or the value itself', () => {
    const config = resolveConfig({
      delay: '2s',
      maxPages: '20k',
      dns: '127.0.0.1:53, 127.0.0.1:54',
      maxBody: 4096,
    });
    expect(config).toMatchObject({ delay: 2000, maxPages: 20_000, maxBody: 4096 });
    expect(config.dns).toEqual(['127.0.0.1:53', '127.0.0.1:54']);
    expect(resolveConfig({ allowPrivate: '10.0.0.0/8' }).allowPrivate).toEqual(['10.0.0.0/8']);
  });

  test('a value out of range is refused with the range', () => {
    expect(() => resolveConfig({ delay: -5 })).toThrow(
      'delay: -5 is out of range. Use 0 ms or more.',
    );
    expect(() => resolveConfig({ maxPages: Number.NaN })).toThrow('max-pages: NaN is out of range');
    expect(() => resolveConfig({ gzip: '12' })).toThrow('gzip: 12 is out of range. Use 1 to 9.');
  });
});
