import { describe, expect, test } from 'vitest';
import { PAGES, presentText } from '../scripts/docs.ts';

describe('a generated page', () => {
  test.each(
    PAGES.map((page) => [page.path, page] as const),
  )('%s holds what "npm run docs" writes', async (_, page) => {
    const present = presentText(page);
    expect(present).toBe(await page.text(present));
  });
});
