/** Collections of captures for tests, and indexes of them without an archive. */

import { Disk } from '../../src/disk/disk.ts';
import { buildIndex, type IndexOptions } from '../../src/search/build/build-index.ts';
import type { Gone, Reading, Revisit } from '../../src/search/build/read-archives.ts';
import type { PageLink } from '../../src/search/links/anchor-records.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';

export const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

export interface TestCapture {
  readonly url: string;
  readonly time: number;
  readonly title: string;
  readonly text: string;
  readonly language: string;
  /** A link without its text may be a URL alone. */
  readonly links?: readonly (string | PageLink)[];
}

/** Adds captures to an index as one more part. */
export async function addCaptures(
  out: string,
  captures: readonly (TestCapture | Revisit | Gone)[],
  name: string,
  options: IndexOptions = {},
) {
  const file = { path: `/${name}`, bytes: captures.length, place: name, crawl: name };
  return buildIndex(
    out,
    [file],
    (_, start) => ({
      counts: { ...start.counts, pages: captures.length },
      damage: [],
      *read(): Generator<Reading> {
        for (let offset = start.offset; offset < captures.length; offset++) {
          yield {
            file: 0,
            offset,
            hasResponses: true,
            capture: captureAt(captures[offset], offset),
          };
        }
      },
    }),
    { disk, ...options },
  );
}

function captureAt(seen: TestCapture | Revisit | Gone, offset: number): Reading['capture'] {
  if (!('text' in seen)) return seen;
  const { links, ...rest } = seen;
  const found = links?.map((link) => (typeof link === 'string' ? { url: link } : link));
  return { ...rest, file: 0, offset, ...(found && { links: found }) };
}
