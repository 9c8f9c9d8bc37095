/**
 * `--convert-links`: a copy of the stored pages that can be browsed from disk.
 *
 *   pages/    as fetched: exact, and what a resumed crawl continues
 *   browse/   the same names; links between stored pages are relative, all others absolute
 *
 * Idea      A URL has one file name, so one look at the disk shows whether it is stored: no table
 *           of all pages is needed, only one of redirects. Files without references are hard links.
 * Requires  That no agent writes to `pages/`.
 * Ensures   The same copy however often it is made. A page keeps its bytes but for its references,
 *           and gets a byte order mark if it is in UTF-8: a file has no header that names it.
 */
import { dirname, join, posix } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import { readLines } from '../../disk/lines.ts';
import { isHtml } from '../../parse/is-html.ts';
import { parsePage } from '../../parse/page.ts';
import { pageWith, styleWith } from '../../parse/references.ts';
import { pagesDir } from './file-store.ts';
import { pagePath } from './page-path.ts';

interface Listed {
  readonly url: string;
  readonly type?: string;
  readonly file?: string;
  /** Where it redirects to. */
  readonly target?: string;
}

const LIST = /^pages-\d+\.jsonl$/;
/** Redirects in a row from a link to a page. */
const MOST_REDIRECTS = 20;
/** Answers of the disk that are remembered. */
const MOST_REMEMBERED = 65_536;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const browseDir = (dir: string): string => join(dir, 'browse');

/** Returns the number of files. */
export async function convertLinks(disk: Disk, dir: string): Promise<number> {
  const pages = pagesDir(dir);
  await disk.removeFolder(browseDir(dir));
  const lists = (await disk.list(pages)).filter((name) => LIST.test(name));
  const redirects = new Map<string, string>();
  for (const list of lists)
    for await (const { url, target } of listed(disk, join(pages, list)))
      if (target !== undefined) redirects.set(url, target);
  const names = new StoredNames(disk, pages, redirects);
  const done = new Set<string>();
  for (const list of lists)
    for await (const page of listed(disk, join(pages, list))) {
      if (page.file === undefined || done.has(page.file)) continue;
      done.add(page.file);
      await convert(disk, dir, { ...page, file: page.file }, names);
    }
  return done.size;
}

async function convert(
  disk: Disk,
  dir: string,
  { url, type, file }: Listed & { readonly file: string },
  names: StoredNames,
): Promise<void> {
  const from = join(pagesDir(dir), file);
  const to = join(browseDir(dir), file);
  await disk.makeFolder(dirname(to));
  const isStyle = /^\s*text\/css\b/i.test(type ?? '');
  const isMarkup = !isStyle && /html|^\s*$/i.test(type ?? '');
  if (!isStyle && !isMarkup) return copy(disk, from, to);
  const body = await readWhole(disk, from);
  if (!isStyle && !isHtml(type, body)) return copy(disk, from, to);
  const context = { url, contentType: type };
  const rewrite = isStyle ? styleWith : pageWith;
  const found: string[] = [];
  rewrite(body, context, (one) => {
    found.push(one);
    return one;
  });
  const files = await names.filesOf(found);
  const relative = (one: string) => {
    const name = files.get(one);
    return name === undefined ? one : posix.relative(posix.dirname(file), name) || '.';
  };
  const converted = rewrite(body, context, relative);
  const isUtf8 = !isStyle && parsePage(body, context).charset === 'UTF-8';
  const hasMark = BYTE_ORDER_MARK.every((byte, i) => body[i] === byte);
  await writeWhole(disk, to, isUtf8 && !hasMark ? [BYTE_ORDER_MARK, converted] : [converted]);
}

/** Which URLs are stored, and as which files. */
class StoredNames {
  readonly #disk: Disk;
  readonly #pages: string;
  readonly #redirects: ReadonlyMap<string, string>;
  readonly #known = new Map<string, string | undefined>();

  constructor(disk: Disk, pages: string, redirects: ReadonlyMap<string, string>) {
    this.#disk = disk;
    this.#pages = pages;
    this.#redirects = redirects;
  }

  async filesOf(urls: Iterable<string>): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    for (const url of new Set(urls)) {
      const file = await this.#fileOf(url);
      if (file !== undefined) files.set(url, file);
    }
    return files;
  }

  async #fileOf(url: string): Promise<string | undefined> {
    if (this.#known.has(url)) return this.#known.get(url);
    let end = url;
    for (let i = 0; i < MOST_REDIRECTS; i++) end = this.#redirects.get(end) ?? end;
    const names = [pagePath(end, true), pagePath(end, false)];
    let found: string | undefined;
    for (const name of names) {
      if (found === undefined && (await isThere(this.#disk, join(this.#pages, name)))) found = name;
    }
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(url, found);
    return found;
  }
}

async function* listed(disk: Disk, path: string): AsyncGenerator<Listed> {
  for await (const lines of readLines(disk, path))
    for (const line of lines) yield JSON.parse(Buffer.from(line, 'latin1').toString());
}

async function isThere(disk: Disk, path: string): Promise<boolean> {
  try {
    await (await disk.open(path, 'read')).close();
    return true;
  } catch {
    return false;
  }
}

/** As another name of the same file, where the file system can do that. */
async function copy(disk: Disk, from: string, to: string): Promise<void> {
  if (await disk.link(from, to)) return;
  await writeWhole(disk, to, [await readWhole(disk, from)]);
}

async function readWhole(disk: Disk, path: string): Promise<Buffer> {
  const file = await disk.open(path, 'read');
  try {
    const bytes = Buffer.alloc(await file.size());
    await file.readAll(bytes, 0);
    return bytes;
  } finally {
    await file.close();
  }
}

async function writeWhole(disk: Disk, path: string, parts: readonly Uint8Array[]): Promise<void> {
  const file = await disk.open(path, 'create');
  try {
    await file.writeAll(Buffer.concat(parts), 0);
  } finally {
    await file.close();
  }
}
