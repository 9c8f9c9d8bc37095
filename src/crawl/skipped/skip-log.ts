/**
 * The URLs that an agent did not fetch, or did not keep, with the reason: an append log on disk.
 *
 *   skipped/<agent>-<run>.gz    lines "reason TAB url", in gzip members; a page that was fetched
 *                               and kept has a line without a reason
 *
 * Idea      Whether a skipped URL was fetched in the end is known only at the end: a link that one
 *           page asks not to follow is followed from another. So nothing is looked up while the
 *           crawl runs. Lines are appended; `listSkipped` sorts them and leaves out what was
 *           fetched.
 * Ensures   All lines added before a checkpoint are durable with it: a crawl that is killed loses
 *           none. A line may repeat another, also after a resume. Nothing is written, and no file
 *           is made, before the first piece is full or a checkpoint is due.
 * Cost      Memory for one piece of text, and for the cache of links skipped a moment ago. A write
 *           for each piece.
 */
import { join } from 'node:path';
import { gzipMember } from '../../archive/compress/gzip.ts';
import type { Bytes } from '../../base/units.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { Fingerprints } from '../../sieve/fingerprints.ts';
import { RecentCache } from '../../sieve/recent-cache.ts';
import { PackedUrls } from '../../url/packed-urls.ts';

/** Text that is compressed at once: below the size from which gzip works in steps. */
const PIECE: Bytes = 64 * 1024;
/** For links skipped a moment ago: external links in the menus of a few thousand sites. */
const RECENT_SKIPPED: Bytes = 2 ** 19;

/** Where parts of the crawl report what they skip. */
export interface SkipSink {
  /** A page was fetched and kept. */
  kept(url: string): void;
  /** A URL was not fetched, or its page not kept. */
  skipped(url: string, reason: string): void;
  /** Links were not followed; those reported a moment ago are left out. */
  links(urls: readonly string[], reason: string): void;
}

/** For crawls that keep no list. */
export const NOT_LISTED: SkipSink = { kept() {}, skipped() {}, links() {} };

/** The folder of the lists. */
export const skippedDir = (dir: string): string => join(dir, 'skipped');

export class SkipLog implements SkipSink {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #name: string;
  readonly #piece: Bytes;
  #file: BatchFile | undefined;
  #text = '';
  /** Compressed and not written yet. */
  readonly #members: Uint8Array[] = [];
  #writing: Promise<void> = Promise.resolve();
  #recent: { readonly cache: RecentCache; readonly fingerprints: Fingerprints } | undefined;
  #keep = new Uint8Array(256);

  /** `run` counts the runs of the crawl: each writes its own file. */
  constructor(disk: Disk, dir: string, agent: number, run: number, piece = PIECE) {
    this.#disk = disk;
    this.#dir = skippedDir(dir);
    this.#name = `${agent}-${run}.gz`;
    this.#piece = piece;
  }

  kept(url: string): void {
    this.skipped(url, '');
  }

  skipped(url: string, reason: string): void {
    this.#text += `${reason}\t${url}\n`;
    if (this.#text.length < this.#piece) return;
    this.#compress();
    // A piece that cannot be written is written by the next checkpoint, which reports the failure.
    this.#write().catch(() => {});
  }

  links(urls: readonly string[], reason: string): void {
    if (urls.length === 0) return;
    this.#recent ??= {
      cache: new RecentCache(RECENT_SKIPPED),
      fingerprints: new Fingerprints(),
    };
    const { cache, fingerprints } = this.#recent;
    if (urls.length > this.#keep.length) this.#keep = new Uint8Array(urls.length * 2);
    cache.admit(fingerprints.hash(PackedUrls.of(urls)), urls.length, this.#keep);
    for (let i = 0; i < urls.length; i++) if (this.#keep[i]) this.skipped(urls[i], reason);
  }

  /** Writes and syncs everything added before. */
  async makeDurable(): Promise<void> {
    this.#compress();
    await this.#write();
    await this.#file?.sync();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close();
  }

  #compress(): void {
    if (this.#text === '') return;
    const text = Buffer.from(this.#text, 'latin1');
    this.#text = '';
    // At this size it is compressed at once, so members stay in order.
    void gzipMember(text, 1, (member) => this.#members.push(Buffer.from(member)));
  }

  #write(): Promise<void> {
    const work = this.#writing.then(async () => {
      const members = [...this.#members];
      if (members.length === 0) return;
      this.#file ??= await this.#open();
      await this.#file.append(members);
      this.#members.splice(0, members.length);
    });
    this.#writing = work.catch(() => {}); // reported to the caller
    return work;
  }

  async #open(): Promise<BatchFile> {
    await this.#disk.makeFolder(this.#dir);
    return BatchFile.create(this.#disk, join(this.#dir, this.#name));
  }
}
