/**
 * Pages as plain files: `pages/https/example.org/docs/index.html`.
 *
 * Idea      A page with status 200 is a file with its decoded body. `pages/pages-<agent>.jsonl` has
 *           a line for every response, with or without a file: the URL, the response and the path.
 * Ensures   A file is complete or absent, and a page fetched again after a crash has the same name.
 *           What a checkpoint counts is durable, and the list is truncated to it on resume. A
 *           list that no checkpoint names is moved to `orphans/`.
 * Cost      One file per page: an archive is ten times cheaper to write, and keeps the exact bytes.
 */
import { dirname, join } from 'node:path';
import type { StoredAs } from '../../archive/write/exchange-records.ts';
import type { RecoveryOptions } from '../../archive/write/recovery.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import { Gate } from '../../base/gate.ts';
import { together } from '../../base/together.ts';
import type { Bytes } from '../../base/units.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { keepTail, setAside } from '../../disk/orphans.ts';
import { decodeContent, decodeLimitsFor } from '../../fetch/decode.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import { isHtml } from '../../parse/is-html.ts';
import { pathOf } from '../../url/parts.ts';
import { pagePath } from './page-path.ts';
import type { Store } from './store.ts';

/** The most bytes of lines in memory. */
const BATCH: Bytes = 64 * 1024;
/** More would not be faster: Node writes with four threads. */
const PAGES_AT_ONCE = 8;

export const pagesDir = (dir: string): string => join(dir, 'pages');

export class FileStore implements Store {
  /** Always 0: this store keeps no digests. */
  readonly forgotten = 0;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #listName: string;
  readonly #list: BatchFile;
  /** Files of another store that the crawl used before: they stay part of the checkpoint. */
  readonly #others: readonly WholeLength[];
  readonly #decodeLimits: ReturnType<typeof decodeLimitsFor>;
  /** Pages written at once: each holds its decoded body. */
  readonly #pages = new Gate(PAGES_AT_ONCE);
  #lines = '';
  #writing: Promise<void> = Promise.resolve();
  /** Pages written since the last checkpoint. */
  #fresh = new Set<string>();
  /** Folders known to exist. */
  readonly #folders = new Set<string>();

  private constructor(
    disk: Disk,
    folder: string,
    listName: string,
    list: BatchFile,
    others: readonly WholeLength[],
    maxBody: Bytes,
  ) {
    this.#others = others;
    this.#decodeLimits = decodeLimitsFor(maxBody);
    this.#disk = disk;
    this.#folder = folder;
    this.#listName = listName;
    this.#list = list;
  }

  /** `earlier` are the files of the last checkpoint. */
  static async open(
    disk: Disk,
    folder: string,
    agent: string,
    earlier: readonly WholeLength[] = [],
    {
      keepTails = false,
      onOrphan,
      maxBody = 0,
    }: Pick<RecoveryOptions, 'keepTails' | 'onOrphan'> & { readonly maxBody?: Bytes } = {},
  ): Promise<FileStore> {
    await disk.makeFolder(folder);
    const name = `pages-${agent}.jsonl`;
    const length = earlier.find(({ file }) => file === name)?.length;
    const path = join(folder, name);
    const orphan =
      length === undefined
        ? await setAside(disk, folder, name)
        : keepTails && (await keepTail(disk, folder, name, length));
    if (orphan) onOrphan?.({ file: name, orphan });
    const list =
      length === undefined
        ? await BatchFile.create(disk, path)
        : await BatchFile.open(disk, path, length);
    const others = earlier.filter(({ file }) => file !== name);
    return new FileStore(disk, folder, name, list, others, maxBody);
  }

  async store(exchange: Exchange, onAccepted: (as: StoredAs) => void = () => {}): Promise<void> {
    // A robots.txt is not a page.
    if (pathOf(exchange.url) === '/robots.txt') return onAccepted('response');
    const page =
      exchange.status === 200 ? await this.#pages.run(() => this.#writePage(exchange)) : undefined;
    const { url, status, headers, startedAt } = exchange;
    const type = headers.get('content-type');
    const line = {
      url,
      status,
      type,
      time: new Date(startedAt).toISOString(),
      file: page?.name,
      target: redirectTarget(exchange),
      truncated: exchange.truncated ?? (page?.isCut ? 'decoding' : undefined),
    };
    this.#lines += `${JSON.stringify(line)}\n`;
    onAccepted('response');
    if (this.#lines.length >= BATCH) await this.#writeLines();
  }

  lengths(): readonly WholeLength[] {
    const length = this.#list.length + Buffer.byteLength(this.#lines);
    return [...this.#others, { file: this.#listName, length }];
  }

  async makeDurable(): Promise<void> {
    await this.#writeLines();
    const fresh = [...this.#fresh];
    this.#fresh = new Set();
    await together(fresh.map((path) => this.#syncFile(path)));
    await together([...new Set(fresh.map(dirname))].map((folder) => this.#disk.syncFolder(folder)));
    await this.#list.sync();
  }

  async close(): Promise<void> {
    try {
      await this.#writeLines();
    } finally {
      await this.#list.close();
    }
  }

  /** Returns the name of the file, and whether the body was too large to decode all of it. */
  async #writePage(exchange: Exchange): Promise<{ name: string; isCut: boolean }> {
    const { body, truncated } = await decodeContent(exchange, this.#decodeLimits);
    const name = pagePath(
      exchange.url,
      isHtml(exchange.headers.get('content-type'), exchange.payload),
    );
    const path = join(this.#folder, name);
    const folder = dirname(path);
    if (!this.#folders.has(folder)) await this.#disk.makeFolder(folder);
    // Once made, a folder exists: a few thousand names save most of the system calls.
    if (this.#folders.size >= MOST_FOLDERS) this.#folders.clear();
    this.#folders.add(folder);
    const file = await this.#disk.open(`${path}.tmp`, 'create');
    try {
      await file.writeAll(body, 0);
    } finally {
      await file.close();
    }
    await this.#disk.rename(`${path}.tmp`, path);
    this.#fresh.add(path);
    return { name, isCut: truncated === 'limit' };
  }

  async #syncFile(path: string): Promise<void> {
    const file = await this.#disk.open(path, 'update');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Writes one batch after the other; lines that could not be written stay first. */
  #writeLines(): Promise<void> {
    const work = this.#writing.then(async () => {
      const bytes = Buffer.from(this.#lines);
      if (bytes.length === 0) return;
      const letters = this.#lines.length;
      await this.#list.append([bytes]);
      this.#lines = this.#lines.slice(letters);
    });
    this.#writing = work.catch(() => {}); // reported to the caller
    return work;
  }
}

const MOST_FOLDERS = 4096;
