/**
 * The file name of a URL: `https/example.org/docs/index.html` for `https://example.org/docs/`.
 *
 * Requires  A canonical URL.
 * Ensures   The same URL always has the same name, and two URLs have different names (unless two
 *           64-bit hashes collide). No name is a folder of another. A plain name is that of the
 *           URL; a name that had to be changed carries a hash: for a query, capitals, a missing
 *           extension, or characters that files cannot have. Names work on Linux, macOS and
 *           Windows.
 */

import { xxh64 } from '../../base/xxh64.ts';
import { authorityOf, pathOf } from '../../url/parts.ts';

const LONGEST = 100;
/** Names without characters that are special in a shell or file system, and without capitals. */
const PLAIN = /^[a-z0-9_][a-z0-9_.+-]*$/;
const HOST = /^[a-z0-9_][a-z0-9_.-]*(?::\d+)?$/;
/** Names that Windows reserves for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;
const PAGE_EXTENSION = /\.x?html?$/i;
const INDEX = 'index.html';

export function pagePath(url: string, isHtml: boolean): string {
  const [path, ...query] = pathOf(url).split('?');
  const segments = path.slice(1).split('/');
  const last = segments.pop() ?? '';
  const folders = [
    url.slice(0, url.indexOf(':')),
    hostName(authorityOf(url)),
    ...segments.map(folderName),
  ];
  if (last === '' && query.length === 0 && isHtml) return [...folders, INDEX].join('/');
  const hasType = isHtml ? PAGE_EXTENSION.test(last) : EXTENSION.test(last);
  const isWhole = hasType && isFileName(last) && query.length === 0 && last !== INDEX;
  return [...folders, isWhole ? last : hashedName(last, url, isHtml)].join('/');
}

function isFileName(name: string): boolean {
  return PLAIN.test(name) && !DEVICE.test(name) && name.length <= LONGEST && !name.endsWith('.');
}

function hostName(authority: string): string {
  const isPlain = HOST.test(authority) && authority.length <= LONGEST && !DEVICE.test(authority);
  return isPlain ? authority.replace(':', '+') : `${readable(authority)}~${hashOf(authority)}`;
}

/** A folder never has the name of a file: files have an extension or a hash of a whole URL. */
function folderName(segment: string): string {
  if (isFileName(segment) && !EXTENSION.test(segment)) return segment;
  return `${readable(segment)}~${hashOf(segment)}`;
}

function hashedName(name: string, url: string, isHtml: boolean): string {
  const extension = (EXTENSION.exec(name)?.[0] ?? '').toLowerCase();
  const stem = readable(name.slice(0, name.length - extension.length));
  const end = isHtml && !PAGE_EXTENSION.test(extension) ? '.html' : extension;
  return `${stem}~${hashOf(url)}${end}`;
}

function readable(text: string): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9_+-]+/g, '_');
  return plain.slice(0, LONGEST / 2) || '_';
}

function hashOf(text: string): string {
  return xxh64(text).toString(16).padStart(16, '0');
}
