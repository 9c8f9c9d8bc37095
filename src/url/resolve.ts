/**
 * The links of one page, resolved against its base and made canonical.
 *
 * Idea      Almost every link of a page is a plain path, or an absolute URL of plain characters, that needs no
 *           parser: concatenation gives the canonical form. One pass over the reference tells whether it is plain;
 *           whatever is not goes the full way through `canonicaliseOrReason`.
 * Requires  an absolute base URL; it need not be canonical, nor http.
 * Ensures   the same answer as `canonicaliseOrReason(reference, { …options, base })`, for every reference.
 * Cost      about 0.2 µs for a plain reference, 2 µs for another.
 *
 * The result is always built by concatenation: when it is first hashed or compared, V8 flattens it into a string of
 * its own, so a stored link does not keep the page it was cut from in memory.
 */
import {
  type CanonicalOptions,
  canonicaliseOrReason,
  MAX_URL_LENGTH,
  REFUSED,
  type Refusal,
} from './canonical.ts';
import { originOf, pathOf } from './parts.ts';

/** Classes of the characters of a reference; 0 is "not plain". */
const PLAIN = 1;
const SLASH = 2;
const DOT = 3;
const PERCENT = 4;
const QUOTE = 5;
const QUESTION = 6;
const HASH = 7;

const CLASS = new Uint8Array(128);
for (const c of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$&()*+,;=:@') {
  CLASS[c.charCodeAt(0)] = PLAIN;
}
CLASS[0x2f] = SLASH;
CLASS[0x2e] = DOT;
CLASS[0x25] = PERCENT;
CLASS[0x27] = QUOTE;
CLASS[0x3f] = QUESTION;
CLASS[0x23] = HASH;

/** 1 for the escapes that stand in a canonical URL as they are: upper-case, of a byte that is not unreserved. */
const SETTLED_ESCAPE = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  SETTLED_ESCAPE[byte] = /[\w\-.~]/.test(String.fromCharCode(byte)) ? 0 : 1;
}

const HASH_CODE = 0x23;
const HYPHEN_CODE = 0x2d;
const DOT_CODE = 0x2e;
const SLASH_CODE = 0x2f;
const COLON_CODE = 0x3a;
const QUESTION_CODE = 0x3f;
const NOT_PLAIN = -1;

export class Resolver {
  readonly #options: CanonicalOptions;
  readonly #maxLength: number;
  /** Undefined when the base is not http or https: then nothing is plain. */
  readonly #origin: string | undefined;
  readonly #scheme: string;
  /** Origin and path of the base up to the last slash, then the same for its parent, and so on to the root. */
  readonly #folders: string[] = [];
  /** Origin and path of the base, without query. */
  readonly #document: string;
  #self: string | Refusal | undefined;

  constructor(base: string, options: Omit<CanonicalOptions, 'base'> = {}) {
    this.#options = { ...options, base };
    this.#maxLength = options.maxLength ?? MAX_URL_LENGTH;
    // Parameters are dropped from results, not from the base: a dropped one may still be part of a folder.
    const url = canonicaliseOrReason(base, { maxLength: base.length * 3 + 8 });
    this.#origin = typeof url === 'string' ? originOf(url) : undefined;
    this.#scheme = this.#origin?.startsWith('https:') ? 'https://' : 'http://';
    const path = typeof url === 'string' ? pathOf(url) : '';
    const question = path.indexOf('?');
    this.#document = (this.#origin ?? '') + (question < 0 ? path : path.slice(0, question));
    this.#folders.push(this.#document.slice(0, this.#document.lastIndexOf('/') + 1));
  }

  /** The canonical URL a reference leads to, or undefined when it leads to none. */
  resolve(reference: string): string | undefined {
    const result = this.resolveOrReason(reference);
    return typeof result === 'string' ? result : undefined;
  }

