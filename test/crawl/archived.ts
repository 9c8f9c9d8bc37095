/** What the archive of a crawl holds, as an independent reader sees it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readWithWarcio } from '../archive/warc/fixtures.ts';
import { indexFaults } from '../archive/warc/true-index.ts';

/**
 * The URLs of all pages in the archive of an ended crawl, sorted, with repeats. Throws when a
 * digest or the index is wrong.
 */
export async function archivedPages(dir: string): Promise<string[]> {
  const faults = await indexFaults(dir);
  if (faults.length > 0) throw new Error(`the index is not true: ${faults.slice(0, 5).join('; ')}`);
  const urls: string[] = [];
  const archive = join(dir, 'archive');
  for (const file of readdirSync(archive).filter((name) => name.endsWith('.warc.gz'))) {
    for (const { type, url, blockConfirmed, payloadConfirmed } of await readWithWarcio(
      join(archive, file),
    )) {
      if (!blockConfirmed || (type === 'response' && !payloadConfirmed)) {
        throw new Error(`${file}: a digest of ${url} is wrong`);
      }
      if ((type === 'response' || type === 'revisit') && url && !url.endsWith('/robots.txt'))
        urls.push(url);
    }
  }
  return urls.sort();
}
