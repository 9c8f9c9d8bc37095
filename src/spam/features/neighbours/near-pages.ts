/**
 * Which pages of a site are nearly the same as pages of other sites.
 *
 * Idea      The sketches of all pages go to a file as they come, and are clustered when all are
 *           there (src/corpus/near). A page is shared if its cluster has pages of two sites.
 * Requires  a folder for files that are deleted with it.
 * Ensures   the result depends on the pages of each site only, not on the order of sites. Pages
 *           with too few words for a sketch count as pages, and are shared with none.
 * Cost      on disk about 300 bytes a page; `memory`, and 4 bytes a page and 12 for each page of a
 *           cluster. Clusters miss 6 in 100 pairs of pages with 0.6 of their text in common, 1 in
 *           100 with 0.7.
 */
import { join } from 'node:path';
import type { Bytes, Millis } from '../../../base/units.ts';
import { nearDuplicates } from '../../../corpus/near/near-duplicates.ts';
import { SketchWriter } from '../../../corpus/near/sketch-file.ts';
import type { Disk, DiskFile } from '../../../disk/disk.ts';
import type { Fingerprint } from '../../../duplicates/fingerprint.ts';

/** The part of their text that two pages must have in common. */
const THRESHOLD = 0.7;

export interface SharedPages {
  /** The pages of each site, by its number. */
  readonly pages: Float64Array;
  /** How many of them are shared with another site. */
  readonly shared: Float64Array;
  /** The most other sites that share one of them. */
  readonly sites: Float64Array;
}

export class NearPages {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #writer: SketchWriter;
  /** The site of each page. */
  readonly #siteOf: number[] = [];

  private constructor(disk: Disk, folder: string, path: string, file: DiskFile) {
    this.#disk = disk;
    this.#folder = folder;
    this.#path = path;
    this.#file = file;
    this.#writer = new SketchWriter(file);
  }

  static async create(disk: Disk, folder: string): Promise<NearPages> {
    const path = join(folder, 'sketches');
    return new NearPages(disk, folder, path, await disk.open(path, 'create'));
  }

  async add(site: number, fingerprint: Fingerprint): Promise<void> {
    await this.#writer.add(fingerprint, this.#siteOf.length as Millis, '');
    this.#siteOf.push(site);
  }

  /** Closes the file. Sites are numbered from 0 to `sites` - 1. */
  async finish(sites: number, memory: Bytes): Promise<SharedPages> {
    await this.#writer.flush();
    await this.#file.close();
    const [members, clusters] = await this.#clusters(memory);
    const pages = new Float64Array(sites);
    const shared = new Float64Array(sites);
    const most = new Float64Array(sites);
    for (const site of this.#siteOf) pages[site]++;
    const sitesOf = new Map<number, Set<number>>();
    for (const [i, cluster] of clusters.entries()) {
      const known = sitesOf.get(cluster) ?? new Set();
      sitesOf.set(cluster, known.add(this.#siteOf[members[i]]));
    }
    for (const [i, cluster] of clusters.entries()) {
      const site = this.#siteOf[members[i]];
      const others = (sitesOf.get(cluster)?.size ?? 1) - 1;
      if (others === 0) continue;
      shared[site]++;
      most[site] = Math.max(most[site], others);
    }
    return { pages, shared, sites: most };
  }

  /** Pages that are like others, and the cluster of each. */
  async #clusters(memory: Bytes): Promise<[pages: number[], clusters: number[]]> {
    const parts = [{ path: this.#path, first: 0, pages: this.#siteOf.length }];
    const [pages, clusters]: [number[], number[]] = [[], []];
    const options = { threshold: THRESHOLD, memory };
    for await (const { page, earliest } of nearDuplicates(
      this.#disk,
      this.#folder,
      parts,
      options,
    )) {
      pages.push(page);
      clusters.push(earliest);
    }
    return [pages, clusters];
  }
}
