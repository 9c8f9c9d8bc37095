/**
 * What a user sees of a result: URL, title, times, snippet, and the command that prints the page.
 *
 * Idea      An index does not hold texts. The snippet comes from the record in the archive, which
 *           is read again. If the archive is gone or has changed, there is no snippet.
 */
import { readWarc } from '../../archive/warc/warc-reader.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import { conversionOf, pageOf, type StoredPage } from '../../corpus/stored-page.ts';
import { Disk } from '../../disk/disk.ts';
import { openTextReader } from '../../text/text-reader.ts';
import { Variants } from '../store/words.ts';
import type { Found, SearchIndex } from './search-index.ts';
import { snippetOf } from './snippet.ts';

export interface SearchResult {
  readonly url: string;
  readonly title: string;
  readonly score: number;
  /** ISO 639-1; '' if the text is too short to tell. */
  readonly language: string;
  /** The first and last capture of this version, and how many there are. */
  readonly first: Millis;
  readonly last: Millis;
  readonly captures: number;
  /** Versions of the page. */
  readonly versions: number;
  /** Where the archive is: what `drumlin archive get` takes. */
  readonly place: string;
  /** When the capture of this version that is there was made; `first` if the archive is gone. */
  readonly stored: Millis;
  /** '' without a snippet. */
  readonly snippet: string;
}

const MAX_PAGE: Bytes = 10e6;

/** The results of a search, with or without snippets. */
export async function describe(
  index: SearchIndex,
  { results, words }: Found,
  { snippets = true, disk = new Disk() } = {},
): Promise<SearchResult[]> {
  const { pages } = index;
  const described: SearchResult[] = [];
  const places = new Set(index.parts.flatMap(({ info }) => info.files.map(({ place }) => place)));
  for (const { page, version, score } of results) {
    const { part, local } = index.partOf(version);
    const { url, title } = await part.name(local);
    const record = part.versions.at(local);
    const { path, place } = part.info.files[record.file];
    const language = part.info.languages[record.language] ?? '';
    // In a single place every capture of the version is there, the first one, too.
    const isRead = snippets || places.size > 1;
    const stored = isRead ? await pageAt(disk, path, record.offset) : undefined;
    const text = snippets && stored ? await textOf(stored) : '';
    described.push({
      ...{ url, title, score, language, place },
      stored: stored?.date ?? pages.firsts[version],
      ...{ first: pages.firsts[version], last: pages.lasts[version] },
      ...{ captures: pages.captures[version], versions: pages.versionCounts[page] },
      snippet: text === '' ? '' : snippetOf(text, words, new Variants(language)),
    });
  }
  return described;
}

/** The page in the record at an offset; undefined if there is none any more. */
async function pageAt(disk: Disk, path: string, offset: number): Promise<StoredPage | undefined> {
  try {
    for await (const record of readWarc(path, { disk, start: offset })) {
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

async function textOf({ body, contentType }: StoredPage): Promise<string> {
  const texts = await openTextReader({ extract: 'main' });
  return texts.read(body, { contentType }).text;
}
