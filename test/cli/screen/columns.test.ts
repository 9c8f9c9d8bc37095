import { describe, expect, test } from 'vitest';
import { asColumns } from '../../../src/cli/screen/columns.ts';

describe('rows as columns', () => {
  test('align the first cells left and the others right', () => {
    const rows = [
      ['name', 'count'],
      ['a', '1'],
    ];
    expect(asColumns(rows)).toBe('name  count\na         1\n');
    expect(asColumns(rows, 2)).toBe('name  count\na     1\n');
  });

  test('are printed however many they are', () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => [String(i), 'x']);
    expect(asColumns(rows).length).toBe(200_000 * '199999  x\n'.length);
  });
});
