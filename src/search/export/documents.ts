/**
 * The versions of an index as documents for another search engine.
 *
 * Idea      A document is a version: its text comes from the archive, its times from the index.
 *           `valid` has the stretches of time in which it was the page: a search at a moment asks
 *           for documents with a stretch around it.
 * Ensures   Every version once, in the order of the parts. The same version has the same `id` in
 *           every index.
 */
import { Disk } from '../../disk/disk.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
import type { SearchIndex } from '../query/search-index.ts';
import { iso } from '../query/times.ts';
import { storedPage, textOf } from '../query/version-text.ts';

export interface VersionDocument {
  readonly id: string;
  readonly url: string;
  readonly host: string;
  readonly domain: string;
  readonly title: string;
  readonly text: string;
  readonly language: string;
  readonly first: string;
  readonly last: string;
  readonly captures: number;
  readonly valid: readonly { readonly gte: string; readonly lt?: string }[];
  readonly place: string;
}

/** Every version; `hasText` is false where the archive is gone. */
export async function* documentsOf(
  index: SearchIndex,
  disk = new Disk(),
): AsyncGenerator<{ readonly document: VersionDocument; readonly hasText: boolean }> {
  const { pages } = index;
  const stretches = new Stretches(index);
  for (let version = 0; version < pages.versions; version++) {
    if (pages.captures[version] === 0) continue;
    const { part, local } = index.partOf(version);
    const { url, title } = await part.name(local);
    const { language, file } = part.versions.at(local);
    const stored = await storedPage(index, version, disk);
    const host = hostOf(url);
    const document = {
      ...{ id: pages.idOf(version), url, host, domain: payLevelDomain(host), title },
      text: stored === undefined ? '' : await textOf(stored),
      language: part.info.languages[language] ?? '',
      ...{ first: iso(pages.firsts[version]), last: iso(pages.lasts[version]) },
      ...{ captures: pages.captures[version], valid: stretches.of(version) },
      place: part.info.files[file].place,
    };
    yield { document, hasText: stored !== undefined };
  }
}

/** The stretches of each version. */
class Stretches {
  /** Where those of a version begin; after the last version, where they end. */
  readonly #places: Uint32Array;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;

  constructor({ pages }: SearchIndex) {
    this.#places = new Uint32Array(pages.versions + 1);
    pages.eachStretch((version) => {
      this.#places[version + 1]++;
    });
    for (let i = 1; i < this.#places.length; i++) this.#places[i] += this.#places[i - 1];
    const next = this.#places.slice();
    const total = this.#places[pages.versions];
    this.#starts = new Float64Array(total);
    this.#ends = new Float64Array(total);
    pages.eachStretch((version, start, end) => {
      this.#starts[next[version]] = start;
      this.#ends[next[version]++] = end;
    });
  }

  of(version: number): { readonly gte: string; readonly lt?: string }[] {
    const found: { readonly gte: string; readonly lt?: string }[] = [];
    for (let i = this.#places[version]; i < this.#places[version + 1]; i++) {
      const end = this.#ends[i];
      // A stretch between captures of the same millisecond is empty.
      if (end === this.#starts[i]) continue;
      found.push({ gte: iso(this.#starts[i]), ...(end < Infinity && { lt: iso(end) }) });
    }
    return found;
  }
}
