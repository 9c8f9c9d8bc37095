/**
 * A page or a style sheet with other references: everything else stays as it is, byte for byte.
 *
 * Requires  `rename` gives a reference for a canonical URL; it is made safe for an attribute here.
 * Ensures   Links, requisites, styles and refreshes are rewritten; `<base>` is emptied, because the
 *           new references are relative to the file. Never throws, for any bytes.
 */
import { canonicalise } from '../url/canonical.ts';
import { cssWith } from './css.ts';
import { parsePage } from './page.ts';
import { imagesOf } from './requisites.ts';
import { TAG, TagScanner } from './tags.ts';
import { Values } from './values.ts';

/** The new reference to a URL, without a fragment. */
type Rename = (url: string) => string;

const LONGEST_ATTRIBUTE = 64 * 1024;
const URLS = ['href', 'src', 'data', 'poster', 'background', 'xlink:href', 'data-src', 'lowsrc'];
const LISTS = ['srcset', 'imagesrcset', 'data-srcset'];

interface Patch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Context {
  readonly url: string;
  readonly contentType: string | undefined;
}

/** The references of an HTML page. Encodings that cannot be read bytewise are left as they are. */
export function pageWith(body: Uint8Array, context: Context, rename: Rename): Uint8Array {
  const { base, charset } = parsePage(body, context);
  if (/^utf-?16|^iso-2022/i.test(charset)) return body;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const scanner = new TagScanner(body, text, true);
  const values = new Values(body, text, charset, LONGEST_ATTRIBUTE);
  const patches: Patch[] = [];
  for (let tag = scanner.next(); tag !== TAG.end; tag = scanner.next()) {
    for (const { name, start, end } of attributesOf(scanner)) {
      const value = values.attribute({ start, end });
      const patched = value && patchedValue(scanner.tagName, name, value, base, rename);
      if (patched !== undefined && patched !== '' && patched !== value)
        patches.push({ start, end, text: escaped(patched, text.charAt(start - 1)) });
      if (scanner.tagName === 'base' && name === 'href') patches.push({ start, end, text: '' });
    }
    if (scanner.tagName === 'style') {
      const { contentStart: start, contentEnd: end } = scanner;
      const css = text.slice(start, end);
      patches.push({ start, end, text: cssWith(css, (one) => renamed(one, base, rename)) });
    }
  }
  return Buffer.from(patchedText(text, patches), 'latin1');
}

/** The references of a style sheet. */
export function styleWith(body: Uint8Array, { url }: Context, rename: Rename): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  return Buffer.from(
    cssWith(text, (reference) => renamed(reference, url, rename)),
    'latin1',
  );
}

function* attributesOf(scanner: TagScanner) {
  for (const name of [...URLS, ...LISTS, 'style', 'content']) {
    const attribute = scanner.attribute(name);
    if (attribute < 0) continue;
    yield { name, start: scanner.valueStart(attribute), end: scanner.valueEnd(attribute) };
  }
}

function patchedValue(
  tag: string,
  name: string,
  value: string,
  base: string,
  rename: Rename,
): string | undefined {
  if (name === 'style') return cssWith(value, (reference) => renamed(reference, base, rename));
  if (name === 'content') return tag === 'meta' ? refreshed(value, base, rename) : undefined;
  if (tag === 'base') return undefined;
  if (!LISTS.includes(name)) return renamed(value, base, rename);
  let list = value;
  for (const image of new Set(imagesOf(value)))
    list = list
      .split(/(\s+|,)/)
      .map((part) => (part === image ? renamed(image, base, rename) : part))
      .join('');
  return list;
}

const REFRESH = /^(\s*[\d.]+\s*[;,]\s*url\s*=\s*["']?)([^"']+)(["']?\s*)$/i;

function refreshed(content: string, base: string, rename: Rename): string | undefined {
  const [, before, target, after] = REFRESH.exec(content) ?? [];
  return target === undefined ? undefined : `${before}${renamed(target, base, rename)}${after}`;
}

/** A reference to nothing that can be fetched, and a fragment of the page, stay as they are. */
function renamed(reference: string, base: string, rename: Rename): string {
  const text = reference.trim();
  if (text === '' || text.startsWith('#')) return reference;
  const url = canonicalise(text, { base });
  if (url === undefined) return reference;
  const hash = text.indexOf('#');
  return rename(url) + (hash < 0 ? '' : text.slice(hash));
}

/** Latin-1, and no character that ends the attribute or the URL. */
function escaped(value: string, quote: string): string {
  const safe = value.replace(/[^!-~ ]/g, (c) => encodeURIComponent(c)).replaceAll('&', '&amp;');
  if (quote === '"') return safe.replaceAll('"', '&quot;');
  if (quote === "'") return safe.replaceAll("'", '&#39;');
  return safe.replace(/[\s"'<>`=]/g, (c) => encodeURIComponent(c));
}

function patchedText(text: string, patches: readonly Patch[]): string {
  let [result, at] = ['', 0];
  for (const { start, end, text: patch } of [...patches].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    result += text.slice(at, start) + patch;
    at = end;
  }
  return result + text.slice(at);
}
