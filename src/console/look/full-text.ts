/**
 * Full text of a crawl's pages, where an index of `drumlin search index` exists.
 *
 * Idea      An index names the files that it has read. Those that name files of the crawl are its
 *           indexes. They are looked for in the crawl's folder and in the places that the console
 *           was given: the places themselves, and folders in them.
 * Ensures   An index stays open while its manifest is the same. Searches take turns: memory is that
 *           of one.
 */
import { join, resolve, sep } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import type { SearchResult } from '../../search/query/results.ts';
import type { SearchIndex } from '../../search/query/search-index.ts';
import { requestError } from '../fields/schema.ts';

interface TextPage {
  /** Folders of indexes that have pages of the crawl. */
  readonly indexes: readonly string[];
  readonly results: readonly SearchResult[];
}

interface TextQuery {
  /** Empty: only tells which indexes there are. */
  readonly query: string;
  readonly count: number;
}

export class FullText {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #places: readonly string[];
  #open: { readonly version: string; readonly index: SearchIndex } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(disk: Disk, dir: string, places: readonly string[]) {
    this.#disk = disk;
    this.#dir = resolve(dir);
    this.#places = places;
  }

  async search({ query, count }: TextQuery): Promise<TextPage> {
    const found = await this.#indexes();
    const indexes = found.map(({ folder }) => folder);
    if (query.trim() === '') return { indexes, results: [] };
    if (indexes.length === 0)
      throw requestError(
        'There is no index of this crawl here.',
        `Run "drumlin search index ${this.#dir} --out ${join(this.#dir, 'search')}".`,
      );
    const version = found.map(({ folder, text }) => `${folder}\n${text}`).join('\n');
    const work = this.#turn.then(() => this.#results(indexes, version, query, count));
    this.#turn = work.catch(() => {});
    return { indexes, results: await work };
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#open?.index.close();
    this.#open = undefined;
  }

  async #results(
    folders: readonly string[],
    version: string,
    query: string,
    count: number,
  ): Promise<SearchResult[]> {
    const [{ SearchIndex }, { describe }] = await Promise.all([
      import('../../search/query/search-index.ts'),
      import('../../search/query/results.ts'),
    ]);
    if (this.#open?.version !== version) {
      await this.#open?.index.close();
      this.#open = undefined;
      this.#open = { version, index: await SearchIndex.open(folders, this.#disk) };
    }
    const { index } = this.#open;
    // Other crawls may be in the same index: some results may not be of this one.
    const found = await index.search(query, { top: count });
    const results = await describe(index, found, { disk: this.#disk });
    return results.filter(({ place }) => this.#isOurs(place));
  }

  #isOurs(path: string): boolean {
    const full = resolve(path);
    return full === this.#dir || full.startsWith(this.#dir + sep);
  }

  async #indexes(): Promise<{ readonly folder: string; readonly text: string }[]> {
    const folders = new Set<string>();
    for (const place of [this.#dir, ...this.#places])
      for (const name of ['', ...(await namesIn(this.#disk, place))])
        folders.add(join(place, name));
    const found: { folder: string; text: string }[] = [];
    for (const folder of folders) {
      const text = await this.#disk.readText(join(folder, 'index.json')).catch(() => undefined);
      if (text !== undefined && (await this.#hasOurs(folder))) found.push({ folder, text });
    }
    return found;
  }

  async #hasOurs(folder: string): Promise<boolean> {
    const { readManifest } = await import('../../search/store/index-folder.ts');
    const manifest = await readManifest(this.#disk, folder).catch((error: unknown) => {
      // Some other index.json, or an index of another version.
      if (error instanceof DrumlinError) return undefined;
      throw error;
    });
    const files = manifest?.parts.flatMap((part) => part.files) ?? [];
    return files.some(({ path }) => this.#isOurs(path));
  }
}

/** Nothing for what is no folder. */
async function namesIn(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (error instanceof DrumlinError) return [];
    throw error;
  }
}
