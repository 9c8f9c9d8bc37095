/**
 * The links of a page in AssemblyScript: `scan` finds the tags that matter, `resolve` makes
 * canonical URLs of their addresses and puts them side by side. packed-page.ts lays out the memory,
 * and does what is left to it: everything inside `<svg>` and `<math>`, and every reference that is
 * not plain. tags.ts, attributes.ts, rawtext.ts and ../url/resolve.ts are the same in TypeScript
 * and define the answer.
 *
 * `npm run kernels` compiles it into links-wasm.ts, which the build and the tests load. At least 64
 * zero bytes follow the input, so that a look past its end finds nothing.
 *
 * Long: one module, because kernels share no memory and a call between them costs as much as a
 * link.
 */

/** What `scan` and `resolve` share with their caller, as i32: see the names in packed-page.ts. */
export const STATE: usize = 64;
/** Tables of 256 bytes, which the caller fills: classes in a URL, roles in a tag, escapes. */
export const CLASSES: usize = 256;
export const ROLES: usize = 512;
export const ESCAPES: usize = 768;
/** Origin and path of the base. */
export const BASE: usize = 1024;
export const BASE_BYTES: u32 = 4096;
/** Ten i32 each: tag, four spans (see `Span`), where the tag ends. */
export const RECORDS: usize = 8192;
export const MOST_RECORDS: u32 = 1000;
const RECORD: usize = 40;
/** One i32 for each link: where its URL ends, times 32, 16 if it is not to be followed, its tag. */
export const MARKS: usize = 49152;
/** The URLs. */
export const OUT: usize = 65536;
export const OUT_BYTES: u32 = 262144;
export const INPUT: usize = OUT + OUT_BYTES;
export const INPUT_BYTES: u32 = 1048576;
/** The origins that links lead to, each once, with a slash behind it; where each ends, as u32. */
export const ORIGINS: usize = INPUT + INPUT_BYTES + 1024;
export const ORIGINS_BYTES: u32 = 32768;
export const ORIGIN_ENDS: usize = 57344;
/** Numbers of origins by their hashes, as u16: 0 for none, otherwise the number plus 1. */
const ORIGIN_TABLE: usize = 53248;
const ORIGIN_PLACES: u32 = 2048;

const TEMPLATES: usize = STATE;
const RECORD_COUNT: usize = STATE + 4;
const OUT_AT: usize = STATE + 8;
const LINKS: usize = STATE + 12;
const REFUSED: usize = STATE + 16;
const ORIGIN_LENGTH: usize = STATE + 20;
const DOCUMENT_LENGTH: usize = STATE + 24;
const IS_HTTPS: usize = STATE + 28;
const HAS_BASE: usize = STATE + 32;
const DROPS: usize = STATE + 36;
const MAX_URL: usize = STATE + 40;
const MAX_ATTRIBUTE: usize = STATE + 44;
/** How many origins there are; -1 if they are not wanted, or do not fit. */
const ORIGIN_COUNT: usize = STATE + 48;

// Tags: those up to TITLE have the numbers of `TAG`.
const A: i32 = 1;
const AREA: i32 = 2;
const BASE_TAG: i32 = 3;
const FRAME: i32 = 4;
const IFRAME: i32 = 5;
const LINK: i32 = 6;
const META: i32 = 7;
const TITLE: i32 = 8;
const SCRIPT: i32 = 20;
const RAW: i32 = 21;
const PLAINTEXT: i32 = 26;
const TEMPLATE: i32 = 27;
const FOREIGN: i32 = 28;
const OTHER: i32 = 32;

