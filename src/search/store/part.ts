/**
 * A part of an index, opened for reading.
 *
 * Cost      In memory: 32 bytes a version, the first of 64 terms, and up to 32 MiB of lists that
 *           were read, or all postings if they have no more than 64 MiB. Everything else is read
 *           when it is asked for.
 */
import type { Bytes } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import type { Disk } from '../../disk/disk.ts';
import { AnchorReader } from './anchor-file.ts';
import { Dictionary, type TermEntry } from './dictionary.ts';
import type { PartFileName } from './formats.ts';
import { contentOf, IndexFile } from './index-file.ts';
import type { IndexSettings, PartInfo } from './index-folder.ts';
import { PostingList, type ReadCounts } from './posting-list.ts';
import { readRice } from './rice.ts';
import { SightingsReader } from './sightings.ts';
import { VersionTable } from './version-table.ts';

/** A name is read in one piece of this size, if it is no longer. */
const NAME_BYTES = 512;

/** A list of postings as it is stored. */
export interface ListBytes {
  readonly entry: TermEntry;
  readonly bytes: Uint8Array;
}

/** Lists that were read are kept up to this size together. */
const KEPT: Bytes = 32 * 2 ** 20;
/** A smaller file of postings is read as a whole after so many lists: one query needs fewer. */
const SMALL: Bytes = 64 * 2 ** 20;
const MOST_LISTS = 64;
/** Terms whose place is remembered, those that the part does not have included. */
const MOST_TERMS = 16_384;

export class Part {
  readonly info: PartInfo;
  /** The file of postings. */
  readonly path: string;
  readonly settings: IndexSettings;
  readonly versions: VersionTable;
  readonly terms: Dictionary;
  readonly #files: Readonly<Record<'terms' | 'postings' | 'names', IndexFile>>;
  readonly #positions: IndexFile | undefined;
  readonly #read: (name: PartFileName) => Promise<Uint8Array>;
  readonly #kept = new Map<string, ListBytes>();
  /** Where terms are in `#all`, or that they are not there. */
  readonly #found = new Map<string, ListBytes | undefined>();
  #keptBytes: Bytes = 0;
  #listsRead = 0;
  #reading: Promise<Uint8Array> | undefined;
  /** All postings, if they were read. */
  #all: Uint8Array | undefined;

  private constructor(parts: {
    info: PartInfo;
    versions: VersionTable;
    terms: Dictionary;
    settings: IndexSettings;
    files: Record<'terms' | 'postings' | 'names', IndexFile>;
    positions: IndexFile | undefined;
    read: (name: PartFileName) => Promise<Uint8Array>;
  }) {
    this.info = parts.info;
    this.versions = parts.versions;
    this.terms = parts.terms;
    this.settings = parts.settings;
    this.path = parts.files.postings.path;
    this.#files = parts.files;
    this.#positions = parts.positions;
    this.#read = parts.read;
  }

  static async open(
    disk: Disk,
    folder: string,
    info: PartInfo,
    settings: IndexSettings,
  ): Promise<Part> {
    const { lengths } = info;
    const open = (name: PartFileName) => IndexFile.open(disk, folder, name, lengths);
    const opened: IndexFile[] = [];
    try {
      const versions = await contentOf(disk, folder, 'versions', lengths);
      const groups = await contentOf(disk, folder, 'groups', lengths);
      for (const name of ['terms', 'postings', 'names'] as const) opened.push(await open(name));
      if (settings.positions) opened.push(await open('positions'));
      const [terms, postings, names, positions] = opened;
      return new Part({
        ...{ info, settings, positions, files: { terms, postings, names } },
        versions: new VersionTable(versions),
        terms: await Dictionary.open(terms, groups, info.terms),
        read: (name) => contentOf(disk, folder, name, lengths),
      });
    } catch (error) {
      for (const file of opened) await file.close();
      throw error;
    }
  }

