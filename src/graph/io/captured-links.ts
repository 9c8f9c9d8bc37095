/**
 * The links between the captured pages of an archive, through the redirects that it saw.
 *
 * Idea      Whether the target of a link was captured may be known only at the end of the archive.
 *           So links are sorted by target, and captures by URL; one pass over both decides them
 *           all. A link to a redirect becomes a link to its target, and enters the next pass:
 *           as many passes as the longest chain of redirects.
 * Requires  a folder of its own, which may hold what a killed run left; canonical URLs. `arcs` is
 *           called once, after the last link.
 * Ensures   the links whose targets were captured, or lead to a capture through at most `HOPS`
 *           redirects. A URL that was captured as a page is a page, even if it also redirected; of
 *           several redirects the last one counts. No URL stays in memory. `close` deletes the
 *           folder.
 * Costs     the memory given; on disk, both URLs of each link, for each pass it is in.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { writeText } from '../../disk/text-file.ts';

/** How many redirects a link may lead through. */
const HOPS = 10;
const MEMORY: Bytes = 64 * 2 ** 20;
/** Digits of the number that keeps redirects of one URL in their order. */
const DIGITS = 9;

export class CapturedLinks {
  /** Pages so far, those captured twice counted twice. */
  pages = 0;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #memory: Bytes;
  /** `URL <tab>` for a page, `URL <tab> number target` for a redirect: pages come first. */
  readonly #captures: LineSorter;
  /** `target <tab> page`. */
  #links: LineSorter;
  #redirects = 0;

  private constructor(disk: Disk, folder: string, memory: Bytes) {
    this.#disk = disk;
    this.#folder = folder;
    this.#memory = memory;
    this.#captures = this.#sorter('captures');
    this.#links = this.#sorter('links-0');
  }

  static async open(disk: Disk, folder: string, memory = MEMORY): Promise<CapturedLinks> {
    await disk.removeFolder(folder);
    await disk.makeFolder(folder);
    return new CapturedLinks(disk, folder, memory);
  }

  #sorter(name: string): LineSorter {
    return new LineSorter(this.#disk, this.#folder, name, this.#memory / 2);
  }

  async addPage(url: string): Promise<void> {
    this.pages++;
    await this.#captures.add(`${url}\t`);
  }

  async addRedirect(url: string, target: string): Promise<void> {
    const number = (this.#redirects++).toString(36).padStart(DIGITS, '0');
    await this.#captures.add(`${url}\t${number}${target}`);
  }

  async addLink(page: string, target: string): Promise<void> {
    await this.#links.add(`${target}\t${page}`);
  }

  async *arcs(): AsyncGenerator<[page: string, target: string]> {
    const path = join(this.#folder, 'captures');
    await writeText(this.#disk, path, async (file) => {
      for await (const lines of this.#captures.sorted())
        await file.write(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
    });
    for (let hop = 0; hop <= HOPS; hop++) {
      const next = this.#sorter(`links-${hop + 1}`);
      let redirected = 0;
      const places = new Places(readLines(this.#disk, path));
      try {
        for await (const lines of this.#links.sorted()) {
          for (const line of lines) {
            const [target, page] = line.split('\t');
            const place = await places.at(target);
            if (place === '') yield [page, target];
            else if (place !== undefined && hop < HOPS) {
              await next.add(`${place}\t${page}`);
              redirected++;
            }
          }
        }
      } finally {
        await places.close();
      }
      this.#links = next;
      if (redirected === 0) return;
    }
  }

  async close(): Promise<void> {
    await this.#disk.removeFolder(this.#folder);
  }
}

/** Where URLs lead to, in one pass over the sorted captures. */
class Places {
  readonly #batches: AsyncGenerator<string[]>;
  #lines: readonly string[] = [];
  #next = 0;
  #url = '';
  #place: string | undefined;

  constructor(batches: AsyncGenerator<string[]>) {
    this.#batches = batches;
  }

  /**
   * '' for a page, the target of a redirect, undefined for neither. URLs must come in their order.
   */
  async at(url: string): Promise<string | undefined> {
    if (url === this.#url) return this.#place;
    this.#url = url;
    this.#place = undefined;
    for (let line = await this.#line(); line !== undefined; line = await this.#line()) {
      const end = line.indexOf('\t');
      const other = line.slice(0, end);
      if (other > url) break;
      if (other === url && this.#place !== '')
        this.#place = end + 1 === line.length ? '' : line.slice(end + 1 + DIGITS);
      this.#next++;
    }
    return this.#place;
  }

  async #line(): Promise<string | undefined> {
    while (this.#next === this.#lines.length) {
      const { value, done } = await this.#batches.next();
      if (done) return undefined;
      this.#lines = value;
      this.#next = 0;
    }
    return this.#lines[this.#next];
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}