// Names as little-endian numbers.
const N_A: u64 = 0x61;
const N_XMP: u64 = 0x706d78;
const N_SVG: u64 = 0x677673;
const N_AREA: u64 = 0x61657261;
const N_BASE: u64 = 0x65736162;
const N_LINK: u64 = 0x6b6e696c;
const N_META: u64 = 0x6174656d;
const N_MATH: u64 = 0x6874616d;
const N_FRAME: u64 = 0x656d617266;
const N_TITLE: u64 = 0x656c746974;
const N_STYLE: u64 = 0x656c797473;
const N_IFRAME: u64 = 0x656d61726669;
const N_SCRIPT: u64 = 0x747069726373;
const N_NOEMBED: u64 = 0x6465626d656f6e;
const N_TEXTAREA: u64 = 0x6165726174786574;
const N_NOFRAMES: u64 = 0x73656d6172666f6e;
const N_TEMPLATE: u64 = 0x6574616c706d6574;
const N_PLAINTEX: u64 = 0x7865746e69616c70;
const N_HREF: u64 = 0x66657268;
const N_REL: u64 = 0x6c6572;
const N_SRC: u64 = 0x637273;
const N_NAME: u64 = 0x656d616e;
const N_CONTENT: u64 = 0x746e65746e6f63;
const N_CHARSET: u64 = 0x74657372616863;
const N_HTTP_EQU: u64 = 0x7571652d70747468;
const N_NOFOLLOW: u64 = 0x776f6c6c6f666f6e;
const N_JAVASCRI: u64 = 0x697263736176616a;
const N_MAILTO_: u64 = 0x3a6f746c69616d;
const N_TEL_: u64 = 0x3a6c6574;

const LOWER: u64 = 0x2020202020202020;

// Roles of a character in a tag, as in attributes.ts.
const SPACE: u32 = 1;
const ENDS_NAME: u32 = 2;
const ENDS_ATTRIBUTE_NAME: u32 = 4;
const ENDS_UNQUOTED: u32 = 8;

// @ts-ignore: decorator
@inline
function roleOf(at: usize): u32 {
  return load<u8>(ROLES + load<u8>(at));
}

// @ts-ignore: decorator
@inline
function isLetter(c: u32): bool {
  return (c | 0x20) - 0x61 < 26;
}

/** The first `byte` in at .. end, or `end`. */
// @ts-ignore: decorator
@inline
function find(byte: u8, at: usize, end: usize): usize {
  const wanted = i8x16.splat(<i8>byte);
  for (; at < end; at += 16) {
    const hits = <u32>i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (hits != 0) return min(at + ctz(hits), end);
  }
  return end;
}

/** The first `length` bytes in lower case as a number: exact for names of letters. */
// @ts-ignore: decorator
@inline
function nameAt(at: usize, length: usize): u64 {
  return (load<u64>(at) | LOWER) & (<u64>-1 >> (64 - (<u64>length << 3)));
}

function classify(start: usize, length: usize): i32 {
  if (length > 9) return OTHER;
  if (length == 9) {
    const isPlaintext = nameAt(start, 8) == N_PLAINTEX && (load<u8>(start, 8) | 0x20) == 0x74;
    return isPlaintext ? PLAINTEXT : OTHER;
  }
  const name = nameAt(start, length);
  switch (<i32>length) {
    case 1:
      return name == N_A ? A : OTHER;
    case 3:
      return name == N_XMP ? RAW : name == N_SVG ? FOREIGN : OTHER;
    case 4:
      if (name == N_AREA) return AREA;
      if (name == N_BASE) return BASE_TAG;
      if (name == N_LINK) return LINK;
      if (name == N_META) return META;
      return name == N_MATH ? FOREIGN : OTHER;
    case 5:
      if (name == N_FRAME) return FRAME;
      if (name == N_TITLE) return TITLE;
      return name == N_STYLE ? RAW : OTHER;
    case 6:
      if (name == N_IFRAME) return IFRAME;
      return name == N_SCRIPT ? SCRIPT : OTHER;
    case 7:
      return name == N_NOEMBED ? RAW : OTHER;
    case 8:
      if (name == N_TEXTAREA || name == N_NOFRAMES) return RAW;
      return name == N_TEMPLATE ? TEMPLATE : OTHER;
    default:
      return OTHER;
  }
}

/**
 * Reads tags from position `from` on. Returns the length when it is at the end; the position of a
 * `<svg>` or `<math>` that the caller must read; or -1 if there are too many tags.
 */