  async sightings(): Promise<SightingsReader> {
    return new SightingsReader(await this.#read('sightings'));
  }

  /** Undefined if the part has no anchors. */
  async anchors(): Promise<AnchorReader | undefined> {
    if (this.info.anchors === undefined) return undefined;
    return new AnchorReader(await this.#read('anchors'));
  }

  /** The postings of a term; undefined if the part does not have it. */
  async list(term: string, counts?: ReadCounts): Promise<PostingList | undefined> {
    const bytes = await this.listBytes(term);
    return bytes && this.listOf(bytes, counts);
  }

  listOf({ entry, bytes }: ListBytes, counts?: ReadCounts): PostingList {
    const { block, positions } = this.settings;
    return new PostingList(entry, bytes, { block, positions, counts });
  }

  /**
   * As `list`, not decoded. What was read last is kept. Await what it returns, if it is a promise:
   * what is in memory is found at once.
   */
  listBytes(term: string): ListBytes | undefined | Promise<ListBytes | undefined> {
    const known = this.#found.get(term) ?? this.#kept.get(term);
    if (known || this.#found.has(term)) return known;
    const entry = this.terms.find(term);
    if (entry instanceof Promise) return entry.then((found) => found && this.#listAt(found));
    const list = entry && this.#listAt(entry);
    if (this.#all && !(list instanceof Promise)) {
      if (this.#found.size >= MOST_TERMS) this.#found.clear();
      this.#found.set(term, list);
    }
    return list;
  }

  #listAt(entry: TermEntry): ListBytes | Promise<ListBytes> {
    const { start, bytes: length } = entry;
    const { postings } = this.#files;
    if (this.#all) return { entry, bytes: this.#all.subarray(start, start + length) };
    if (++this.#listsRead >= MOST_LISTS && postings.length <= SMALL) return this.#readAll(entry);
    return this.#readList(entry);
  }

  async #readAll(entry: TermEntry): Promise<ListBytes> {
    this.#reading ??= this.#files.postings.content();
    this.#all = await this.#reading;
    this.#kept.clear();
    return { entry, bytes: this.#all.subarray(entry.start, entry.start + entry.bytes) };
  }

  async #readList(entry: TermEntry): Promise<ListBytes> {
    const bytes = new Uint8Array(entry.bytes);
    await this.#files.postings.readAll(bytes, entry.start);
    const list = { entry, bytes };
    const { term } = entry;
    if (this.#all || bytes.length > KEPT / 4 || this.#kept.has(term)) return list;
    this.#keptBytes += bytes.length;
    for (const [oldest, { bytes: old }] of this.#kept) {
      if (this.#keptBytes <= KEPT) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= old.length;
    }
    this.#kept.set(term, list);
    return list;
  }

  /** URL and title of a version. */
  async name(version: number): Promise<{ readonly url: string; readonly title: string }> {
    const { name } = this.versions.at(version);
    const { names } = this.#files;
    let bytes = Buffer.alloc(Math.min(NAME_BYTES, names.length - name));
    await names.readAll(bytes, name);
    for (;;) {
      const texts = textsIn(bytes);
      if (texts) return { url: texts[0], title: texts[1] };
      bytes = Buffer.alloc(Math.min(16 * bytes.length, names.length - name));
      await names.readAll(bytes, name);
    }
  }

  /** The positions of the posting that a list is at. */
  async positions(list: PostingList): Promise<Uint32Array> {
    const { before, count, total } = list.positionPlace();
    const [start, end] = list.positionRange();
    const bytes = new Uint8Array(end - start);
    await this.#positions?.readAll(bytes, start);
    const block = new Uint32Array(total);
    readRice(bytes, 0, total, block);
    const positions = block.subarray(before, before + count);
    let position = -1;
    for (let i = 0; i < count; i++) {
      position += positions[i] + 1;
      positions[i] = position;
    }
    return positions;
  }

  async close(): Promise<void> {
    for (const file of Object.values(this.#files)) await file.close();
    await this.#positions?.close();
  }
}

/** Two texts after their lengths; undefined if the bytes end before. */
function textsIn(bytes: Buffer): [string, string] | undefined {
  const reader = new VarintReader(bytes);
  const texts: string[] = [];
  try {
    while (texts.length < 2) {
      const length = reader.next();
      if (reader.at + length > bytes.length) return undefined;
      texts.push(bytes.toString('utf8', reader.at, reader.at + length));
      reader.skip(length);
    }
  } catch {
    return undefined; // a length continues past the end
  }
  return texts as [string, string];
}
