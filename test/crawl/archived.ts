/** What the archive of a crawl holds, as an independent reader sees it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readWithWarcio } from '../archive/fixtures.ts';

/** The URLs of all pages in a crawl's archive, sorted, with repeats; throws when a digest is wrong. */
export async function archivedPages(dir: string): Promise<string[]> {
  const urls: string[] = [];
  const archive = join(dir, 'archive');
  for (const file of readdirSync(archive).filter((name) => name.endsWith('.warc.gz'))) {
    for (const { type, url, blockConfirmed, payloadConfirmed } of await readWithWarcio(join(archive, file))) {
      if (!blockConfirmed || (type === 'response' && !payloadConfirmed)) {
        throw new Error(`${file}: a digest of ${url} is wrong`);
      }
      if (type === 'response' && url && !url.endsWith('/robots.txt')) urls.push(url);
    }
  }
  return urls.sort();
}