export function scan(from: u32, length: u32): i32 {
  const end = INPUT + length;
  let at: usize = INPUT + from;
  let templates = load<i32>(TEMPLATES);
  let records = load<u32>(RECORD_COUNT);
  while (true) {
    const open = find(0x3c, at, end);
    if (open == end) break;
    const first = load<u8>(open, 1);
    const closing = first == 0x2f;
    const start = open + (closing ? 2 : 1);
    if (!isLetter(load<u8>(start))) {
      at = afterMarkup(open, first, end);
      continue;
    }
    let nameEnd = start + 1;
    while (nameEnd < end && (roleOf(nameEnd) & ENDS_NAME) == 0) nameEnd++;
    if (closing) {
      if (templates != 0 && classify(start, nameEnd - start) == TEMPLATE) {
        at = walk(nameEnd, end, 0, 0);
        if (at == 0) break;
        templates--;
        continue;
      }
      at = load<u8>(nameEnd) == 0x3e ? nameEnd + 1 : walk(nameEnd, end, 0, 0);
      if (at == 0) break;
      continue;
    }
    const tag = classify(start, nameEnd - start);
    if (tag == OTHER) {
      at = load<u8>(nameEnd) == 0x3e ? nameEnd + 1 : walk(nameEnd, end, 0, 0);
      if (at == 0) break;
      continue;
    }
    if (tag == FOREIGN) {
      store<i32>(TEMPLATES, templates);
      store<u32>(RECORD_COUNT, records);
      return <i32>(open - INPUT);
    }
    const record = RECORDS + <usize>records * RECORD;
    if (tag <= TITLE) clearRecord(record, tag);
    at = walk(nameEnd, end, tag <= META ? tag : 0, record);
    if (at == 0) break;
    const tagEnd = at;
    if (tag == TITLE || tag == IFRAME || tag == RAW)
      at = rawTextEnd(at, end, start, nameEnd - start);
    else if (tag == SCRIPT) at = scriptEnd(at, end, start);
    else if (tag == PLAINTEXT) at = end;
    else if (tag == TEMPLATE) templates++;
    if (tag > TITLE || templates != 0) continue;
    if (tag == TITLE) putSpan(record, 0, tagEnd, at);
    if (!matters(record, tag)) continue;
    if (++records > MOST_RECORDS) return -1;
  }
  store<i32>(TEMPLATES, templates);
  store<u32>(RECORD_COUNT, records);
  return <i32>length;
}

// @ts-ignore: decorator
@inline
function clearRecord(record: usize, tag: i32): void {
  store<i32>(record, tag);
  v128.store(record, i32x4.splat(-1), 4);
  v128.store(record, i32x4.splat(-1), 20);
}

// @ts-ignore: decorator
@inline
function putSpan(record: usize, slot: usize, start: usize, end: usize): void {
  store<i32>(record + (slot << 3), <i32>(start - INPUT), 4);
  store<i32>(record + (slot << 3), <i32>(end - INPUT), 8);
}

/** Whether a tag has what makes it a reference, a name or a declaration. */
// @ts-ignore: decorator
@inline
function matters(record: usize, tag: i32): bool {
  if (tag == META) return load<i32>(record, 4) >= 0 || load<i32>(record, 28) >= 0;
  if (tag == LINK) return load<i32>(record, 4) >= 0 && load<i32>(record, 12) >= 0;
  return load<i32>(record, 4) >= 0;
}

/**
 * Where to continue after a `<` that begins no tag: a comment, a declaration, or a plain character.
 */
function afterMarkup(open: usize, first: u8, end: usize): usize {
  if (first != 0x21)
    return first == 0x3f || first == 0x2f ? min(find(0x3e, open + 2, end) + 1, end) : open + 1;
  if (load<u16>(open, 2) == 0x2d2d) return commentEnd(open, end);
  return min(find(0x3e, open + 2, end) + 1, end);
}

function commentEnd(open: usize, end: usize): usize {
  if (load<u8>(open, 4) == 0x3e) return open + 5;
  if (load<u16>(open, 4) == 0x3e2d) return open + 6;
  for (let at = find(0x2d, open + 4, end); at < end; at = find(0x2d, at + 1, end)) {
    if (load<u8>(at, 1) != 0x2d) continue;
    if (load<u8>(at, 2) == 0x3e) return at + 3;
    if (load<u16>(at, 2) == 0x3e21) return at + 4;
  }
  return end;
}

