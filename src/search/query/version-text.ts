/**
 * The text of a version.
 *
 * Idea      An index does not hold texts: the record in the archive is read again. If the archive
 *           is gone or has changed, there is no text.
 */
import { readWarc, type WarcRecord } from '../../archive/warc/warc-reader.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { conversionOf, isTextOf, pageOf, type StoredPage } from '../../corpus/stored-page.ts';
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
    let page: StoredPage | undefined;
    for await (const record of readWarc(part.info.files[file].path, { disk, start: offset })) {
      if (page) {
        if (record.type === 'conversion' && isTextOf(record, page.id))
          return withText(page, record);
        if (record.type !== 'request' && record.type !== 'metadata') return page;
        continue;
      }
      const isText = record.type === 'conversion';
      const found = isText ? conversionOf(record, MAX_PAGE) : await pageOf(record, MAX_PAGE);
      if (typeof found === 'string') return undefined;
      if (isText) return found;
      // Its bytes are gone when the next record is read.
      page = { ...found, body: Buffer.from(found.body) };
    }
    return page;
  } catch (error) {
    if (error instanceof DrumlinError) return undefined; // the archive is gone
    throw error;
  }
}

/** The page with the text that is stored beside it: of one that scripts have made, it is all. */
function withText(page: StoredPage, { block }: WarcRecord): StoredPage {
  return { ...page, contentType: 'text/plain; charset=utf-8', body: Buffer.from(block) };
}

/** The main text of a page. */
export async function textOf({ body, contentType }: StoredPage): Promise<string> {
  const texts = await openTextReader({ extract: 'main' });
  return texts.read(body, { contentType }).text;
}
