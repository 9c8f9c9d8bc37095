/**
 * Which references need no URL parser, judged by their bytes.
 *
 * Idea      A reference is plain if its canonical form contains it unchanged, except for what is
 *           dropped at its end and put before it. Every character has a class, and one pass over
 *           the classes decides.
 * Requires  Positions within the bytes. A byte from 0x80 on is never plain, so the encoding does
 *           not matter.
 * Ensures   If a function returns a position, the bytes up to it occur in the canonical URL
 *           unchanged.
 * Cost      About 1 ns per byte.
 */

/** Classes of the characters of a reference; 0 is "not plain". */
const PLAIN = 1;
const SLASH = 2;
const DOT = 3;
const PERCENT = 4;
const QUOTE = 5;
const QUESTION = 6;
const HASH = 7;

export type CharacterClasses = Uint8Array;

/** The classes in a URL. */
export const IN_URL: CharacterClasses = new Uint8Array(256);
for (const c of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$&()*+,;=:@') {
  IN_URL[c.charCodeAt(0)] = PLAIN;
}
IN_URL[0x2f] = SLASH;
IN_URL[0x2e] = DOT;
IN_URL[0x25] = PERCENT;
IN_URL[0x27] = QUOTE;
IN_URL[0x3f] = QUESTION;
IN_URL[0x23] = HASH;

/** The classes in an attribute of a page, where an ampersand may begin a character reference. */
export const IN_ATTRIBUTE: CharacterClasses = IN_URL.slice();
IN_ATTRIBUTE[0x26] = 0;

/** 1 for the escapes that are canonical: upper-case, of a byte that is not unreserved. */
export const CANONICAL_ESCAPE = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  CANONICAL_ESCAPE[byte] = /[\w\-.~]/.test(String.fromCharCode(byte)) ? 0 : 1;
}

const HYPHEN = 0x2d;
const FULL_STOP = 0x2e;
const COLON = 0x3a;
const SOLIDUS = 0x2f;

export const NOT_PLAIN = -1;

/**
 * Where the path and query that begin at `start` end (at a fragment or at `end`), if all of it is
 * plain: URL characters only, no segment that begins with a dot, no escape to normalise, no empty
 * query. Hot: one pass, without calls that matter.
 */
export function plainPathEnd(
  bytes: Uint8Array,
  start: number,
  end: number,
  classes: CharacterClasses,
): number {
  let afterSlash = true;
  let query = NOT_PLAIN;
  let at = start;
  scan: for (; at < end; at++) {
    switch (classes[bytes[at]]) {
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
      case PERCENT:
        if (!isCanonicalEscape(bytes, at, end)) return NOT_PLAIN;
        afterSlash = false;
        at += 2;
        break;
      case QUOTE: // unchanged in a path, escaped in a query
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

function isCanonicalEscape(bytes: Uint8Array, at: number, end: number): boolean {
  if (at + 2 >= end) return false;
  const high = upperHexDigit(bytes[at + 1]);
  const low = upperHexDigit(bytes[at + 2]);
  return high >= 0 && low >= 0 && CANONICAL_ESCAPE[high * 16 + low] === 1;
}

function upperHexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x41 && code <= 0x46 ? code - 0x37 : -1;
}

/**
 * The length of the `http://` or `https://` at the start of the bytes, in lower case; 0 if there is
 * none.
 */
export function schemeLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 8 || bytes[start] !== 0x68 || bytes[start + 1] !== 0x74) return 0;
  if (bytes[start + 2] !== 0x74 || bytes[start + 3] !== 0x70) return 0;
  const length = bytes[start + 4] === 0x73 ? 8 : 7;
  const slash = start + length - 1;
  return bytes[slash] === SOLIDUS && bytes[slash - 1] === SOLIDUS && bytes[slash - 2] === COLON
    ? length
    : 0;
}

/**
 * Where an authority that needs no parser ends: lower-case letters, digits, hyphens, single dots,
 * perhaps a port. The last label does not begin with a digit (it could be an IPv4 address), and no
 * label is in Punycode (which would have to be validated).
 */
export function plainAuthorityEnd(
  bytes: Uint8Array,
  start: number,
  end: number,
  isHttps: boolean,
): number {
  let at = start;
  let label = start;
  for (; at < end; at++) {
    const c = bytes[at];
    if ((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c === HYPHEN) continue;
    if (c !== FULL_STOP) break;
    if (at === label || isPunycode(bytes, label, at)) return NOT_PLAIN;
    label = at + 1;
  }
  if (at === label || (bytes[label] >= 0x30 && bytes[label] <= 0x39)) return NOT_PLAIN;
  if (isPunycode(bytes, label, at)) return NOT_PLAIN;
  return at < end && bytes[at] === COLON ? plainPortEnd(bytes, at + 1, end, isHttps) : at;
}

/** Whether a label is Punycode or looks like it: two letters and two hyphens. */
function isPunycode(bytes: Uint8Array, label: number, end: number): boolean {
  return end - label > 3 && bytes[label + 2] === HYPHEN && bytes[label + 3] === HYPHEN;
}

/**
 * Where a port ends that is canonical as written: no leading zero, in range, not the scheme's
 * default.
 */
function plainPortEnd(bytes: Uint8Array, start: number, end: number, isHttps: boolean): number {
  let at = start;
  let port = 0;
  for (; at < Math.min(start + 5, end); at++) {
    const digit = bytes[at] - 0x30;
    if (!(digit >= 0 && digit <= 9)) break;
    port = port * 10 + digit;
  }
  const written = port > 0 && bytes[start] !== 0x30 && port <= 65535;
  return written && port !== (isHttps ? 443 : 80) ? at : NOT_PLAIN;
}