/** The `<` of the end tag of the element whose name is at `name`, or `end`. */
function rawTextEnd(at: usize, end: usize, name: usize, length: usize): usize {
  const wanted = nameAt(name, min<usize>(length, 8));
  for (let open = find(0x3c, at, end); open < end; open = find(0x3c, open + 1, end)) {
    if (load<u8>(open, 1) != 0x2f || nameAt(open + 2, min<usize>(length, 8)) != wanted) continue;
    const after = open + 2 + length;
    if (after < end && isTagEnd(after)) return open;
  }
  return end;
}

/** White space, a slash or `>`. */
// @ts-ignore: decorator
@inline
function isTagEnd(at: usize): bool {
  return (roleOf(at) & ENDS_NAME) != 0;
}

function scriptEnd(from: usize, end: usize, name: usize): usize {
  const plain = rawTextEnd(from, end, name, 6);
  if (plain == end) return end;
  for (let at = find(0x3c, from, plain); at < plain; at = find(0x3c, at + 1, plain)) {
    if (load<u32>(at) == 0x2d2d213c && at + 4 <= plain) return escapedScriptEnd(at, end);
  }
  return plain;
}

/** The "escaped" and "double escaped" states of the standard. */
function escapedScriptEnd(from: usize, end: usize): usize {
  let state = 0;
  for (let at = from; at < end; ) {
    const c = load<u8>(at);
    if (c == 0x2d && load<u16>(at, 1) == 0x3e2d) {
      state = 0;
      at += 3;
    } else if (c != 0x3c) at++;
    else if (load<u32>(at) == 0x2d2d213c) {
      if (state == 0) state = 1;
      at += 2;
    } else {
      const closing = load<u8>(at, 1) == 0x2f;
      const name = at + (closing ? 2 : 1);
      if (nameAt(name, 6) != N_SCRIPT || name + 6 >= end || !isTagEnd(name + 6)) {
        at++;
        continue;
      }
      if (!closing) {
        if (state == 1) state = 2;
      } else if (state == 2) state = 1;
      else return at;
      at = name + 6;
    }
  }
  return end;
}

/**
 * Walks the attributes of a tag whose name ends at `at`, and its `>`. Returns the position after
 * it, 0 if the page ends first. Notes the spans of the attributes that `tag` needs, if it is not 0.
 */
function walk(at: usize, end: usize, tag: i32, record: usize): usize {
  let count = 0;
  while (at < end) {
    const c = load<u8>(at);
    if (c == 0x3e) return at + 1;
    if ((roleOf(at) & SPACE) != 0 || c == 0x2f) {
      at++;
      continue;
    }
    const nameStart = at++;
    while (at < end && (roleOf(at) & ENDS_ATTRIBUTE_NAME) == 0) at++;
    const nameEnd = at;
    while (at < end && (roleOf(at) & SPACE) != 0) at++;
    let valueStart = nameEnd;
    let valueEnd = nameEnd;
    if (load<u8>(at) == 0x3d) {
      at++;
      while (at < end && (roleOf(at) & SPACE) != 0) at++;
      const quote = load<u8>(at);
      if (quote == 0x22 || quote == 0x27) {
        valueStart = at + 1;
        valueEnd = find(quote, valueStart, end);
        if (valueEnd == end) return 0;
        at = valueEnd + 1;
      } else {
        valueStart = at;
        while (at < end && (roleOf(at) & ENDS_UNQUOTED) == 0) at++;
        valueEnd = at;
      }
    }
    if (tag != 0 && count < 64) {
      count++;
      const slot = slotOf(tag, nameStart, nameEnd - nameStart);
      if (slot >= 0 && load<i32>(record + (<usize>slot << 3), 4) < 0)
        putSpan(record, slot, valueStart, valueEnd);
    }
  }
  return 0;
}

