/**
 * The text of a version.
 *
 * Idea      An index does not hold texts: the record in the archive is read again. If the archive
 *           is gone or has changed, there is no text.
 */
import { readWarc } from '../../archive/warc/warc-reader.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { conversionOf, pageOf, type StoredPage } from '../../corpus/stored-page.ts';
import { Disk } from '../../disk/disk.ts';
import { openTextReader } from '../../text/text-reader.ts';
import type { SearchIndex } from './search-index.ts';

const MAX_PAGE: Bytes = 10e6;

/** The page in the record of a version; undefined if it is not there any more. */
export async function storedPage(
  index: SearchIndex,
  version: number,
  disk = new Disk(),
): Promise<StoredPage | undefined> {
  const { part, local } = index.partOf(version);
  const { file, offset } = part.versions.at(local);
  try {
    for await (const record of readWarc(part.info.files[file].path, { disk, start: offset })) {
      const isText = record.type === 'conversion';
      const page = isText ? conversionOf(record, MAX_PAGE) : await pageOf(record, MAX_PAGE);
      return typeof page === 'string' ? undefined : page;
    }
    return undefined;
  } catch (error) {
    if (error instanceof DrumlinError) return undefined; // the archive is gone
    throw error;
  }
}

/** The main text of a page. */
export async function textOf({ body, contentType }: StoredPage): Promise<string> {
  const texts = await openTextReader({ extract: 'main' });
  return texts.read(body, { contentType }).text;
}