  /** The canonical URL a reference leads to, or the reason why it leads to none. */
  resolveOrReason(reference: string): string | Refusal {
    const first = reference.length === 0 ? HASH_CODE : reference.charCodeAt(0);
    if (first === HASH_CODE && this.#origin !== undefined && reference.length <= this.#maxLength) {
      this.#self ??= canonicaliseOrReason('', this.#options);
      return this.#self;
    }
    const url = this.#plain(reference, first);
    if (url === undefined) return canonicaliseOrReason(reference, this.#options);
    const { drop } = this.#options;
    const kept = drop !== undefined && (url.includes('?') || url.includes(';')) ? drop.dropFrom(url) : url;
    return kept.length > this.#maxLength ? REFUSED['too-long'] : kept;
  }

  /** The canonical URL of a plain reference, parameters not yet dropped; undefined when it is not plain. */
  #plain(reference: string, first: number): string | undefined {
    const origin = this.#origin;
    if (origin === undefined || reference.length > this.#maxLength) return undefined;
    if (first === SLASH_CODE) {
      if (reference.charCodeAt(1) === SLASH_CODE) return plainAbsolute(reference, this.#scheme, 2);
      return join(origin, reference, 0);
    }
    if (first === QUESTION_CODE) return join(this.#document, reference, 0);
    const colon = reference.indexOf(':');
    if (colon < 0) return this.#plainRelative(reference);
    if (reference.charCodeAt(origin.length) === SLASH_CODE && reference.startsWith(origin)) {
      const end = plainEnd(reference, origin.length);
      return end === NOT_PLAIN ? undefined : reference.slice(0, end);
    }
    if (reference.startsWith('https://')) return plainAbsolute(reference, 'https://', 8);
    if (reference.startsWith('http://')) return plainAbsolute(reference, 'http://', 7);
    return undefined;
  }

  /** A reference relative to the base's folder; leading `./` and `../` are plain, other dot segments are not. */
  #plainRelative(reference: string): string | undefined {
    let at = 0;
    let up = 0;
    while (reference.charCodeAt(at) === DOT_CODE) {
      if (reference.charCodeAt(at + 1) === SLASH_CODE) at += 2;
      else if (reference.charCodeAt(at + 1) === DOT_CODE && reference.charCodeAt(at + 2) === SLASH_CODE) {
        at += 3;
        up++;
      } else return undefined;
    }
    return join(this.#folder(up), reference, at);
  }

  #folder(up: number): string {
    const folders = this.#folders;
    const root = (this.#origin ?? '').length;
    while (folders.length <= up) {
      const child = folders[folders.length - 1];
      if (child.length === root + 1) return child;
      folders.push(child.slice(0, child.lastIndexOf('/', child.length - 2) + 1));
    }
    return folders[up];
  }
}

/** An absolute URL whose authority begins at `start`: a plain name, perhaps a port, then a plain path. */
function plainAbsolute(reference: string, scheme: string, start: number): string | undefined {
  const end = plainAuthorityEnd(reference, start, scheme);
  if (end === NOT_PLAIN) return undefined;
  const first = reference.charCodeAt(end);
  if (first === SLASH_CODE) {
    const tail = plainEnd(reference, end);
    if (tail === NOT_PLAIN) return undefined;
    // Most links are canonical as they stand, and a string that is there already costs nothing.
    return start === 2 ? scheme + reference.slice(start, tail) : reference.slice(0, tail);
  }
  if (end === reference.length || first === HASH_CODE) return `${scheme}${reference.slice(start, end)}/`;
  return first === QUESTION_CODE
    ? join(`${scheme}${reference.slice(start, end)}/`, reference, end)
    : undefined;
}

/**
 * Where an authority ends that needs no parser: lower-case letters, digits, hyphens, single dots; the last label does
 * not begin with a digit (it could be an IPv4 address) and no label is in Punycode (it must be valid to be a host).
 */
function plainAuthorityEnd(reference: string, start: number, scheme: string): number {
  let at = start;
  let label = start;
  for (; at < reference.length; at++) {
    const c = reference.charCodeAt(at);
    if ((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c === HYPHEN_CODE) continue;
    if (c !== DOT_CODE) break;
    if (at === label || isPunycode(reference, label)) return NOT_PLAIN;
    label = at + 1;
  }
  const first = reference.charCodeAt(label);
  if (at === label || (first >= 0x30 && first <= 0x39) || isPunycode(reference, label)) return NOT_PLAIN;
  return reference.charCodeAt(at) === COLON_CODE ? plainPortEnd(reference, at + 1, scheme) : at;
}

function isPunycode(reference: string, label: number): boolean {
  return reference.charCodeAt(label + 2) === HYPHEN_CODE && reference.startsWith('xn--', label);
}

/** Where a port ends that stays as it is written: no leading zero, in range, not the scheme's own. */
function plainPortEnd(reference: string, start: number, scheme: string): number {
  let at = start;
  let port = 0;
  for (; at < start + 5; at++) {
    const digit = reference.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) break;
    port = port * 10 + digit;
  }
  const written = port > 0 && reference.charCodeAt(start) !== 0x30 && port <= 65535;
  return written && port !== (scheme === 'https://' ? 443 : 80) ? at : NOT_PLAIN;
}

/** The prefix and the reference from `start` on, fragment left out; undefined when that part is not plain. */
function join(prefix: string, reference: string, start: number): string | undefined {
  const end = plainEnd(reference, start);
  return end === NOT_PLAIN ? undefined : prefix + reference.slice(start, end);
}

/**
 * Where the path and query that begin at `start` end (at a fragment or with the text), if all of it is plain: URL
 * characters only, no segment that begins with a dot, no escape to settle, no empty query. Hot: one pass, no calls.
 */
function plainEnd(reference: string, start: number): number {
  let afterSlash = true;
  let query = NOT_PLAIN;
  let at = start;
  scan: for (; at < reference.length; at++) {
    const c = reference.charCodeAt(at);
    switch (c < 128 ? CLASS[c] : 0) {
      case PLAIN:
        afterSlash = false;
        break;
      case SLASH:
        afterSlash = true;
        break;
      case DOT:
        if (afterSlash && query === NOT_PLAIN) return NOT_PLAIN;
        afterSlash = false;
        break;
      case PERCENT: {
        const high = upperHexDigit(reference.charCodeAt(at + 1));
        const low = upperHexDigit(reference.charCodeAt(at + 2));
        if (high < 0 || low < 0 || SETTLED_ESCAPE[high * 16 + low] === 0) return NOT_PLAIN;
        afterSlash = false;
        at += 2;
        break;
      }
      case QUOTE: // stays in a path, is escaped in a query
        if (query !== NOT_PLAIN) return NOT_PLAIN;
        afterSlash = false;
        break;
      case QUESTION:
        if (query === NOT_PLAIN) query = at;
        break;
      case HASH:
        break scan;
      default:
        return NOT_PLAIN;
    }
  }
  return query === at - 1 ? NOT_PLAIN : at;
}

function upperHexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x41 && code <= 0x46 ? code - 0x37 : -1;
}