/** Which span of its record an attribute is: the address, what is said of it, a name, a charset. */
function slotOf(tag: i32, at: usize, length: usize): i32 {
  if (length == 10 && tag == META)
    return nameAt(at, 8) == N_HTTP_EQU && nameAt(at + 8, 2) == 0x7669 ? 1 : -1;
  if (length > 8) return -1;
  const name = nameAt(at, length);
  if (tag == META) return name == N_CONTENT ? 0 : name == N_NAME ? 2 : name == N_CHARSET ? 3 : -1;
  if (tag == FRAME || tag == IFRAME) return name == N_SRC ? 0 : -1;
  return name == N_HREF ? 0 : name == N_REL ? 1 : -1;
}

/**
 * Resolves records from number `i` on. Returns the number of one that the caller must resolve, how
 * many there are when all are done, or -1 if there is no room for another URL.
 */
export function resolve(i: u32): i32 {
  const count = load<u32>(RECORD_COUNT);
  for (; i < count; i++) {
    const record = RECORDS + <usize>i * RECORD;
    const tag = load<i32>(record);
    if (tag == TITLE || tag == BASE_TAG) continue;
    if (tag == META || tag == LINK) return i;
    const start = INPUT + load<u32>(record, 4);
    const end = INPUT + load<u32>(record, 8);
    const length = <u32>(end - start);
    if (length > load<u32>(MAX_ATTRIBUTE)) continue;
    let nofollow: i32 = 0;
    if (load<i32>(record, 12) >= 0) {
      nofollow = nofollowIn(INPUT + load<u32>(record, 12), INPUT + load<u32>(record, 16));
      if (nofollow < 0) return i;
    }
    if (length == 0) return i;
    if (load<u8>(start) == 0x23) {
      if (load<i32>(HAS_BASE) != 0) return i;
      continue;
    }
    if (length > load<u32>(MAX_URL)) return i;
    const outAt = load<u32>(OUT_AT);
    // The base, the reference, a scheme and a slash; a copy may write 16 bytes more.
    if (outAt + load<u32>(DOCUMENT_LENGTH) + length + 32 > OUT_BYTES) return -1;
    const out = OUT + outAt;
    const to = plain(start, end, out);
    if (to == NOT_PLAIN) {
      if (!isOtherScheme(start, length)) return i;
      store<i32>(REFUSED, load<i32>(REFUSED) + 1);
      continue;
    }
    if (<u32>(to - out) > load<u32>(MAX_URL)) return i;
    putLink(<u32>(to - OUT), nofollow, tag);
  }
  return count;
}

/** Notes a link whose URL ends at `outEnd`. */
export function putLink(outEnd: u32, nofollow: i32, kind: i32): void {
  const links = load<u32>(LINKS);
  if (load<i32>(ORIGIN_COUNT) >= 0) noteOrigin(OUT + load<u32>(OUT_AT), OUT + outEnd);
  store<i32>(MARKS + (<usize>links << 2), (<i32>outEnd << 5) | (nofollow << 4) | kind);
  store<u32>(LINKS, links + 1);
  store<u32>(OUT_AT, outEnd);
}

/** Forgets the origins of the last page, and notes those of the next. */
export function beginOrigins(): void {
  memory.fill(ORIGIN_TABLE, 0, ORIGIN_PLACES * 2);
  store<i32>(ORIGIN_COUNT, 0);
}

/** Notes the origin of a canonical URL, unless the page has a link to it already. */
function noteOrigin(start: usize, end: usize): void {
  // An authority has a character at least, so the slash behind it is not among the first eight.
  const length = <u32>(find(0x2f, start + 8, end) - start) + 1;
  let hash: u64 = length;
  for (let i: u32 = 0; i < length; i += 8)
    hash = (hash ^ eightOf(start + i, length - i)) * 0x9e3779b97f4a7c15;
  const count = load<u32>(ORIGIN_COUNT);
  let place = <u32>(hash >> 48) & (ORIGIN_PLACES - 1);
  for (;;) {
    const number = <u32>load<u16>(ORIGIN_TABLE + (place << 1));
    if (number == 0) break;
    if (isSame(number - 1, start, length)) return;
    place = (place + 1) & (ORIGIN_PLACES - 1);
  }
  const at = originStart(count);
  // A copy may write 15 bytes more.
  if (at + length + 16 > ORIGINS_BYTES) {
    store<i32>(ORIGIN_COUNT, -1);
    return;
  }
  copy(ORIGINS + at, start, length);
  store<u32>(ORIGIN_ENDS + (count << 2), at + length);
  store<u16>(ORIGIN_TABLE + (place << 1), count + 1);
  store<u32>(ORIGIN_COUNT, count + 1);
}

