import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatDuration,
  parseBytes,
  parseCount,
  parseDuration,
} from '../../src/base/units.ts';

describe('units', () => {
  test('sizes take binary and decimal suffixes', () => {
    expect(parseBytes('64Mi')).toBe(64 * 2 ** 20);
    expect(parseBytes('1.5G')).toBe(1.5e9);
    expect(parseBytes('4096')).toBe(4096);
    expect(parseBytes('10MB')).toBe(10e6);
  });

  test('a time without a unit is in seconds', () => {
    expect(parseDuration('250ms')).toBe(250);
    expect(parseDuration('2h')).toBe(7_200_000);
    expect(parseDuration('0')).toBe(0);
    expect(parseDuration('1')).toBe(1000);
    expect(parseDuration(' 2.5 ')).toBe(2500);
    expect(() => parseDuration('10x')).toThrow(
      '"10x" is not a time. Write it like 250ms, 10s, 5m or 2h.',
    );
  });

  test('counts are whole and not negative', () => {
    expect(parseCount('20k')).toBe(20_000);
    expect(() => parseCount('1.5')).toThrow('not a whole number');
    expect(() => parseCount('-3')).toThrow('not a whole number');
    expect(() => parseCount('many')).toThrow('not a whole number');
  });

  test('printed values are short and the same in every locale', () => {
    expect(formatBytes(999)).toBe('999 B');
    expect(formatBytes(25_400)).toBe('25 kB');
    expect(formatBytes(1_234_567)).toBe('1.2 MB');
    expect(formatBytes(999_999)).toBe('1.0 MB');
    expect(formatDuration(950)).toBe('950 ms');
    expect(formatDuration(61_000)).toBe('1 min 1 s');
    expect(formatDuration(3_660_000)).toBe('1 h 1 min');
    expect(formatCount(1234567)).toBe('1,234,567');
  });
});
