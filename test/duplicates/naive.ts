/**
 * The text of a page as defined in src/duplicates/fingerprint.ts, written for clarity and not for
 * speed. The kernel is compared with it, and bench/duplicates.ts takes resemblance from it.
 */

export interface Reading {
  /**
   * Runs of letters, digits and bytes beyond ASCII, in lower case, outside markup and links; with
   * the links if these are few.
   */
  readonly words: readonly string[];
  /** The words without their digits, and the tags by name, in order: the input of the signature. */
  readonly outline: readonly string[];
}

const LINK_WORDS = 32;
const FEW_WORDS = 32;
const RAW = new Set(['script', 'style', 'noscript', 'template']);
const isWordByte = (c: number): boolean =>
  (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c >= 0x80;
const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
const isSpace = (c: number): boolean => c === 9 || c === 10 || c === 12 || c === 13 || c === 32;

/**
 * A byte that begins a character of an ideographic or syllabic script in UTF-8: such a character is
 * a word.
 */
const beginsWide = (c: number): boolean => c >= 0xe3 && c <= 0xed;

export function readPage(bytes: Uint8Array): Reading {
  const text = Buffer.from(bytes).toString('latin1');
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const all: string[] = [];
  const words: string[] = [];
  const outline: string[] = [];
  let inLink = false;
  let linked = 0;
  let at = 0;
  while (at < bytes.length) {
    const c = bytes[at];
    if (isWordByte(c)) {
      const end = wordEnd(bytes, at);
      const word = lower.slice(at, end);
      all.push(word);
      if (!inLink || linked++ >= LINK_WORDS) words.push(word);
      const letters = word.replace(/[0-9]/g, '');
      if (letters === word) outline.push(word);
      else if (letters !== '') outline.push(letters.slice(0, 64));
      at = end;
    } else if (c === 0x3c) {
      const before = outline.length;
      at = passMarkup(bytes, lower, at, outline);
      const tag = outline[before];
      if (tag === '<a' || tag === '</a') {
        inLink = tag === '<a';
        linked = 0;
      }
    } else at++;
  }
  return { words: words.length < FEW_WORDS ? all : words, outline };
}

function wordEnd(bytes: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < bytes.length && isWordByte(bytes[end]) && !beginsWide(bytes[end])) end++;
  return end;
}

function passMarkup(bytes: Uint8Array, lower: string, at: number, outline: string[]): number {
  if (lower.startsWith('<!--', at)) {
    const end = lower.indexOf('-->', at + 4);
    return end < 0 ? bytes.length : end + 3;
  }
  const closing = bytes[at + 1] === 0x2f;
  const start = at + (closing ? 2 : 1);
  if (!isLetter(bytes[start])) {
    const isDeclaration = bytes[at + 1] === 0x21 || bytes[at + 1] === 0x3f || closing;
    if (!isDeclaration) return at + 1;
    const end = lower.indexOf('>', at + 1);
    return end < 0 ? bytes.length : end + 1;
  }
  const nameEnd = wordEnd(bytes, start);
  const name = lower.slice(start, nameEnd);
  outline.push(`${closing ? '</' : '<'}${name}`);
  const end = passAttributes(bytes, lower, nameEnd);
  if (closing || !RAW.has(name)) return end;
  const close = lower.indexOf(`</${name}`, end);
  return close < 0 ? bytes.length : close;
}

/** A quote counts only at the beginning of a value. */
function passAttributes(bytes: Uint8Array, lower: string, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const c = bytes[at];
    if (c === 0x3e) return at + 1;
    if (c === 0x22 || c === 0x27) {
      let before = at - 1;
      while (before > from && isSpace(bytes[before])) before--;
      if (bytes[before] === 0x3d) {
        const end = lower.indexOf(c === 0x22 ? '"' : "'", at + 1);
        if (end < 0) return bytes.length;
        at = end;
      }
    }
    at++;
  }
  return bytes.length;
}

/** Every `length` words in a row; a page with fewer words is one shingle. */
export function shingles(words: readonly string[], length: number): Set<string> {
  const set = new Set<string>();
  for (let i = 0; i + length <= words.length; i++) set.add(words.slice(i, i + length).join(' '));
  if (set.size === 0 && words.length > 0) set.add(words.join(' '));
  return set;
}

/** The share of elements of two sets that both have. */
export function resemblance<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): number {
  let common = 0;
  for (const item of one) if (other.has(item)) common++;
  const all = one.size + other.size - common;
  return all === 0 ? 1 : common / all;
}

const MASK = (1n << 64n) - 1n;
const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const mixed = (hash: bigint): bigint => {
  const product = (hash * P1) & MASK;
  return product ^ (product >> 32n);
};
const rotl = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (64n - by))) & MASK;

/** Eight bytes at a time; the last eight of a word may overlap those before. */
export function hashOf(word: string): bigint {
  const bytes = Buffer.concat([Buffer.from(word, 'latin1'), Buffer.alloc(8)]);
  const length = word.length;
  let hash = mixed(
    P2 ^
      BigInt(length) ^
      Buffer.from(
        bytes.subarray(0, Math.min(8, length)).toString('latin1').padEnd(8, '\0'),
        'latin1',
      ).readBigUInt64LE(),
  );
  for (let at = 8; length > 16 && at < length - 8; at += 8)
    hash = mixed(hash ^ bytes.readBigUInt64LE(at));
  return mixed(hash ^ (length > 8 ? bytes.readBigUInt64LE(length - 8) : 0n));
}

export function naiveSignature(outline: readonly string[]): bigint {
  let signature = P2;
  for (const item of outline) {
    const closing = item.startsWith('</');
    const name = closing ? item.slice(2) : item.startsWith('<') ? item.slice(1) : item;
    const mark = closing ? 0x5555555555555555n : item.startsWith('<') ? 0x3333333333333333n : 0n;
    signature = ((rotl(signature, 23n) ^ hashOf(name) ^ mark) * P1) & MASK;
  }
  return signature;
}

/** The least hash of the shingles of each place; undefined for a place without any. */
export function naiveMinima(words: readonly string[]): (number | undefined)[] {
  const minima: (number | undefined)[] = new Array(128).fill(undefined);
  const hashes = words.map(hashOf);
  const put = (a: bigint, b: bigint, c: bigint): void => {
    let hash = (mixed(a ^ rotl(b, 21n) ^ rotl(c, 42n)) * P2) & MASK;
    hash ^= hash >> 32n;
    const place = Number(hash >> 57n);
    const value = Number(hash & 0xffffffffn);
    minima[place] = Math.min(minima[place] ?? Infinity, value);
  };
  for (let i = 2; i < hashes.length; i++) put(hashes[i - 2], hashes[i - 1], hashes[i]);
  if (hashes.length === 1) put(0n, 0n, hashes[0]);
  if (hashes.length === 2) put(0n, hashes[0], hashes[1]);
  return minima;
}
