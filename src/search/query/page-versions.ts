/** The versions of a page, by its URL. */
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { canonicalise } from '../../url/canonical.ts';
import type { SearchIndex } from './search-index.ts';

export interface PageVersion {
  /** The same in every index: see `Pages.idOf`. */
  readonly id: string;
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
  const page = canonical === undefined ? -1 : index.pages.pageWith(xxh64(canonical));
  if (page < 0) return [];
  const { pageOf, captures } = index.pages;
  const found: PageVersion[] = [];
  for (
    let version = pageOf.indexOf(page);
    version >= 0;
    version = pageOf.indexOf(page, version + 1)
  )
    if (captures[version] > 0) found.push(await described(index, version));
  return found.sort((a, b) => a.first - b.first);
}

async function described(index: SearchIndex, version: number): Promise<PageVersion> {
  const { firsts, lasts, captures } = index.pages;
  const { part, local } = index.partOf(version);
  const { title } = await part.name(local);
  const { language, file } = part.versions.at(local);
  return {
    ...{ id: index.pages.idOf(version), version, title },
    ...{ language: part.info.languages[language] ?? '' },
    ...{ first: firsts[version], last: lasts[version], captures: captures[version] },
    place: part.info.files[file].place,
  };
}