// @ts-ignore: decorator
@inline
function originStart(number: u32): u32 {
  return number == 0 ? 0 : load<u32>(ORIGIN_ENDS + ((number - 1) << 2));
}

/** The next bytes as a number: eight, or as many as are left. */
// @ts-ignore: decorator
@inline
function eightOf(at: usize, left: u32): u64 {
  const bytes = load<u64>(at);
  return left >= 8 ? bytes : bytes & ((<u64>1 << (left << 3)) - 1);
}

function isSame(number: u32, start: usize, length: u32): bool {
  const from = originStart(number);
  if (originStart(number + 1) - from != length) return false;
  for (let i: u32 = 0; i < length; i += 8)
    if (eightOf(ORIGINS + from + i, length - i) != eightOf(start + i, length - i)) return false;
  return true;
}

/** References that no crawler follows, and that are too many for the caller. */
function isOtherScheme(at: usize, length: u32): bool {
  if (length >= 11 && load<u64>(at) == N_JAVASCRI)
    return load<u16>(at, 8) == 0x7470 && load<u8>(at, 10) == 0x3a;
  if (length >= 7 && (load<u64>(at) & 0xffffffffffffff) == N_MAILTO_) return true;
  return length >= 4 && <u64>load<u32>(at) == N_TEL_;
}

/** 1 if `nofollow` is a word of a `rel`, 0 if it is not, -1 if the value must be decoded first. */
function nofollowIn(at: usize, end: usize): i32 {
  if (end - at > load<u32>(MAX_ATTRIBUTE)) return -1;
  let found = 0;
  let word = at;
  for (; at <= end; at++) {
    const c: u32 = at < end ? load<u8>(at) : 0x20;
    if (c == 0x26 || c == 0 || c >= 0x80) return -1;
    if ((load<u8>(ROLES + c) & SPACE) == 0) continue;
    if (at - word == 8 && nameAt(word, 8) == N_NOFOLLOW) found = 1;
    word = at + 1;
  }
  return found;
}

const NOT_PLAIN: usize = 0;

/**
 * Writes the canonical URL of a plain reference to `out` and returns where it ends. As
 * `Resolver.resolvePlain`, and `&amp;` is plain too.
 */
function plain(start: usize, end: usize, out: usize): usize {
  const first = load<u8>(start);
  if (first == 0x2f) {
    if (start + 1 < end && load<u8>(start, 1) == 0x2f) return plainAbsolute(start, 2, end, out);
    return join(load<u32>(ORIGIN_LENGTH), start, end, out);
  }
  if (first == 0x3f) return join(load<u32>(DOCUMENT_LENGTH), start, end, out);
  const scheme = schemeLength(start, end);
  return scheme > 0
    ? plainAbsolute(start, scheme, end, out)
    : plainRelative(start, end, out);
}

/** The length of the `http://` or `https://` at the start, in lower case; 0 if there is none. */
function schemeLength(start: usize, end: usize): usize {
  if (end - start < 8 || load<u32>(start) != 0x70747468) return 0;
  const isHttps = load<u8>(start, 4) == 0x73;
  const rest = isHttps ? start + 5 : start + 4;
  return load<u16>(rest) == 0x2f3a && load<u8>(rest, 2) == 0x2f ? (isHttps ? 8 : 7) : 0;
}

