/**
 * The HTML pages of stored crawls, in the order of their files.
 *
 * Requires  The folder of a crawl, a folder of WARC files, or one such file.
 * Ensures   Pages of status 200. What is unreadable in a damaged file is reported, and reading
 *           continues with the next file.
 */
import { readWarc } from '../../archive/warc/warc-reader.ts';
import { inputFiles } from '../../corpus/inputs.ts';
import { pageOf } from '../../corpus/stored-page.ts';
import type { Disk } from '../../disk/disk.ts';
import { isHtml } from '../../parse/is-html.ts';

/** Longer pages are cut. */
const MAX_PAGE = 10e6;

export interface CrawledPage {
  /** In canonical form. */
  readonly url: string;
  readonly body: Uint8Array;
  /** The address that it came from, if the archive has it. */
  readonly address: string | undefined;
}

export interface ReadOptions {
  /** Called with the share that was read. */
  readonly onRead?: ((share: number) => void) | undefined;
  readonly onDamage?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function* storedPages(
  disk: Disk,
  place: string,
  { onRead, onDamage, signal }: ReadOptions = {},
): AsyncGenerator<CrawledPage> {
  const files = await inputFiles(disk, [place]);
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const { path, bytes } of files) {
    const reader = readWarc(path, { disk });
    for await (const record of reader) {
      signal?.throwIfAborted();
      onRead?.((before + record.offset) / Math.max(1, all));
      const page = await pageOf(record, MAX_PAGE);
      if (typeof page === 'string' || !isHtml(page.contentType, page.body)) continue;
      const address = record.headers.get('WARC-IP-Address');
      yield { url: page.canonical, body: page.body, address };
    }
    if (reader.fault !== undefined)
      onDamage?.(`${path}: ${reader.fault.kind} at byte ${reader.fault.offset}.`);
    before += bytes;
  }
}
