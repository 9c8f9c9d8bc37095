/**
 * What a user sees of a result: URL, title, times, snippet, and the command that prints the page.
 *
 * Idea      An index does not hold texts. The snippet comes from the record in the archive, which
 *           is read again. If the archive is gone or has changed, there is no snippet.
 */
import type { Millis } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import { Variants } from '../store/words.ts';
import type { Found, SearchIndex } from './search-index.ts';
import { snippetOf } from './snippet.ts';
import { storedPage, textOf } from './version-text.ts';

export interface SearchResult {
  /** Names this version of the page: the same in every index. */
  readonly id: string;
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
    const { place } = part.info.files[record.file];
    const language = part.info.languages[record.language] ?? '';
    // In a single place every capture of the version is there, the first one, too.
    const isRead = snippets || places.size > 1;
    const stored = isRead ? await storedPage(index, version, disk) : undefined;
    const text = snippets && stored ? await textOf(stored) : '';
    described.push({
      ...{ id: pages.idOf(version), url, title, score, language, place },
      stored: stored?.date ?? pages.firsts[version],
      ...{ first: pages.firsts[version], last: pages.lasts[version] },
      ...{ captures: pages.captures[version], versions: pages.versionCounts[page] },
      snippet: text === '' ? '' : snippetOf(text, words, new Variants(language)),
    });
  }
  return described;
}