function plainAbsolute(start: usize, scheme: usize, end: usize, out: usize): usize {
  const isBaseHttps = load<i32>(IS_HTTPS) != 0;
  const isHttps = scheme == 2 ? isBaseHttps : scheme == 8;
  let path = plainAuthorityEnd(start + scheme, end, isHttps);
  if (path == NOT_PLAIN) {
    // The origin of the base is canonical, whatever it looks like.
    path = start + load<u32>(ORIGIN_LENGTH);
    if (path >= end || load<u8>(path) != 0x2f || !isOrigin(start)) return NOT_PLAIN;
  }
  let from = start;
  if (scheme == 2) {
    from = start + 2;
    store<u64>(out, 0x2f2f3a7370747468); // https://
    if (!isBaseHttps) store<u32>(out, 0x2f2f3a, 4);
    out += isBaseHttps ? 8 : 7;
  }
  copy(out, from, path - from);
  out += path - from;
  if (path < end && load<u8>(path) == 0x2f) return putPath(path, end, out);
  store<u8>(out, 0x2f);
  if (path == end || load<u8>(path) == 0x23) return out + 1;
  return load<u8>(path) == 0x3f ? putPath(path, end, out + 1) : NOT_PLAIN;
}

function isOrigin(start: usize): bool {
  const length: usize = load<u32>(ORIGIN_LENGTH);
  for (let i: usize = 0; i < length; i++)
    if (load<u8>(start + i) != load<u8>(BASE + i)) return false;
  return true;
}

/**
 * Where an authority that needs no parser ends: lower-case letters, digits, hyphens, single dots,
 * perhaps a port. See `plainAuthorityEnd` of plain.ts.
 */
function plainAuthorityEnd(start: usize, end: usize, isHttps: bool): usize {
  let at = start;
  let label = start;
  for (; at < end; at++) {
    const c: u32 = load<u8>(at);
    if (c - 0x61 < 26 || c - 0x30 < 10 || c == 0x2d) continue;
    if (c != 0x2e) break;
    if (at == label || isPunycode(label, at)) return NOT_PLAIN;
    label = at + 1;
  }
  if (at == label || <u32>load<u8>(label) - 0x30 < 10) return NOT_PLAIN;
  if (isPunycode(label, at)) return NOT_PLAIN;
  return at < end && load<u8>(at) == 0x3a ? plainPortEnd(at + 1, end, isHttps) : at;
}

// @ts-ignore: decorator
@inline
function isPunycode(label: usize, end: usize): bool {
  return end - label > 3 && load<u16>(label, 2) == 0x2d2d;
}

function plainPortEnd(start: usize, end: usize, isHttps: bool): usize {
  let at = start;
  let port: u32 = 0;
  const last = min(start + 5, end);
  for (; at < last; at++) {
    const digit: u32 = <u32>load<u8>(at) - 0x30;
    if (digit > 9) break;
    port = port * 10 + digit;
  }
  const isWritten = port > 0 && load<u8>(start) != 0x30 && port <= 65535;
  return isWritten && port != (isHttps ? 443 : 80) ? at : NOT_PLAIN;
}

/** A reference relative to the base's folder; leading `./` and `../` are plain. */
function plainRelative(start: usize, end: usize, out: usize): usize {
  let at = start;
  let up = 0;
  while (at < end && load<u8>(at) == 0x2e) {
    if (at + 1 < end && load<u8>(at, 1) == 0x2f) at += 2;
    else if (at + 2 < end && load<u16>(at, 1) == 0x2f2e) {
      at += 3;
      up++;
    } else return NOT_PLAIN;
  }
  // The text before a colon may be a scheme.
  for (let i = at; i < end; i++) {
    const c = load<u8>(i);
    if (c == 0x3a) return NOT_PLAIN;
    if (c == 0x2f || c == 0x3f || c == 0x23) break;
  }
  return join(folderLength(up), at, end, out);
}

/** Origin and path of the base up to the last slash, or up to that of its parent, and so on. */
function folderLength(up: i32): u32 {
  const root = load<u32>(ORIGIN_LENGTH) + 1;
  let length = load<u32>(DOCUMENT_LENGTH);
  while (length > root && load<u8>(BASE + length - 1) != 0x2f) length--;
  for (; up > 0 && length > root; up--) {
    length--;
    while (length > root && load<u8>(BASE + length - 1) != 0x2f) length--;
  }
  return length;
}

/** The first `prefix` bytes of the base, and the reference without its fragment. */
// @ts-ignore: decorator
@inline
function join(prefix: u32, start: usize, end: usize, out: usize): usize {
  copy(out, BASE, prefix);
  return putPath(start, end, out + prefix);
}

