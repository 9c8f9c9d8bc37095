/** docs/api/ is what the comments in src/api/ say, and everything there has a comment. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { API_DOCS_PATH, type ApiDocs, apiDocs } from '../../scripts/pages/api.ts';

const FOLDER = join(import.meta.dirname, '../..', API_DOCS_PATH);

describe('the reference of the library', () => {
  let docs: ApiDocs;

  beforeAll(async () => {
    docs = await apiDocs();
  });

  test('documents every export, refers to no type that is not exported, and has no broken link', () => {
    expect(docs.problems).toEqual([]);
  });

  test('is what "npm run docs" writes', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...docs.pages.keys()].sort());
    for (const [name, text] of docs.pages)
      expect(readFileSync(join(FOLDER, name), 'utf8'), name).toBe(text);
  });
});
