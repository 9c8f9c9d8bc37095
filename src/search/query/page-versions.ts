/** The versions of a page, by its URL. */
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { canonicalise } from '../../url/canonical.ts';
import type { SearchIndex } from './search-index.ts';

export interface PageVersion {
  /** Its number in the open index. */
  readonly version: number;
  readonly title: string;
  readonly language: string;
  readonly first: Millis;
  readonly last: Millis;
  readonly captures: number;
  readonly place: string;
}

/** The versions of a page by their first captures; none if the index does not have the page. */
export async function versionsOf(index: SearchIndex, url: string): Promise<PageVersion[]> {
  const canonical = canonicalise(url);
  const page = canonical === undefined ? -1 : placeOf(index.pages.keys, xxh64(canonical));
  if (page < 0) return [];
  const { pageOf, hidden } = index.pages;
  const found: PageVersion[] = [];
  for (
    let version = pageOf.indexOf(page);
    version >= 0;
    version = pageOf.indexOf(page, version + 1)
  )
    if (hidden[version] === 0 && index.pages.captures[version] > 0)
      found.push(await described(index, version));
  return found.sort((a, b) => a.first - b.first);
}

async function described(index: SearchIndex, version: number): Promise<PageVersion> {
  const { firsts, lasts, captures } = index.pages;
  const { part, local } = index.partOf(version);
  const { title } = await part.name(local);
  const { language, file } = part.versions.at(local);
  return {
    ...{ version, title, language: part.info.languages[language] ?? '' },
    ...{ first: firsts[version], last: lasts[version], captures: captures[version] },
    place: part.info.files[file].place,
  };
}

/** Where a key is in a sorted list; -1 if it is not there. */
function placeOf(keys: readonly bigint[], key: bigint): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? low : -1;
}