/** Copies in steps of 16 bytes: up to 15 bytes past the end are written, too. */
// @ts-ignore: decorator
@inline
function copy(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

// Classes of characters, as in plain.ts.
const PLAIN: u32 = 1;
const C_SLASH: u32 = 2;
const C_DOT: u32 = 3;
const C_PERCENT: u32 = 4;
const C_QUOTE: u32 = 5;
const C_QUESTION: u32 = 6;
const C_HASH: u32 = 7;

/**
 * Copies path and query if they are plain, up to a fragment or `end`; as `plainPathEnd` of
 * plain.ts. An ampersand is plain if it is `&amp;`, or begins a name that `=` ends: then it is no
 * reference.
 */
function putPath(at: usize, end: usize, out: usize): usize {
  let afterSlash = true;
  let query: usize = 0;
  let drops = false;
  for (; at < end; at++) {
    // Letters, digits, `-` and `_` sixteen at a time: they are all plain.
    const run = min<usize>(wordLength(at, out), end - at);
    if (run != 0) {
      afterSlash = false;
      out += run;
      at += run;
      if (run == 16) {
        at--;
        continue;
      }
      if (at == end) break;
    }
    const c = load<u8>(at);
    const kind: u32 = load<u8>(CLASSES + c);
    store<u8>(out++, c);
    if (kind == PLAIN) {
      afterSlash = false;
      if (c == 0x3b) drops = true;
      continue;
    }
    if (kind == C_SLASH) {
      afterSlash = true;
      continue;
    }
    if (kind == C_HASH) {
      out--;
      break;
    }
    if (kind == C_DOT) {
      if (afterSlash && query == 0) return NOT_PLAIN;
    } else if (kind == C_PERCENT) {
      if (!isCanonicalEscape(at, end)) return NOT_PLAIN;
      store<u16>(out, load<u16>(at, 1));
      out += 2;
      at += 2;
    } else if (kind == C_QUOTE) {
      if (query != 0) return NOT_PLAIN; // unchanged in a path, escaped in a query
    } else if (kind == C_QUESTION) {
      if (query == 0) query = out;
    } else if (c == 0x26) {
      if (load<u32>(at, 1) == 0x3b706d61 && at + 5 <= end) at += 4;
      else if (!isNameWithValue(at + 1, end)) return NOT_PLAIN;
    } else return NOT_PLAIN;
    if (kind != C_QUESTION) afterSlash = false;
  }
  if (query == out || ((drops || query != 0) && load<i32>(DROPS) != 0)) return NOT_PLAIN;
  return out;
}

/**
 * Copies sixteen bytes, and returns how many of them, from the first on, are letters, digits, `-`
 * or `_`.
 */
// @ts-ignore: decorator
@inline
function wordLength(at: usize, out: usize): usize {
  const bytes = v128.load(at);
  v128.store(out, bytes);
  const letters = i8x16.lt_u(
    i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(97)),
    i8x16.splat(26),
  );
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(48)), i8x16.splat(10));
  const marks = v128.or(
    i8x16.eq(bytes, i8x16.splat(0x2d)),
    i8x16.eq(bytes, i8x16.splat(0x5f)),
  );
  return ctz(~<u32>i8x16.bitmask(v128.or(v128.or(letters, digits), marks)));
}

/** Letters and digits up to an equals sign. */
function isNameWithValue(at: usize, end: usize): bool {
  const start = at;
  while (at < end && (isLetter(load<u8>(at)) || <u32>load<u8>(at) - 0x30 < 10)) at++;
  return at > start && at < end && load<u8>(at) == 0x3d;
}

function isCanonicalEscape(at: usize, end: usize): bool {
  if (at + 2 >= end) return false;
  const high = upperHexDigit(load<u8>(at, 1));
  const low = upperHexDigit(load<u8>(at, 2));
  return high < 16 && low < 16 && load<u8>(ESCAPES + high * 16 + low) == 1;
}

// @ts-ignore: decorator
@inline
function upperHexDigit(code: u32): u32 {
  if (code - 0x30 < 10) return code - 0x30;
  return code - 0x41 < 6 ? code - 0x37 : 16;
}
